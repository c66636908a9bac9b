//! Hostile schemas and values, which must end in an answer or an error.
//!
//! The time they take is measured by a benchmark.

#![cfg(feature = "llmend")]

use llmend_schema::{Options, Schema, coerce};
use llmend_testing::schema::check;
use llmend_testing::schema::hostile::{ALL, Hostile, gone};

/// As much stack as a thread has by default.
const STACK: usize = 2 << 20;

/// Holds the text against the schema. What is called a success must be one.
fn hold(hostile: &Hostile) -> Result<(), String> {
    let (schema, text) = (hostile.make)(hostile.size);
    let held = held(&schema, &text);
    gone(schema);
    held
}

fn held(schema: &serde_json::Value, text: &str) -> Result<(), String> {
    let Ok(compiled) = Schema::new(schema) else { return Ok(()) };
    let options = llmend_json::Options { max_depth: usize::MAX, ..llmend_json::Options::default() };
    let Ok(parsed) = llmend_json::parse_with(text, &options) else { return Ok(()) };
    let coerced = coerce(&parsed.value, &compiled, &Options::default());
    if !coerced.violations.is_empty() {
        return Ok(());
    }
    check::always(schema, &parsed.value.to_string(), &coerced)
}

#[test]
fn hostile_schemas_and_values() {
    for hostile in ALL {
        let held = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            let thread = thread.spawn_scoped(scope, || hold(hostile)).expect("a thread");
            thread.join().expect("no panic")
        });
        assert_eq!(held, Ok(()), "{}", hostile.name);
    }
}
