//! The loop that asks a model until its answer is usable, with few and small requests.
//!
//! An attempt is a call and everything that can be done with its answer without another call:
//! extract, repair, coerce, read, infer, check. Its result is a value, another request, or the end:
//!
//! ```text
//! attempt: call → extract → repair → coerce → read → infer → check → outcome
//! outcome: Done(value) | AskAgain(what was wrong) | GiveUp(why)
//! ```
//!
//! [`Ask`] asks for a value of a given schema, [`Planner`] for a plan or a workflow. Both drive a
//! [`Loop`], which has no model, clock or runtime: requests come out, answers go in.
//!
//! | to set | use |
//! |---|---|
//! | retries, strategies and budgets | [`AskOptions`], or the limits of other systems: [`Preset`] |
//! | models | [`Models`] |
//! | observers | [`Callbacks`] |
//! | a caller that sends the requests itself | [`ManualLoop`] |
//! | another kind of thing to ask for | [`Subject`] |

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
