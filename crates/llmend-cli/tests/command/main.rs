//! The command as a process: what it reads, writes and says, and how it ends.

mod answers;
mod batch;
mod checks;
mod coercions;
mod corpus;
mod explain;
mod help;
mod input;
mod plan;
mod process;
mod readme;
mod repair;
mod rules;
mod schema;
mod serve;
mod stream;
mod terminal;
mod validate;
mod workflow;
