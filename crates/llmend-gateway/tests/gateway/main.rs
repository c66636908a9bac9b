//! The gateway at its socket, in front of an upstream that does what a script says.

mod contract;
mod faults;
mod journal;
mod limits;
mod messages;
mod own;
mod passing;
mod reask;
mod recording;
mod repair;
mod responses;
mod rig;
mod security;
mod shutdown;
