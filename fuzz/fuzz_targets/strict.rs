//! The empty rule set against the oracle.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(broken) = llmend_testing::fuzz::strict(data) {
        panic!("{broken}");
    }
});
