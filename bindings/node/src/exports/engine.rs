//! Repair, reports and streams.

macro_rules! engine {
    ($export:ident, $($bytes:tt)+) => {
        use crate::{answer, last, stream};

        /// Repairs a text to strict JSON. Returns nothing if the text is that already.
        #[$export]
        pub fn repair(text: String, options: String) -> Result<Option<String>, Thrown> {
            run(|| answer::repair(text, &options))
        }

        /// Repairs a text like [`repair`], from its bytes in UTF-8.
        #[$export(js_name = "repairBytes")]
        pub fn repair_bytes(
            bytes: $($bytes)+,
            options: String) -> Result<Option<String>, Thrown> {
            run(|| answer::repair_bytes(bytes.into(), &options))
        }

        /// Returns the number of the last call, by which its report can be had.
        #[$export(js_name = "lastCall")]
        pub fn last_call() -> u32 {
            last::call()
        }

        /// Returns the JSON of the report of a call; nothing if another call came since.
        #[$export]
        pub fn report(call: u32) -> Result<Option<String>, Thrown> {
            run(|| Ok(last::take(call)))
        }

        /// Returns what the last call found: 1 if its value may lack something, plus 2 if it does not fit its schema.
        #[$export]
        pub fn flags() -> u32 {
            last::flags()
        }

        /// Returns the start and the end of the text that the last call read as the value, 1 if it stands in other text
        /// without a mark, and the number of the worst class of its repairs, from 1: what the drop-in for jsonrepair needs
        /// of a report.
        #[$export]
        pub fn found() -> Vec<u32> {
            last::found()
        }

        /// Returns the JSON of what is wrong with a value without a list at `pointer`; nothing if it has one.
        #[$export(js_name = "missingList")]
        pub fn missing_list(json: String, pointer: String) -> Result<Option<String>, Thrown> {
            run(|| Ok(answer::missing_list(&json, &pointer)))
        }

        /// The events of a text that arrives. Its first value is the answer, since the best is unknown before the end.
        #[$export]
        pub struct TextEvents {
            inner: stream::TextEvents,
        }

        #[$export]
        impl TextEvents {
            /// Creates a stream without any text.
            #[$export(constructor)]
            pub fn new(options: String) -> Result<Self, Thrown> {
                run(|| Ok(Self { inner: stream::TextEvents::new(&options)? }))
            }

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
    };
}
pub(crate) use engine;
