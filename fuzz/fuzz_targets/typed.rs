//! Do types, values and places agree with what `serde_json` reads?

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(broken) = llmend_testing::fuzz::typed(data) {
        panic!("{broken}");
    }
});
