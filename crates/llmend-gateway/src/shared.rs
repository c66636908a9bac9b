//! The state that all requests share.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::{SystemTime, UNIX_EPOCH};

use llmend::config::RepairMode;
use llmend_models::{HttpOptions, http_client};
use reqwest::Client;
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::{Semaphore, watch};

use crate::answer::expectation::Schemas;
use crate::calls::offered::OfferedTools;
use crate::config::{Deployment, Policy, Settings, UpstreamSettings, When};
use crate::error::Failure;
use crate::metrics::Metrics;
use crate::recording::Recorder;

pub(crate) mod work;

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) schemas: Schemas,
    pub(crate) offered: OfferedTools,
    pub(crate) metrics: Metrics,
    pub(crate) recorder: Recorder,
    /// One for each upstream, in the same order.
    clients: Vec<Client>,
    /// Permits of concurrent requests.
    pub(crate) room: Arc<Semaphore>,
    /// Permits of large responses that are worked on concurrently.
    pub(crate) workers: Arc<Semaphore>,
    pub(crate) stage: watch::Receiver<Stage>,
    /// Distinguishes the ids of this process from those of others.
    seed: u64,
    next_id: AtomicU64,
}

/// The stages of a shutdown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    #[default]
    Running,
    /// No more requests should come. Running ones go on.
    Draining,
    /// Running requests are ended.
    Ending,
}

/// An upstream and how it is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'s> {
    pub(crate) upstream: &'s UpstreamSettings,
    pub(crate) client: &'s Client,
    pub(crate) policy: Policy,
}

impl Shared {
    pub(crate) fn new(settings: Settings, stage: watch::Receiver<Stage>) -> Result<Self, String> {
        let mut options = HttpOptions::default();
        options.connect_timeout = settings.timers.connect();
        // The gateway has timers of its own for each stage of a response.
        options.idle_timeout = settings.timers.total();
        let clients: Result<Vec<_>, _> = settings
            .upstreams
            .iter()
            .map(|upstream| http_client(&upstream.base_url, &options))
            .collect();
        let mut seed = [0; 8];
        SystemRandom::new()
            .fill(&mut seed)
            .map_err(|_| "cannot get random bytes from the system".to_owned())?;
        Ok(Self {
            schemas: Schemas::default(),
            offered: OfferedTools::default(),
            metrics: Metrics::new().map_err(|error| error.to_string())?,
            recorder: Recorder::new(&settings.recording)?,
            clients: clients?,
            room: Arc::new(Semaphore::new(settings.limits.in_flight.min(Semaphore::MAX_PERMITS))),
            workers: Arc::new(Semaphore::new(available_parallelism().map_or(1, NonZero::get))),
            stage,
            seed: u64::from_le_bytes(seed),
            next_id: AtomicU64::new(0),
            settings,
        })
    }

    /// Returns the upstream of a model.
    pub(crate) fn target(&self, model: &str) -> Result<Target<'_>, Failure> {
        self.found(self.settings.route(model), model)
    }

    /// Returns the upstream of a request, by its path or by its model.
    pub(crate) fn target_of(
        &self,
        deployment: Option<&Deployment>,
        model: &str,
    ) -> Result<Target<'_>, Failure> {
        match deployment {
            Some(deployment) => self.found(self.settings.route_at(deployment.route), model),
            None => self.target(model),
        }
    }

    fn found<'s>(
        &'s self,
        route: Option<(&'s UpstreamSettings, usize, Policy)>,
        model: &str,
    ) -> Result<Target<'s>, Failure> {
        let found = route.and_then(|(upstream, index, policy)| {
            let client = self.clients.get(index)?;
            Some(Target { upstream, client, policy: self.allowed(policy) })
        });
        found.ok_or_else(|| {
            let message = format!("no route for model `{model}`");
            Failure::new(404, "invalid_request_error", "model_not_found", message).about("model")
        })
    }

    /// Returns every upstream.
    pub(crate) fn targets(&self) -> impl Iterator<Item = Target<'_>> {
        self.settings.upstreams.iter().zip(&self.clients).map(|(upstream, client)| Target {
            upstream,
            client,
            policy: self.allowed(self.settings.policy),
        })
    }

    fn allowed(&self, policy: Policy) -> Policy {
        match self.settings.repairing {
            RepairMode::On => policy,
            RepairMode::Off => Policy { repair: When::Never, ..policy },
        }
    }

    /// Returns the settings of the endpoints that read texts.
    pub(crate) fn for_texts(&self) -> llmend_endpoints::Settings {
        let limits = self.settings.limits;
        llmend_endpoints::Settings {
            repairing: self.settings.repairing,
            max_depth: limits.depth,
            max_bytes: limits.body_bytes,
            max_work: limits.repair_work,
            max_work_in_all: limits.repair_work_in_all,
        }
    }

    /// Returns an id that no other request has, here or elsewhere.
    pub(crate) fn new_id(&self) -> String {
        let number = self.next_id.fetch_add(1, Ordering::Relaxed);
        format!("llmend-{:016x}-{number:x}", self.seed)
    }
}

/// Returns the seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
