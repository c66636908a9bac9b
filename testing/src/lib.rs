//! The cases by which llmend is judged, and the promises that it is held to.
//!
//! Tests, fuzz targets and benchmarks share what is here: two corpora that were collected by hand, five
//! generators of texts that nobody has seen, the judgement of an answer, and engines to compare with.
//!
//! ```
//! use llmend_testing::case::{Outcome, judge};
//! use llmend_testing::{damage, engine};
//!
//! let case = damage::case_of("trailing-comma", 1).expect("a kind of that name");
//! let wanted = case.expected.as_ref().expect("a value").write();
//! assert_eq!(judge(&case, &engine::answer(&wanted)), Outcome::Right);
//! ```

pub mod case;
pub mod corpus;
pub mod damage;
pub mod data;
pub mod engine;
#[cfg(feature = "llmend")]
pub mod fuzz;
pub mod hostile;
pub mod misleading;
#[cfg(feature = "llmend")]
pub mod plan;
pub mod promises;
pub mod random;
#[cfg(feature = "llmend")]
pub mod schema;
mod sources;
#[cfg(feature = "llmend")]
pub mod stream;
pub mod unescaped;
pub mod valid;
mod words;
