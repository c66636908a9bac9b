//! What a client assembles from a stream equals the whole answer.
//!
//! The same answer of a model is sent whole and as a stream, through gateways of the same settings. Both
//! results have to agree, whatever the form and the faults of the answer. A valid answer has to arrive as the
//! upstream sent it, byte for byte.

mod both_ways;
mod chat;
mod dice;
mod messages;
mod responses;
