//! Make a value fit the JSON Schema that was asked for.
//!
//! This is the arrow `coerce` of llmend's straight line `text → extract → parse → coerce → read`: a
//! value and a [`Schema`] go in; out come a value that validates, with every [`Coercion`] itemised,
//! or all [`Violation`]s. What the schema declares decides, never how a value looks; a value that
//! already validates is not touched. No I/O: a `$ref` to a file or to the network is an error.
//!
//! ```
//! use llmend_schema::{Options, Schema, coerce};
//!
//! let schema = Schema::from_text(r#"{
//!     "type": "object",
//!     "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
//!     "required": ["city", "days"]
//! }"#)?;
//! let parsed = llmend_json::parse("Sure! {'City': 'Oslo', 'days': '3'}")?;
//! let coerced = coerce(&parsed.value, &schema, &Options::default());
//! assert!(coerced.violations.is_empty());
//! assert_eq!(coerced.value.to_string(), r#"{"city":"Oslo","days":3}"#);
//! let made: Vec<_> = coerced.coercions.iter().map(|row| (row.kind.name(), row.path.as_str())).collect();
//! assert_eq!(made, [("key-spelling", "/city"), ("number-from-text", "/days")]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clip;
mod coerce;
mod coercion;
mod compile;
mod error;
mod explain;
mod fold;
mod instance;
mod meter;
mod near_names;
mod options;
mod places;
mod repeated;
mod schema;
mod score;
mod slip;
mod verdict;
mod violation;
mod wording;

pub use coerce::coerce;
pub use coercion::{Coerced, Coercion, CoercionKind};
pub use compile::check_numbers;
pub use error::Error;
pub use near_names::near_names;
pub use options::{Emphasis, NearMatch, OnBadItem, OnExtra, Options, OtherSpelling, Units};
pub use places::Places;
pub use schema::Schema;
pub use violation::{Violation, validate};
