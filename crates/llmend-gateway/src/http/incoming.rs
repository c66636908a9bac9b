//! How is a request read, where that may take long?
//!
//! What it says is read at once, and so is a small schema. A large request is read, and a large schema that
//! was not seen before is compiled, where nobody else waits.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use crate::endpoints::text;
use crate::error::Failure;
use crate::http::shared::Shared;
use crate::http::work;
use crate::protocol::Protocol;
use crate::protocol::request::{self, Bounds, Head, HeaderOptions, RepairRequest};
use crate::splice::without_mark;

/// A request, as it came.
#[derive(Clone)]
pub(crate) struct Incoming {
    pub(crate) shared: Arc<Shared>,
    pub(crate) protocol: Protocol,
    pub(crate) wishes: HeaderOptions,
    pub(crate) body: Bytes,
    pub(crate) room: Option<Arc<OwnedSemaphorePermit>>,
}

/// What is asked for, and the request as it goes on.
type Read = (RepairRequest, Bytes);

/// A request that was looked at, and may have been read.
pub(crate) struct Looked {
    pub(crate) head: Head,
    incoming: Incoming,
    /// How much there is to read. Nothing if it was read already.
    weight: usize,
    read: Option<Result<Read, Failure>>,
}

impl Incoming {
    /// What decides where the request goes.
    pub(crate) async fn look(self) -> Result<Looked, Failure> {
        let (shared, room) = (Arc::clone(&self.shared), self.room.clone());
        work::run(&shared, room, self.body.len(), move || self.look_now()).await?
    }

    fn look_now(self) -> Result<Looked, Failure> {
        let Self { shared, protocol, wishes, body, .. } = &self;
        let (text, _) = without_mark(text(body)?);
        let value = request::parse(text, &shared.settings.limits)?;
        let head = request::head(value.root())?;
        let schemas = request::new_schemas(*protocol, &value, wishes, &shared.schemas);
        let weight = work::weight(text.len(), schemas);
        // A large request is looked at where nobody waits already.
        let is_now = weight <= work::AT_ONCE || text.len() > work::AT_ONCE;
        let read = is_now.then(|| self.read(text, &value, &head));
        drop(value);
        Ok(Looked { head, incoming: self, weight, read })
    }

    fn read(
        &self,
        text: &str,
        value: &llmend::json::Value<'_>,
        head: &Head,
    ) -> Result<Read, Failure> {
        let Self { shared, protocol, wishes, body, .. } = self;
        let policy = shared.target(&head.model)?.policy;
        let limits = &shared.settings.limits;
        let bounds = Bounds { policy: &policy, limits, schemas: &shared.schemas };
        let (asked, on) = request::read(*protocol, text, value, wishes, bounds)?;
        let on = match on {
            Cow::Borrowed(_) => body.clone(),
            Cow::Owned(on) => Bytes::from(on),
        };
        Ok((asked, on))
    }
}

impl Looked {
    /// What is asked for, and the request as it goes on: without what is meant for the gateway.
    pub(crate) async fn read(self) -> Result<Read, Failure> {
        let Self { head, incoming, weight, read } = self;
        if let Some(read) = read {
            return read;
        }
        let (shared, room) = (Arc::clone(&incoming.shared), incoming.room.clone());
        let reading = move || {
            let (text, _) = without_mark(text(&incoming.body)?);
            let value = request::parse(text, &incoming.shared.settings.limits)?;
            incoming.read(text, &value, &head)
        };
        work::run(&shared, room, weight, reading).await?
    }
}
