//! The promises of the engine on edited documents.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(broken) = llmend_testing::fuzz::structured(data) {
        panic!("{broken}");
    }
});
