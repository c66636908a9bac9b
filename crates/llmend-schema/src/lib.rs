//! Coercion and validation of JSON values against a JSON Schema.
//!
//! This is the `coerce` stage of llmend's pipeline `text → extract → parse → coerce → read`. It
//! takes a value and a [`Schema`], and returns a value that validates with every [`Coercion`]
//! listed, or all [`Violation`]s. The schema alone decides what is changed; a value that already
//! validates is returned as it is. The crate does no I/O: a `$ref` to a file or to the network is
//! an error.
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

mod coerce;
mod coercion;
mod compile;
mod cost;
mod diagnose;
mod duplicate_keys;
mod enclosing;
mod error;
mod evaluate;
mod fold;
mod instance;
mod keyword_message;
mod message;
mod name;
mod near_names;
mod options;
mod pointer;
mod quote;
mod schema;
mod subschemas;
mod typo;
mod validate;
mod violation;
mod why_not;
mod work_budget;

pub use coerce::coerce;
pub use coercion::{Coerced, Coercion, CoercionKind};
pub use compile::check_numbers;
pub use error::Error;
pub use llmend_json::OnBadItem;
pub use name::{KnownNames, NameMatch};
pub use near_names::near_names;
pub use options::{Emphasis, NearMatch, OnExtra, Options, OtherSpelling, Units};
pub use schema::Schema;
pub use subschemas::{Member, Place, Subschemas};
pub use validate::validate;
pub use violation::Violation;
