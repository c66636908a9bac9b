//! Endpoints of the gateway, one per file.

pub(crate) mod calls;
pub(crate) mod chat;
pub(crate) mod exchange;
pub(crate) mod exchanges;
pub(crate) mod health;
pub(crate) mod messages;
pub(crate) mod models;
pub(crate) mod openapi;
pub(crate) mod own;
pub(crate) mod page;
pub(crate) mod passthrough;
pub(crate) mod plan;
pub(crate) mod repair;
pub(crate) mod responses;
pub(crate) mod rules;
pub(crate) mod stream;
pub(crate) mod workflow_check;
pub(crate) mod workflow_patch;
