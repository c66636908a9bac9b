//! The addon for Node and Bun.

use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{Either, Uint8Array};
use napi_derive::napi;

use crate::{exports, refusal::Refusal};

#[cfg(panic = "abort")]
compile_error!(
    "a panic would end Node: the addon is built with `--profile native`, or not optimized"
);

type Made = Either<String, Uint8Array>;
/// An error whose code says what its message is.
type Thrown = napi::Error<&'static str>;

/// The code of an error whose message is the JSON.
const REFUSED: &str = "LLMEND_REFUSED";
/// The code of an error in this addon.
const PANICKED: &str = "LLMEND_PANICKED";

// A report is many small pieces of memory. glibc hands them back to the system after each call and gets them again for the
// next one, which takes as long as the repair; musl's allocator is slow.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A string is JavaScript's own. What an array refers to is freed between tasks only, so it is for what is no UTF-8.
fn made(bytes: Vec<u8>) -> Made {
    String::from_utf8(bytes).map_or_else(|error| Either::B(error.into_bytes().into()), Either::A)
}

/// Runs `work`, and turns a panic into an error.
fn run<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Thrown> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(|Refusal(json)| Thrown::new(REFUSED, json)),
        Err(panic) => {
            let said = panic.downcast_ref::<&str>().copied();
            let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            Err(Thrown::new(PANICKED, said.unwrap_or("unknown panic").to_owned()))
        }
    }
}

/// Returns the version, which has to be that of the package.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Panics with a message, or else with a literal, whose type differs. For tests: no published addon has it.
#[cfg(debug_assertions)]
#[napi]
pub fn panic(message: Option<String>) -> Result<(), Thrown> {
    run(|| match message {
        Some(message) => panic!("{message}"),
        None => panic!("a literal"),
    })
}

exports::engine!(napi, &[u8]);
#[cfg(feature = "full")]
exports::full!(napi, &[u8]);

/// Streams are freed by hand, as those of the modules are: finalizers run between tasks only, and a loop may make many.
macro_rules! freed {
    ($($class:ident)*) => {$(
        #[napi]
        impl $class {
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
