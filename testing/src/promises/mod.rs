//! The promises G1 to G10 with their checks, and the oracle.
//!
//! | | promise |
//! |---|---|
//! | G1 | valid JSON comes back byte for byte, borrowed, with no repair |
//! | G2 | what comes out is strict JSON, or an error; text and value agree |
//! | G3 | repairing the output again changes nothing |
//! | G4 | the repairs are the difference, sorted, disjoint, on character boundaries |
//! | G5 | a string that closes cleanly is never re-read ([`atomic`]) |
//! | G6 | numbers keep their text, keys their order, duplicates stay |
//! | G7 | work grows with the length ([`growth`]); depth and size are limited by options, never by the stack ([`on_a_small_stack`]) |
//! | G8 | nothing is dropped, replaced or invented without a repair whose rule is for that and is on |
//! | G9 | an answer that was cut off is flagged ([`told`], at [`open_places`]), and no other |
//! | G10 | without rules and extraction, exactly what the oracle accepts is accepted |

mod oracle;

#[cfg(feature = "llmend")]
mod account;
#[cfg(feature = "llmend")]
mod atomic;
mod broken;
#[cfg(feature = "llmend")]
mod check;
#[cfg(feature = "llmend")]
mod cut;
#[cfg(feature = "llmend")]
mod growth;

#[cfg(feature = "llmend")]
pub use atomic::{atomic, on_a_small_stack};
#[cfg(feature = "llmend")]
pub use broken::Broken;
pub use check::{check_all, check_case, check_policies};
#[cfg(feature = "llmend")]
pub use cut::{open_places, told, whole_or_told};
#[cfg(feature = "llmend")]
pub use growth::{growth, work};
pub use oracle::{depth_of, is_valid_json};
