//! Types, values and spans against `serde_json`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(broken) = llmend_testing::fuzz::typed(data) {
        panic!("{broken}");
    }
});
