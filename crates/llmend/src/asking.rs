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

mod agreement;
mod ask;
mod budget;
mod callbacks;
mod clip;
mod clock;
mod drive;
mod failed_answer;
mod feedback;
mod kind;
mod known_models;
mod ledger;
mod machine;
mod manual_loop;
mod merge;
mod messages;
mod options;
mod outcome;
mod parts;
mod plan_parts;
mod plan_subject;
mod planner;
mod preset;

mod received_answer;
mod retry;
mod samples;
mod schema_subject;
mod splice;
mod strategy;
mod subject;
mod task;
mod traces;

pub use ask::{Ask, AskError, ValueAnswer};
pub use budget::{
    ANSWER_TOKENS, Budget, ExhaustedBudget, LEAST_OUTPUT, Price, Retries, millionths,
};
pub use callbacks::{Callbacks, Sample};
pub use clock::{Clock, SystemClock};
pub use drive::{Models, run};
pub use failed_answer::FailedAnswer;
pub(crate) use feedback::fenced;
pub use kind::{FailureKind, Family};
pub use known_models::{KNOWN_MODELS, KNOWN_MODELS_DATE, KnownModel};
pub use ledger::{Attempt, FindingSource, KeptAnswer, Ledger, without_keys};
pub use machine::{AttemptRequest, Loop, Next, PricedModel};
pub use manual_loop::ManualLoop;
pub(crate) use messages::PART_CUT;
pub use options::{
    AskOptions, Content, FurtherModel, Keep, OnExhausted, OnSameFindings, Validation,
};
pub use outcome::{AttemptOutcome, FinalAnswer, GiveUpReason, LoopError, RetryNotice, Validity};
pub use plan_subject::PlanSubject;
pub use planner::{PlanAnswer, Planner};
pub use preset::Preset;
pub use schema_subject::SchemaSubject;
pub use strategy::{Ladder, Strategy};
pub use subject::{Ending, Evaluation, PartSchema, Subject, Topic};
pub use task::{Prompt, Task};
