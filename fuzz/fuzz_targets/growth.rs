//! Work that grows linearly, whatever is repeated in the text.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(broken) = llmend_testing::fuzz::growth(data) {
        panic!("{broken}");
    }
});
