//! Schemas, tool calls and plans.

macro_rules! full {
    ($export:ident, $($bytes:tt)+) => {
        use crate::{calls, fit, fit_stream, plan};

        #[$export]
        pub struct Schema {
            inner: fit::Schema,
        }

        #[$export]
        impl Schema {
            #[$export(constructor)]
            pub fn new(json: String, is_of_type: bool) -> Result<Self, Thrown> {
                run(|| Ok(Self { inner: fit::Schema::new(&json, is_of_type)? }))
            }

            #[$export]
            pub fn fit(&self, text: String, options: String) -> Result<String, Thrown> {
                run(|| self.inner.fit(text, &options))
            }

            #[$export(js_name = "fitBytes")]
            pub fn fit_bytes(
                &self,
                bytes: $($bytes)+,
                options: String) -> Result<String, Thrown> {
                run(|| self.inner.fit_bytes(bytes.into(), &options))
            }

            #[$export]
            pub fn places(
                &self,
                text: String,
                options: String,
                pointers: Vec<String>,
            ) -> Result<String, Thrown> {
                run(|| self.inner.places(&text, &options, &pointers))
            }

            #[$export]
            pub fn stream(&self, options: String) -> Result<FitEvents, Thrown> {
                run(|| Ok(FitEvents { inner: self.inner.stream(&options)? }))
            }
        }

        #[$export]
        pub struct FitEvents {
            inner: fit_stream::FitEvents,
        }

        crate::exports::events!($export, FitEvents);

        #[$export]
        pub fn places(
            text: String,
            options: String,
            pointers: Vec<String>,
        ) -> Result<String, Thrown> {
            run(|| fit::places(&text, &options, &pointers))
        }

        #[$export]
        pub struct Tools {
            inner: calls::Tools,
        }

        #[$export]
        impl Tools {
            #[$export(constructor)]
            pub fn new(text: String) -> Result<Self, Thrown> {
                run(|| Ok(Self { inner: calls::Tools::new(&text)? }))
            }

            #[$export(js_name = "unknownTypes")]
            pub fn unknown_types(&self) -> String {
                self.inner.unknown_types()
            }

            #[$export]
            pub fn read(
                &self,
                text: String,
                options: String,
                calls: String,
            ) -> Result<String, Thrown> {
                run(|| self.inner.read(&text, &options, &calls))
            }

            #[$export]
            pub fn stream(&self, options: String, calls: String) -> Result<CallStream, Thrown> {
                run(|| Ok(CallStream { inner: self.inner.stream(&options, &calls)? }))
            }
        }

        #[$export]
        pub struct CallStream {
            inner: calls::CallStream,
        }

        #[$export]
        impl CallStream {
            #[$export]
            pub fn push(&mut self, piece: String) -> Result<Option<String>, Thrown> {
                run(|| Ok(self.inner.push(&piece)))
            }

            #[$export]
            pub fn finish(&mut self) -> Result<Option<String>, Thrown> {
                run(|| Ok(self.inner.finish()))
            }
        }

        #[$export]
        pub fn review(text: String, options: String, plan: String) -> Result<String, Thrown> {
            run(|| plan::review(&text, &options, &plan))
        }
    };
}
pub(crate) use full;
