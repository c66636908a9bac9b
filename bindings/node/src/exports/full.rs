//! Schemas, tool calls and plans.

macro_rules! full {
    ($export:ident, $($bytes:tt)+) => {
        use crate::{calls, fit, fit_stream, plan};

        /// A compiled JSON Schema.
        #[$export]
        pub struct Schema {
            inner: fit::Schema,
        }

        #[$export]
        impl Schema {
            /// Compiles the schema in a text. One of a type is for a validator that ignores unknown members, so that
            /// members which only differ in spelling are renamed.
            #[$export(constructor)]
            pub fn new(json: String, is_of_type: bool) -> Result<Self, Thrown> {
                run(|| Ok(Self { inner: fit::Schema::new(&json, is_of_type)? }))
            }

            /// Parses the value in a text and makes it fit. Returns its JSON; [`report`] has the rest.
            #[$export]
            pub fn fit(&self, text: String, options: String) -> Result<String, Thrown> {
                run(|| self.inner.fit(text, &options))
            }

            /// Fits a text like [`Self::fit`], from its bytes in UTF-8.
            #[$export(js_name = "fitBytes")]
            pub fn fit_bytes(
                &self,
                bytes: $($bytes)+,
                options: String) -> Result<String, Thrown> {
                run(|| self.inner.fit_bytes(bytes.into(), &options))
            }

            /// Returns the JSON of where the parts at JSON Pointers into the fitted value are, as [`places`] does.
            #[$export]
            pub fn places(
                &self,
                text: String,
                options: String,
                pointers: Vec<String>,
            ) -> Result<String, Thrown> {
                run(|| self.inner.places(&text, &options, &pointers))
            }

            /// Begins to read a text that arrives. Its first value is the answer.
            #[$export]
            pub fn stream(&self, options: String) -> Result<FitEvents, Thrown> {
                run(|| Ok(FitEvents { inner: self.inner.stream(&options)? }))
            }
        }

        /// The events of a text that arrives, as its value fits a schema.
        #[$export]
        pub struct FitEvents {
            inner: fit_stream::FitEvents,
        }

        #[$export]
        impl FitEvents {
            /// Reads the next piece of text. Returns the JSON of its events; nothing if there are none.
            #[$export]
            pub fn push(&mut self, piece: String) -> Result<Option<String>, Thrown> {
                run(|| Ok(self.inner.push(piece.as_bytes())))
            }

            /// Reads the next piece of text in UTF-8, which may end within a character.
            #[$export(js_name = "pushBytes")]
            pub fn push_bytes(&mut self, piece: &[u8]) -> Result<Option<String>, Thrown> {
                run(|| Ok(self.inner.push(piece)))
            }

            /// Ends the text. Returns the JSON of the remaining events, which are none if the text cannot be read: the
            /// value and the report, or the reason, are those of the whole text.
            #[$export]
            pub fn finish(&mut self) -> Result<Option<String>, Thrown> {
                run(|| Ok(self.inner.finish()))
            }

            /// Takes the whole text.
            #[$export(js_name = "takeText")]
            pub fn take_text(&mut self) -> Made {
                made(self.inner.take_text())
            }
        }

        /// Returns the JSON of where the parts at JSON Pointers are in a text: an offset and the next one for each.
        #[$export]
        pub fn places(
            text: String,
            options: String,
            pointers: Vec<String>,
        ) -> Result<String, Thrown> {
            run(|| fit::places(&text, &options, &pointers))
        }

        /// The tools that a model was offered, compiled.
        #[$export]
        pub struct Tools {
            inner: calls::Tools,
        }

        #[$export]
        impl Tools {
            /// Compiles the tools in a JSON text; the empty text stands for none.
            #[$export(constructor)]
            pub fn new(text: String) -> Result<Self, Thrown> {
                run(|| Ok(Self { inner: calls::Tools::new(&text)? }))
            }

            /// Returns the JSON of the unknown types in the schemas, each behind the name of its tool.
            #[$export(js_name = "unknownTypes")]
            pub fn unknown_types(&self) -> String {
                self.inner.unknown_types()
            }

            /// Reads the calls in a text. Returns the JSON of the reading.
            #[$export]
            pub fn read(
                &self,
                text: String,
                options: String,
                calls: String,
            ) -> Result<String, Thrown> {
                run(|| self.inner.read(&text, &options, &calls))
            }

            /// Begins to read the calls in a text that arrives.
            #[$export]
            pub fn stream(&self, options: String, calls: String) -> Result<CallStream, Thrown> {
                run(|| Ok(CallStream { inner: self.inner.stream(&options, &calls)? }))
            }
        }

        /// The text so far and the reader of its calls.
        #[$export]
        pub struct CallStream {
            inner: calls::CallStream,
        }

        #[$export]
        impl CallStream {
            /// Reads the next piece of text. Returns the JSON of its events; nothing if there are none.
            #[$export]
            pub fn push(&mut self, piece: String) -> Result<Option<String>, Thrown> {
                run(|| Ok(self.inner.push(&piece)))
            }

            /// Ends the text. Returns the JSON of the last events and of the reading.
            #[$export]
            pub fn finish(&mut self) -> Result<Option<String>, Thrown> {
                run(|| Ok(self.inner.finish()))
            }
        }

        /// Reads, infers and checks the plan or workflow in a text. Returns the JSON of the review.
        #[$export]
        pub fn review(text: String, options: String, plan: String) -> Result<String, Thrown> {
            run(|| plan::review(&text, &options, &plan))
        }
    };
}
pub(crate) use full;
