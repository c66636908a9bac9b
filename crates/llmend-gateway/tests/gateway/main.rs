//! The gateway at its socket, in front of an upstream that does what a script says.

mod assembled;
mod calls;
mod choices;
mod contract;
mod documented;
mod envelopes;
mod fault_table;
mod faults;
mod functions;
mod journal;
mod leaving;
mod limits;
mod messages;
mod models;
mod own;
mod page;
mod passing;
mod reask;
mod recording;
mod repair;
mod responses;
mod rig;
mod security;
mod shutdown;
