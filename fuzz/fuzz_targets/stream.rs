//! Does a text that arrives in chunks come to the same, and is nothing taken back on the way?

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(broken) = llmend_testing::fuzz::stream(data) {
        panic!("{broken}");
    }
});
