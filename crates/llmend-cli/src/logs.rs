//! Logs on standard error.

use std::{env, io};

use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    Layer as _,
    filter::Targets,
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    layer::SubscriberExt as _,
    registry::LookupSpan,
    util::SubscriberInitExt as _,
};

use crate::output::eprint;
#[cfg(feature = "otlp")]
use crate::traces::Traces;

/// The target of messages about waits between calls, which are always shown.
const CALLS: &str = "llmend_models::call";
/// The prefix of llmend's targets.
const OWN: &str = "llmend";

/// Starts writing logs: those that `RUST_LOG` selects, llmend's own with `-v`, and otherwise only why and how
/// long llmend waits before it asks again. With the feature `otlp` and a collector in the environment, exports
/// llmend's spans, the last of them when the result is dropped.
pub(crate) fn start(is_verbose: bool) -> Logs {
    let wanted = env::var("RUST_LOG").ok().filter(|text| !text.trim().is_empty());
    let selected = wanted.and_then(|text| match text.parse::<Targets>() {
        Ok(targets) => Some(targets),
        Err(error) => {
            eprint(&format!("llmend: warning: RUST_LOG is not used: {error}"));
            None
        }
    });
    let verbose = is_verbose.then(|| Targets::new().with_target(OWN, Level::DEBUG));
    let layer = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false);
    let layer = if let Some(targets) = selected.or(verbose) {
        layer.with_filter(targets).boxed()
    } else {
        let targets = Targets::new().with_target(CALLS, Level::WARN);
        layer.event_format(Message).with_filter(targets).boxed()
    };
    #[cfg(feature = "otlp")]
    let traces = Traces::start();
    #[cfg(feature = "otlp")]
    // An absent layer, as an `Option`, would switch off the other one.
    let layer = match &traces {
        Some(traces) => {
            let own = Targets::new().with_target(OWN, Level::INFO);
            let spans = tracing_opentelemetry::layer().with_tracer(traces.tracer());
            layer.and_then(spans.with_filter(own)).boxed()
        }
        None => layer,
    };
    // A program that calls the library may have a subscriber of its own.
    let _ = tracing_subscriber::registry().with(layer).try_init();
    Logs {
        #[cfg(feature = "otlp")]
        _traces: traces,
    }
}

/// The logs of a run.
pub(crate) struct Logs {
    #[cfg(feature = "otlp")]
    _traces: Option<Traces>,
}

/// Writes the message alone.
struct Message;

impl<S, N> FormatEvent<S, N> for Message
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> std::fmt::Result {
        let mut message = MessageField(String::new());
        event.record(&mut message);
        writeln!(writer, "llmend: {}", message.0)
    }
}

/// The message of an event.
struct MessageField(String);

impl Visit for MessageField {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
