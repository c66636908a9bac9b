//! Coercion: the result validates, or violations say why not.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(broken) = llmend_testing::fuzz::schema(data) {
        panic!("{broken}");
    }
});
