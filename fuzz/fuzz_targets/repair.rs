//! The promises of the engine on any text.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(broken) = llmend_testing::fuzz::repair(data) {
        panic!("{broken}");
    }
});
