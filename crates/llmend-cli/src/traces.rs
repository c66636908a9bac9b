//! Traces for an OpenTelemetry collector, by OTLP over HTTP.
//!
//! The standard variables say where they go: `OTEL_EXPORTER_OTLP_ENDPOINT` or
//! `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` starts the export, and `OTEL_EXPORTER_OTLP_HEADERS`,
//! `OTEL_EXPORTER_OTLP_PROTOCOL` (`http/protobuf` or `http/json`), `OTEL_EXPORTER_OTLP_TIMEOUT`,
//! `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` count as usual. `OTEL_SDK_DISABLED=true` and
//! `OTEL_TRACES_EXPORTER=none` stop it.

use std::{
    env,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use llmend_models::{Url, tls_config};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{SdkTracer, SdkTracerProvider, SpanData, SpanExporter as Export},
};
use reqwest::{blocking::Client, redirect};

use crate::output::eprint;

/// The name of the service, and of the instrumentation.
const NAME: &str = "llmend";

/// The export of traces, which is completed when this is dropped.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    failed: Failed,
}

/// Why spans could not be exported, the first time that it happened.
type Failed = Arc<Mutex<Option<String>>>;

/// An exporter that keeps its first error, which the SDK only logs.
#[derive(Debug)]
struct Exporter {
    inner: SpanExporter,
    failed: Failed,
}

impl Export for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let exported = self.inner.export(batch).await;
        if let Err(error) = &exported {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert_with(|| error.to_string());
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

impl Traces {
    /// Starts the export, if the environment names a collector. Warns if it cannot be used.
    pub(crate) fn start() -> Option<Self> {
        let endpoint = endpoint()?;
        let failed = Failed::default();
        match provider(&endpoint, &failed) {
            Ok(provider) => Some(Self { provider, failed }),
            Err(error) => {
                eprint(&format!("llmend: warning: traces are not exported: {error}"));
                None
            }
        }
    }

    /// Returns what records spans.
    pub(crate) fn tracer(&self) -> SdkTracer {
        self.provider.tracer(NAME)
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        let ended = self.provider.shutdown().map_err(|error| error.to_string());
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(error) = failed.or(ended.err()) {
            eprint(&format!("llmend: warning: traces were not exported: {error}"));
        }
    }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Returns the URL of the collector, unless the export is off.
fn endpoint() -> Option<String> {
    let is = |name, off: &str| variable(name).is_some_and(|value| value.eq_ignore_ascii_case(off));
    if is("OTEL_SDK_DISABLED", "true") || is("OTEL_TRACES_EXPORTER", "none") {
        return None;
    }
    variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        .or_else(|| variable("OTEL_EXPORTER_OTLP_ENDPOINT"))
}

fn provider(endpoint: &str, failed: &Failed) -> Result<SdkTracerProvider, String> {
    let url = Url::parse(endpoint).map_err(|error| format!("the URL {endpoint:?} {error}"))?;
    let client = Client::builder()
        .redirect(redirect::Policy::none())
        .tls_backend_preconfigured(tls_config(&url)?)
        .build()
        .map_err(|error| error.to_string())?;
    let protocol = variable("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
        .or_else(|| variable("OTEL_EXPORTER_OTLP_PROTOCOL"));
    let protocol = match protocol.as_deref() {
        None | Some("http/protobuf") => Protocol::HttpBinary,
        Some("http/json") => Protocol::HttpJson,
        Some(other) => {
            return Err(format!("expected the protocol http/protobuf or http/json, found {other}"));
        }
    };
    // The exporter reads the endpoint from the same variables, which differ in the path they mean.
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(client)
        .with_protocol(protocol)
        .build()
        .map_err(|error| error.to_string())?;
    let exporter = Exporter { inner: exporter, failed: Arc::clone(failed) };
    let mut resource = Resource::builder();
    if variable("OTEL_SERVICE_NAME").is_none() {
        resource = resource.with_service_name(NAME);
    }
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource.build())
        .build())
}
