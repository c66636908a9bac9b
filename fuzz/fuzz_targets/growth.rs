//! Does work grow with the length of the text, whatever is repeated in it?

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(broken) = llmend_testing::fuzz::growth(data) {
        panic!("{broken}");
    }
});
