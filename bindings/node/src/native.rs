//! The addon for Node and Bun.

use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

use crate::{exports, refusal::Refusal};

type Made = Uint8Array;
/// An error whose code says what its message is.
type Thrown = napi::Error<&'static str>;

/// The code of an error whose message is the JSON.
const REFUSED: &str = "LLMEND_REFUSED";
/// The code of an error in this addon.
const PANICKED: &str = "LLMEND_PANICKED";

/// A panic is thrown.
fn run<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Thrown> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(|Refusal(json)| Thrown::new(REFUSED, json)),
        Err(_) => Err(Thrown::new(PANICKED, "internal error")),
    }
}

exports::engine!(napi);
#[cfg(feature = "full")]
exports::full!(napi);

/// Streams are freed by hand, as those of the modules are: a loop that makes many leaves nobody the time to collect them.
macro_rules! freed {
    ($($class:ident)*) => {$(
        #[napi]
        impl $class {
            /// Drops what the stream holds.
            #[napi]
            pub fn free(&mut self) {
                self.inner.free();
            }
        }
    )*};
}
freed!(TextEvents);
#[cfg(feature = "full")]
freed!(FitEvents CallStream);
