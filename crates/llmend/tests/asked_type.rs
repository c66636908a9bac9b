//! A model is asked for a type, by the type's own schema.

use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use llmend::asking::{Ask, AskOptions, Callbacks, Models, Planner, Preset, Retries, Validity};
use llmend::model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse};
use llmend::{Diagnostic, Severity};

/// A model that gives one answer after another, and notes what it was asked.
struct Scripted {
    answers: Mutex<Vec<&'static str>>,
    asked: Mutex<Vec<ChatRequest>>,
}

impl Scripted {
    fn new(answers: &[&'static str]) -> Self {
        let answers = answers.iter().rev().copied().collect();
        Self { answers: Mutex::new(answers), asked: Mutex::default() }
    }

    fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().expect("no panic").clone()
    }
}

impl ChatModel for Scripted {
    #[expect(clippy::unnecessary_literal_bound, reason = "the trait's own signature")]
    fn name(&self) -> &str {
        "scripted"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn call<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        self.asked.lock().expect("no panic").push(request.clone());
        let answer = self.answers.lock().expect("no panic").pop().expect("one more answer");
        Box::pin(async move { Ok(ChatResponse::of_text(answer)) })
    }
}

/// What a future gives that never waits, and that could be sent to another thread.
fn now<T>(future: impl Future<Output = T> + Send) -> T {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Trip {
    city: String,
    days: u8,
}

#[test]
fn a_type_is_asked_for_by_its_own_schema() {
    // S3-02, S3-61: any model, any type.
    let model = Scripted::new(&["{'City': 'Oslo', 'days': 'a few'}", "{'days': 3}"]);
    let ask = Ask::<Trip>::new().unwrap();
    let answered = now(ask.run(&model, "A trip.", &mut Callbacks::new())).unwrap();
    assert_eq!(answered.value, Trip { city: "Oslo".to_owned(), days: 3 });
    assert_eq!((answered.validity, answered.ledger.attempts.len()), (Validity::Valid, 2));
    let asked = model.asked();
    let shape = asked[0].output.shape().expect("a schema");
    assert!(shape.name == "Trip" && shape.schema.contains("\"days\""), "{shape:?}");
    // S1-19…S1-27: the rules of JSON come first, for every provider.
    for rule in [
        "JSON API",
        "No Markdown",
        "no code fences",
        "Write nothing before it and nothing after it",
        "plain text",
        "a step of its own",
        "Begin with { and end with }",
    ] {
        assert!(asked[0].messages[0].content.contains(rule), "{rule}");
    }
}

#[test]
fn what_the_caller_looks_at_goes_back_like_any_other_finding() {
    let model = Scripted::new(&[r#"{"city": "Oslo", "days": 200}"#, r#"{"days": 3}"#]);
    let ask = Ask::<Trip>::new().unwrap().checked(|trip| {
        let row = Diagnostic::new("trip/long", Severity::Error, "nobody has so many days");
        if trip.days > 30 { vec![row.on("/days")] } else { Vec::new() }
    });
    let answered = now(ask.run(&model, "A trip.", &mut Callbacks::new())).unwrap();
    assert_eq!(answered.value.days, 3);
    assert!(model.asked()[1].messages[1].content.contains("nobody has so many days"));
}

#[test]
fn what_is_not_checked_is_still_no_other_type() {
    let model = Scripted::new(&[r#"{"city": "Oslo", "days": "a few"}"#]);
    let options = AskOptions::preset(Preset::ClickweaveAssistant(0));
    let ask = Ask::<Trip>::new().unwrap().options(options);
    let error = now(ask.run(&model, "A trip.", &mut Callbacks::new())).unwrap_err();
    assert_eq!((error.code(), error.ledger().attempts.len()), ("value/shape", 1));
}

#[test]
fn another_model_is_asked_by_the_driver_too() {
    let (small, large) =
        (Scripted::new(&["no", "no JSON"]), Scripted::new(&[r#"{"city": "Oslo", "days": 3}"#]));
    let mut options = AskOptions { retries: Retries::of(2), ..AskOptions::default() };
    options.ladder = llmend::asking::Ladder::of([
        llmend::asking::Strategy::Full,
        llmend::asking::Strategy::Escalate,
    ]);
    let ask = Ask::<Trip>::new().unwrap().options(options);
    let models = Models::of(&small).then(&large);
    let answered = now(ask.run(models, "A trip.", &mut Callbacks::new())).unwrap();
    assert_eq!((answered.value.days, small.asked().len(), large.asked().len()), (3, 2, 1));
}

#[test]
fn a_planner_shows_the_tools_and_the_form() {
    let catalog = serde_json::json!([{"name": "kettle", "inputSchema": {"type": "object"}}]);
    let catalog = llmend::plan::Catalog::read(&catalog).unwrap();
    let model = Scripted::new(&["Tea!", r#"{"steps": [{"id": "a", "tool": "kettle"}]}"#]);
    let before = llmend::metrics::snapshot()["planning.retry"];
    let planner = Planner::new().catalog(catalog).dialect(llmend::Dialect::Canonical);
    let planned = now(planner.run(&model, "Tea, please.", &mut Callbacks::new())).unwrap();
    assert_eq!(planned.document().what(), "a plan");
    let [system, user] = model.asked()[0].messages.clone().try_into().expect("two messages");
    assert!(system.content.contains("\"kettle\"") && system.content.contains("\"depends_on\""));
    assert_eq!(user.content, "Tea, please.");
    // S0-32: a retry is counted.
    assert_eq!(llmend::metrics::snapshot()["planning.retry"], before + 1);
}
