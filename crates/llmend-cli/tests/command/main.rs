//! The command as a process: what it reads, writes and says, and how it ends.

mod answers;
#[cfg(target_os = "linux")]
mod approving;
mod asking;
mod assisting;
mod batch;
mod batch_asking;
mod book;
mod busy_batches;
mod calls;
mod checks;
mod coercions;
mod config;
mod corpus;
mod draw;
mod escalating;
mod explain;
mod faults;
mod help;
mod input;
mod models;
mod notations;
mod packaging;
mod plan;
mod process;
mod prompts;

mod repair;
mod report;
mod rules;
mod schema;
mod schemas_page;
mod serve;
mod stream;
mod table;
mod terminal;
mod validate;
mod workflow;
