//! What a client assembles from a stream equals the whole answer.
//!
//! The same answer of a model is sent whole and as a stream, through gateways of the same settings. What comes
//! of the two has to agree, whatever was wrong with the answer and in whatever shape it is told; and where
//! nothing was wrong, each of them has to be what the upstream sent, byte for byte.

mod both_ways;
mod chat;
mod dice;
mod messages;
mod responses;
