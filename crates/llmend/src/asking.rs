//! How does a model come to a value that can be used, with the fewest and smallest questions?
//!
//! The loop around llmend's straight line. An attempt is a call and everything that can be done with
//! its answer without asking again: extract, repair, coerce, read, infer, check. What comes of it is a
//! value, another question, or the end:
//!
//! ```text
//! attempt: call → extract → repair → coerce → read → infer → check → outcome
//! outcome: Done(value) | AskAgain(what was wrong) | GiveUp(why)
//! ```
//!
//! [`Ask`] asks for a value of a known shape, [`Planner`] for a plan or a workflow. Both drive a
//! [`Loop`], which knows no model, no clock and no runtime: requests come out, answers go in.
//!
//! | you want to say | by |
//! |---|---|
//! | how often, in which ways, with how much | [`AskOptions`], or the limits of others: [`Preset`] |
//! | which models | [`Models`] |
//! | who is told meanwhile | [`Callbacks`] |
//! | that you ask the models yourself | [`Driven`] |
//! | something else that can be asked for | [`Subject`] |

mod ask;
mod budget;
mod callbacks;
mod clip;
mod clock;
mod drive;
mod driven;
mod failed;
mod feedback;
mod kind;
mod ledger;
mod machine;
mod options;
mod outcome;
mod parts;
mod plan_subject;
mod planner;
mod preset;
mod question;
mod reply;
mod rung;
mod schema_subject;
mod splice;
mod subject;
mod traces;
mod words;

pub use ask::{Answered, Ask, AskError};
pub use budget::{Budget, LEAST_OUTPUT, Price, Retries, Spent, millionths};
pub use callbacks::Callbacks;
pub use clock::{Clock, SystemClock};
pub use drive::{Models, run};
pub use driven::Driven;
pub use failed::Failed;
pub(crate) use feedback::fenced;
pub use kind::{FailureKind, Family};
pub use ledger::{Attempt, Counted, FoundIn, Kept, Ledger};
pub use machine::{Asking, Loop, Next, Priced};
pub use options::{AskOptions, Content, Keep, OnExhausted, OnSameFindings, Validation};
pub use outcome::{Again, Finished, GaveUp, Outcome, Validity, Why};
pub use plan_subject::PlanSubject;
pub use planner::{Planned, Planner};
pub use preset::Preset;
pub use question::{Prompt, Task};
pub use rung::{Ladder, Rung};
pub use schema_subject::SchemaSubject;
pub use subject::{Ending, Judged, Part, Subject, Topic};
pub(crate) use words::PART_CUT;
