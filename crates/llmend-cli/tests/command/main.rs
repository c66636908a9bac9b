//! The command as a process: what it reads, writes and says, and how it ends.

mod answers;
mod batch;
mod corpus;
mod explain;
mod help;
mod input;
mod plan;
mod process;
mod readme;
mod repair;
mod rules;
mod stream;
mod terminal;
