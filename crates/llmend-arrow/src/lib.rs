//! A column of answers, repaired.
//!
//! [`Job::repair`] makes of each text of an Arrow array a row: the value as strict JSON, how it was come
//! by, or why there is none. An answer that cannot be repaired is a row like any other, so that one of a
//! billion does not end the work on the rest. No input or output: whoever has the columns hands them in.
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
mod texts;

pub use columns::{Columns, field};
pub use job::Job;
pub use row::{Problem, Row};
pub use texts::{NotTexts, Texts};
