//! Streams: chunks give the same result as the whole text, and views take nothing back.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(broken) = llmend_testing::fuzz::stream(data) {
        panic!("{broken}");
    }
});
