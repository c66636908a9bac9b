//! Repair of columns of language models' answers.
//!
//! [`Job::repair`] turns each text of an Arrow array into a row: the value as strict JSON and how it was found, or
//! why there is none. An answer that cannot be repaired is a row too, so one of a billion does not stop the rest.
//! This part does no input or output; with the feature `parquet`, `table` repairs a column of a Parquet file.
//!
//! ```
//! use arrow_array::{Array, StringArray, cast::AsArray};
//! use llmend_arrow::{Job, Texts};
//!
//! let answers = StringArray::from(vec![Some("Sure: {'a': 1,}"), Some("nothing"), None]);
//! let rows = Job::default().repair(&Texts::of(&answers)?)?;
//! assert_eq!(rows.column_by_name("value").unwrap().as_string::<i32>().value(0), r#"{"a": 1}"#);
//! assert_eq!(rows.column_by_name("status").unwrap().as_string::<i32>().value(1), "refused");
//! assert!(rows.is_null(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
mod job;
mod row;
#[cfg(feature = "parquet")]
pub mod table;
mod texts;

pub use columns::{Columns, field};
pub use job::Job;
pub use row::{Problem, Row};
pub use texts::{NotTexts, Texts};
