//! Repair, reports and streams.

macro_rules! engine {
    ($export:ident, $($bytes:tt)+) => {
        use crate::{answer, last, stream};

        #[$export]
        pub fn repair(text: String, options: String) -> Result<Option<String>, Thrown> {
            run(|| answer::repair(text, &options))
        }

        #[$export(js_name = "repairBytes")]
        pub fn repair_bytes(
            bytes: $($bytes)+,
            options: String) -> Result<Option<String>, Thrown> {
            run(|| answer::repair_bytes(bytes.into(), &options))
        }

        #[$export(js_name = "lastCall")]
        pub fn last_call() -> u32 {
            last::call()
        }

        #[$export]
        pub fn report(call: u32) -> Result<Option<String>, Thrown> {
            run(|| Ok(last::take(call)))
        }

        #[$export]
        pub fn flags() -> u32 {
            last::flags()
        }

        #[$export]
        pub fn found() -> Vec<u32> {
            last::found()
        }

        #[$export(js_name = "missingList")]
        pub fn missing_list(json: String, pointer: String) -> Result<Option<String>, Thrown> {
            run(|| Ok(answer::missing_list(&json, &pointer)))
        }

        #[$export]
        pub struct TextEvents {
            inner: stream::TextEvents,
        }

        #[$export]
        impl TextEvents {
            #[$export(constructor)]
            pub fn new(options: String) -> Result<Self, Thrown> {
                run(|| Ok(Self { inner: stream::TextEvents::new(&options)? }))
            }
        }

        crate::exports::events!($export, TextEvents);
    };
}
pub(crate) use engine;
