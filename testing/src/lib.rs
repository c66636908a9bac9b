//! Test cases and promises for llmend.
//!
//! Shared by tests, fuzz targets and benchmarks: two corpora of collected texts, generators of new
//! ones, the assessment of answers, and the engines to compare with.
//!
//! ```
//! use llmend_testing::case::{Outcome, judge};
//! use llmend_testing::{damage, engine};
//!
//! let case = damage::case_of("trailing-comma", 1).expect("a kind of that name");
//! let wanted = case.expected.as_ref().expect("a value").write();
//! assert_eq!(judge(&case, &engine::answer(&wanted)), Outcome::Right);
//! ```

pub mod calls;
pub mod captured;
pub mod case;
pub mod corpora;
pub mod corpus;
pub mod damage;
pub mod data;
pub mod difference;
pub mod engine;
pub mod faults;
#[cfg(feature = "llmend")]
pub mod fuzz;
pub mod hostile;
pub mod misleading;
#[cfg(feature = "llmend")]
pub mod plan;
pub mod promises;
pub mod random;
pub mod rows;
#[cfg(feature = "llmend")]
pub mod schema;
mod sources;
#[cfg(feature = "llmend")]
pub mod stream;
pub mod structural;
pub mod surroundings;
pub mod unescaped;
pub mod valid;
mod words;
