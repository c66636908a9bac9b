//! The loop over real HTTP: the scenarios of the systems whose users move over, seen at the server.

mod rig;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use llmend::asking::{
    Ask, AskError, AskOptions, Callbacks, Clock, FailureKind, GiveUpReason, LoopError, PlanAnswer,
    Planner, Preset, Retries, Validity,
};
use llmend::plan::{Dialect, Document, Gaps};
use llmend_model::{ChatErrorKind, ChatEvent};
use llmend_model_server::{Answer, Form, ModelServer, Reply, Turn};
use rig::{FORMS, model, server};

const OBJECTIVE: &str = "Find a hotel in Oslo, and book it.";

/// A plan of `GoMind`.
const ROUTING: &str = r#"{"plan_id": "plan-7", "original_request": "hotel", "mode": "autonomous", "steps": [{"step_id": "step-1", "agent_name": "hotels", "namespace": "default", "instruction": "find one"}]}"#;

fn texts(texts: &[&str]) -> ModelServer {
    server(texts.iter().map(|text| Answer::text(text).into()))
}

fn always(text: &'static str) -> ModelServer {
    ModelServer::answering(move |_| Answer::text(text).into())
}

async fn plan(
    server: &ModelServer,
    planner: Planner,
    options: AskOptions,
) -> Result<PlanAnswer, Box<LoopError>> {
    let model = model(server, Form::OpenAi);
    planner.options(options).run(&model, OBJECTIVE, &mut Callbacks::new()).await
}

fn preset(name: &str) -> AskOptions {
    AskOptions::preset(name.parse().expect("a preset"))
}

/// What the user's last message of each request says.
fn prompts(server: &ModelServer) -> Vec<String> {
    let last = |seen: &llmend_model_server::Seen| {
        let json = seen.json();
        let messages = json["messages"].as_array().expect("messages").clone();
        messages.last().expect("a message")["content"].as_str().expect("a text").to_owned()
    };
    server.requests().iter().map(last).collect()
}

#[tokio::test]
async fn a_bad_answer_is_followed_by_a_good_one() {
    // S1-01, S1-34, S2-35, S3-06, S3-57: called again with what was wrong, and the answer is read again.
    let rows = [
        (
            "gomind",
            Dialect::GoMind,
            r#"{"plan_id": "plan-7", "steps": [{"cost": 100 * 3}]}"#,
            ROUTING,
        ),
        (
            "clickweave-planner",
            Dialect::ClickweaveSteps,
            r#"Here is the plan: {"steps": [{"step_type": "Tool", "tool_name": click 5 + "#,
            r#"{"steps": [{"step_type": "Tool", "tool_name": "click", "arguments": {}}]}"#,
        ),
        (
            "clickweave-planner",
            Dialect::Auto,
            r#"{"steps": []}"#,
            r#"{"steps": [{"id": "a", "tool": "x"}]}"#,
        ),
        (
            "anton",
            Dialect::Auto,
            "I cannot write JSON.",
            r#"{"steps": [{"id": "a", "tool": "x"}]}"#,
        ),
        ("standard", Dialect::Auto, "not json at all", r#"{"steps": [{"id": "a", "tool": "x"}]}"#),
    ];
    for (name, dialect, bad, good) in rows {
        let server = texts(&[bad, good]);
        let planned = plan(&server, Planner::new().dialect(dialect), preset(name)).await.unwrap();
        assert_eq!((server.requests().len(), planned.answer.as_str()), (2, good), "{name}");
        assert_eq!(planned.validity, Validity::Valid);
        // Each retry preserves the task: S2-25.
        for prompt in prompts(&server) {
            assert!(prompt.contains(OBJECTIVE), "{name}: {prompt}");
        }
        let Document::Plan(plan) = planned.document() else { continue };
        assert_eq!(plan.steps.len(), 1, "{name}");
    }
}

#[tokio::test]
async fn always_bad_comes_to_the_original_number_of_calls() {
    // S1-30, S1-34: GoMind 3. S3-07: Clickweave's planner 2. S2-13, S2-36: anton 3. S0-38: none.
    let rows = [("gomind", 3), ("clickweave-planner", 2), ("anton", 3), ("openmanus", 1)];
    for (name, calls) in rows {
        let server = always("not json at all");
        let gave_up = plan(&server, Planner::new(), preset(name)).await.unwrap_err();
        assert_eq!((server.requests().len(), gave_up.code()), (calls, "ask/retries"), "{name}");
        assert_eq!(gave_up.ledger.attempts.len(), calls);
        let count = if calls == 1 { "1 attempt".to_owned() } else { format!("{calls} attempts") };
        let text = gave_up.to_string();
        assert!(text.contains(&count) && text.contains("openai:m"), "{name}: {text}");
        assert!(text.contains("no JSON value found"), "{name}: {text}");
    }
}

#[tokio::test]
async fn with_retries_switched_off_the_error_comes_at_once() {
    // S1-29, S1-33, S1-34: disabled, one call.
    let options = AskOptions { retries: Retries::of(0), ..preset("gomind") };
    let server = always("not json at all");
    let gave_up = plan(&server, Planner::new(), options).await.unwrap_err();
    assert_eq!((server.requests().len(), gave_up.failure()), (1, Some(FailureKind::NoJson)));
}

#[tokio::test]
async fn the_retry_of_gomind_quotes_the_error_and_lists_the_mistakes() {
    // S1-35…S1-37, and the limits of the original's requests.
    let server = texts(&[r#"{"plan_id": "p", "steps": [{"cost": 100 * 3}]}"#, ROUTING]);
    let planned = plan(&server, Planner::new().dialect(Dialect::GoMind), preset("gomind")).await;
    assert!(planned.is_ok());
    let prompts = prompts(&server);
    for part in [
        "its JSON cannot be read",
        "syntax/expression",
        "arithmetic",
        "trailing commas",
        "Markdown",
        "comments",
    ] {
        assert!(prompts[1].contains(part), "{part}: {}", prompts[1]);
    }
    let body = server.requests()[0].json();
    assert_eq!(body["temperature"], 0.3);
    assert!(body["max_tokens"] == 2000 || body["max_completion_tokens"] == 2000, "{body}");
}

/// A workflow that has an If with two branches, which a patch is to change.
fn two_branches() -> Document {
    let answer = r#"{"nodes": [
        {"id": "n1", "type": "if", "condition": {"left": {"type": "literal", "value": true}, "operator": "equals", "right": {"type": "literal", "value": true}}},
        {"id": "n2", "type": "tool", "tool": "click"}, {"id": "n3", "type": "tool", "tool": "type"}
    ], "edges": [{"from": "n1", "to": "n2", "output": "if_true"}, {"from": "n1", "to": "n3", "output": "if_false"}]}"#;
    llmend::review_plan(answer).expect("a workflow").reviewed.value
}

/// A patch that takes one branch away, and one that puts another in its place.
const ONE_BRANCH: &str = r#"{"remove_nodes": ["n3"]}"#;
const BOTH_BRANCHES: &str = r#"{"remove_nodes": ["n3"], "add_nodes": [{"id": "n4", "type": "tool", "tool": "scroll"}], "add_edges": [{"from": "n1", "to": "n4", "output": "if_false"}]}"#;

fn errors_of(planned: &PlanAnswer) -> Vec<&str> {
    let rows = planned.review.reviewed.diagnostics.iter();
    rows.filter(|row| row.severity == llmend::Severity::Error).map(|row| &*row.code).collect()
}

#[tokio::test]
async fn a_one_branch_if_is_patched_right_on_the_second_call() {
    // S3-16, S3-21, S3-58: what the patch makes is invalid, is told, and the next patch is right.
    let server = texts(&[ONE_BRANCH, BOTH_BRANCHES]);
    let planner = Planner::changing(two_branches(), Gaps::Leave);
    let planned = plan(&server, planner, preset("clickweave-assistant")).await.unwrap();
    assert_eq!((server.requests().len(), planned.answer.as_str()), (2, BOTH_BRANCHES));
    // S3-24: the feedback names the error and asks for a valid result.
    assert!(prompts(&server)[1].contains("[workflow/missing-branch]"), "{}", prompts(&server)[1]);
    let before: Vec<_> = errors_of(&planned);
    assert!(!before.contains(&"workflow/missing-branch"), "{before:?}");
}

#[tokio::test]
async fn an_exhausted_assistant_hands_the_last_patch_back_as_invalid() {
    // S3-13, S3-17…S3-22: 0 and 1 call once, N calls N times; only 0 does not look.
    for (attempts, calls) in [(0, 1), (1, 1), (2, 2), (3, 3), (6, 6)] {
        let server = always(ONE_BRANCH);
        let planner = Planner::changing(two_branches(), Gaps::Leave);
        let options = AskOptions::preset(Preset::ClickweaveAssistant(attempts));
        let planned = plan(&server, planner, options).await.unwrap();
        assert_eq!(server.requests().len(), calls, "{attempts}");
        let expected = if attempts == 0 { Validity::Unchecked } else { Validity::Invalid };
        assert_eq!((planned.validity, planned.answer.as_str()), (expected, ONE_BRANCH));
        assert!(errors_of(&planned).contains(&"workflow/missing-branch"));
    }
    // A good one is called for once, whatever is allowed.
    let server = texts(&[BOTH_BRANCHES]);
    let planner = Planner::changing(two_branches(), Gaps::Leave);
    let planned = plan(&server, planner, preset("clickweave-assistant")).await.unwrap();
    assert_eq!((server.requests().len(), planned.validity), (1, Validity::Valid));
}

#[tokio::test]
async fn errors_of_the_connection_are_no_retries() {
    // S3-02, S2-32: three answers are read, although the server was asked six times.
    let good = r#"{"steps": [{"id": "a", "tool": "x"}]}"#;
    let turns: [Turn; 6] = [
        Reply::status(503).into(),
        Answer::text("bad").into(),
        Reply::status(429).into(),
        Reply::cut().into(),
        Answer::text("worse").into(),
        Answer::text(good).into(),
    ];
    let server = server(turns);
    let planned = plan(&server, Planner::new(), preset("anton")).await.unwrap();
    let ledger = &planned.ledger;
    assert_eq!((server.requests().len(), ledger.attempts.len()), (6, 3));
    assert_eq!(ledger.transport_retries, 3);
    let retries: Vec<_> = ledger.attempts.iter().map(|row| row.transport_retries).collect();
    assert_eq!(retries, [1, 2, 0]);
    assert_eq!(ledger.usage.input, 33, "as the server tells it");

    // A server that stays away is an error of its own kind, and no retry is spent on it.
    let server = ModelServer::answering(|_| Form::OpenAi.error(503, "overloaded").into());
    let gave_up = plan(&server, Planner::new(), preset("anton")).await.unwrap_err();
    let GiveUpReason::Transport(error) = &gave_up.why else { panic!("{gave_up}") };
    assert_eq!((error.kind, gave_up.ledger.attempts.len()), (ChatErrorKind::Server, 1));
    assert_eq!(gave_up.failure(), Some(FailureKind::Transport));
}

#[tokio::test]
async fn every_provider_is_asked_again_with_tools_and_without() {
    // S1-28, S2-23, S2-24, S2-29: whoever's server it is, in whichever way the answer comes.
    let schema = r#"{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city", "days"]}"#;
    for (form, ..) in FORMS {
        let rows: [[Turn; 2]; 2] = [
            [
                Answer::text("Oslo, I think.").into(),
                Answer::text(r#"{"city": "Oslo", "days": 3}"#).into(),
            ],
            [
                Answer::call("answer", r#"{"city": "Oslo", "days": "a few"}"#).into(),
                Answer::call("corrections", r#"{"days": 3}"#).into(),
            ],
        ];
        for turns in rows {
            let server = server(turns);
            let ask = Ask::of_text(schema).unwrap();
            let answered =
                ask.run(&model(&server, form), "How long?", &mut Callbacks::new()).await.unwrap();
            assert_eq!(answered.value.to_string(), r#"{"city":"Oslo","days":3}"#, "{form:?}");
            assert_eq!((server.requests().len(), server.turns_left()), (2, 0));
        }
    }
}

#[tokio::test]
async fn callbacks_are_called_in_order() {
    // S2-26: each retry with its number and how many there are.
    let server = texts(&["bad", "worse", "worst"]);
    let told = Mutex::new(Vec::new());
    let note = |line: String| told.lock().unwrap().push(line);
    let mut pieces = String::new();
    {
        let mut callbacks = Callbacks::new()
            .on_attempt(|asking| {
                note(format!("ask {} of {} last {}", asking.number, asking.of, asking.is_last));
            })
            .on_repair(|again| {
                note(format!("repair {} of {} {}", again.retry, again.of, again.failure.as_str()));
            })
            .on_give_up(|gave_up| note(gave_up.code().to_owned()))
            .on_event(|event| {
                if let ChatEvent::Text { text } = event {
                    pieces.push_str(&text);
                }
            });
        let model = model(&server, Form::OpenAi);
        let planner = Planner::new().options(preset("anton"));
        assert!(planner.run(&model, OBJECTIVE, &mut callbacks).await.is_err());
    }
    assert_eq!(
        *told.lock().unwrap(),
        [
            "ask 1 of 3 last false",
            "repair 1 of 2 no-json",
            "ask 2 of 3 last false",
            "repair 2 of 2 no-json",
            "ask 3 of 3 last true",
            "ask/retries",
        ]
    );
    // Who listens to pieces gets a stream.
    assert_eq!(pieces, "badworseworst");
    assert!(server.requests().iter().all(llmend_model_server::Seen::asks_for_stream));
}

#[tokio::test]
async fn dropping_the_future_closes_the_connection() {
    let server = server([Answer::text("bad").into(), Reply::hang().into()]);
    let model = model(&server, Form::OpenAi);
    let planner = Planner::new();
    let mut callbacks = Callbacks::new();
    {
        let asked = planner.run(&model, OBJECTIVE, &mut callbacks);
        tokio::select! {
            _ = asked => panic!("the server does not answer"),
            () = server.arrived(2) => {}
        }
    }
    server.left(1).await;
    assert_eq!(server.requests().len(), 2);
}

/// The clock of the runtime, which a test can hold.
struct Held(tokio::time::Instant);

impl Clock for Held {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_starts_after_the_end_of_the_time() {
    let server = ModelServer::answering(|_| Reply::hang().into());
    let mut options = preset("anton");
    options.budget.time = Some(Duration::from_secs(20));
    options.budget.transport_retries = 5;
    let planner = Planner::new().clock(Arc::new(Held(tokio::time::Instant::now())));
    let gave_up = plan(&server, planner, options).await.unwrap_err();
    // The one request was told to take no longer than what is left, and no other one was made.
    assert_eq!(gave_up.code(), "ask/time");
    assert_eq!(gave_up.ledger.attempts.len(), 1);
    assert_eq!(gave_up.ledger.attempts[0].failure, Some(FailureKind::Transport));
    assert!(gave_up.ledger.took >= Duration::from_secs(20));
}

#[tokio::test]
async fn a_planted_key_is_in_no_error_and_in_no_ledger() {
    const PLANTED: &str = "planted/key+that-nobody-may-see";
    for (form, ..) in FORMS {
        let server = server([
            Answer::text("bad").into(),
            form.error(401, &format!("the key {PLANTED} is wrong")).into(),
        ]);
        let options = rig::Waits::default().options();
        let model = rig::model_with(&server, form, Some(PLANTED), options);
        let ask = Ask::of_text(r#"{"type": "object"}"#).unwrap();
        let shown = format!("{ask:?} {:?}", llmend::asking::Models::of(&model));
        let mut callbacks = Callbacks::new();
        let error = ask.run(&model, "How long?", &mut callbacks).await.unwrap_err();
        let AskError::GaveUp(gave_up) = &error else { panic!("{error}") };
        assert!(
            matches!(&gave_up.why, GiveUpReason::Transport(error) if error.kind == ChatErrorKind::Authentication)
        );
        let ledger = serde_json::to_string(&gave_up.ledger).unwrap();
        let seen = format!("{shown} {error} {error:?} {error:#?} {ledger} {callbacks:?}");
        assert!(ledger.contains("[REDACTED]"), "{form:?}: {ledger}");
        assert!(!seen.contains(PLANTED) && !seen.contains("nobody-may-see"), "{form:?}");
        assert!(server.requests()[1].headers.iter().any(|(_, value)| value.ends_with(PLANTED)));
    }
}

#[tokio::test]
async fn what_was_counted_is_never_worth_an_answer() {
    let answer = r#"{"steps": [{"id": "a", "tool": "x"}]}"#;
    let rows = [
        (r#"{"prompt_tokens": 5, "completion_tokens": 3}"#, Some((5, 3, false))),
        (r#"{"prompt_tokens": 5.0, "completion_tokens": "3"}"#, Some((5, 3, false))),
        (r#"{"prompt_tokens": 5, "completion_tokens": -3}"#, Some((5, 10, true))),
        (r#"{"prompt_tokens": 1e30, "completion_tokens": 18446744073709551616}"#, None),
        (r#"{"prompt_tokens": {"all": 5}, "prompt_tokens_details": 7}"#, None),
        (r#""many""#, None),
        ("[]", None),
        ("{}", None),
        ("null", None),
    ];
    for (usage, expected) in rows {
        let body = format!(
            r#"{{"error": "", "choices": [{{"index": "0", "message": {{"content": {}}}, "finish_reason": "stop"}}], "usage": {usage}}}"#,
            serde_json::Value::from(answer)
        );
        let server = server([Reply::json(200, body).into()]);
        let planned = plan(&server, Planner::new(), preset("standard")).await.unwrap();
        assert_eq!((server.requests().len(), planned.answer.as_str()), (1, answer), "{usage}");
        let found = planned.ledger.usage;
        match expected {
            Some(expected) => {
                assert_eq!((found.input, found.output, found.estimated), expected, "{usage}");
            }
            None => assert!(found.estimated, "{usage}: {found:?}"),
        }
    }
}

const TRIP: &str = r#"{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}}, "required": ["city", "days"]}"#;

async fn sampled(
    server: &ModelServer,
    samples: u32,
    options: AskOptions,
) -> Result<llmend::asking::ValueAnswer<llmend::Value<'static>>, AskError> {
    let model = model(server, Form::OpenAi);
    let ask = Ask::of_text(TRIP).expect("a schema").options(options);
    let samples = samples.try_into().expect("some");
    ask.run_samples(&model, "A trip?", samples, &mut Callbacks::new()).await
}

#[tokio::test]
async fn what_most_samples_agree_on_is_taken_field_by_field() {
    let server = texts(&[
        r#"{"city": "Oslo", "days": 3}"#,
        r#"{"city": "Bergen", "days": 2}"#,
        r#"{"city": "Oslo", "days": "2"}"#,
    ]);
    let answered = sampled(&server, 3, AskOptions::default()).await.unwrap();
    assert_eq!(answered.value.to_string(), r#"{"city":"Oslo","days":2}"#);
    assert_eq!(answered.validity, Validity::Valid);
    let rows: Vec<_> =
        answered.findings.iter().filter(|row| row.code == "ask/disagreement").collect();
    let places: Vec<_> = rows.iter().filter_map(|row| row.path.as_deref()).collect();
    assert_eq!(places, ["/city", "/days"]);
    assert_eq!(rows[0].message, r#"answers differ: "Oslo" (2 of 3), "Bergen" (1 of 3)"#);
    // All that was asked is in the ledger.
    assert_eq!((answered.ledger.attempts.len(), answered.ledger.usage.input), (3, 33));

    // A question without a usable answer does not count, and that is said.
    let server = texts(&["no", r#"{"city": "Oslo", "days": 3}"#, r#"{"city": "Oslo", "days": 3}"#]);
    let options = AskOptions { retries: Retries::of(0), ..AskOptions::default() };
    let answered = sampled(&server, 3, options.clone()).await.unwrap();
    assert_eq!(answered.value.to_string(), r#"{"city":"Oslo","days":3}"#);
    assert!(answered.findings.iter().any(|row| row.message == "2 of 3 answers can be used"));
    // None at all is the failure of the first.
    let server = always("no");
    let Err(AskError::GaveUp(end)) = sampled(&server, 3, options).await else { panic!("a value") };
    assert_eq!((end.ledger.attempts.len(), server.requests().len()), (3, 3));
}

#[tokio::test]
async fn samples_share_one_budget_and_end_with_the_server() {
    let server = always(r#"{"city": "Oslo", "days": 3}"#);
    let mut options = AskOptions::default();
    // The scripted server counts 18 tokens for each answer; the estimate of a question is more.
    options.budget.tokens = Some(700);
    let answered = sampled(&server, 50, options).await.unwrap();
    let count = server.requests().len();
    assert!((2..50).contains(&count), "{count}");
    let usage = answered.ledger.usage;
    assert!(usage.input + usage.output <= 700);
    let server = ModelServer::answering(|_| Form::OpenAi.error(401, "no").into());
    assert!(sampled(&server, 5, AskOptions::default()).await.is_err());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn parts_that_do_not_fit_together_are_not_put_together() {
    // Each field has a majority of its own, and all of them together break the schema.
    let schema = r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "not": {"properties": {"a": {"const": 1}, "b": {"const": 1}}, "required": ["a", "b"]}}"#;
    let server = texts(&[
        r#"{"a": 1, "b": 2}"#,
        r#"{"a": 1, "b": 3}"#,
        r#"{"a": 1, "b": 4}"#,
        r#"{"a": 2, "b": 1}"#,
        r#"{"a": 3, "b": 1}"#,
        r#"{"a": 3, "b": 1}"#,
    ]);
    let model = model(&server, Form::OpenAi);
    let ask = Ask::of_text(schema).expect("a schema");
    let samples = 6.try_into().expect("some");
    let answered = ask.run_samples(&model, "?", samples, &mut Callbacks::new()).await.unwrap();
    // `a` is 1 three times, and so is `b`; the whole answer that occurs twice is taken.
    assert_eq!(answered.value.to_string(), r#"{"a":3,"b":1}"#);
}
