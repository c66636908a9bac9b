//! The loop, without a model: what is asked, what is made of the answers, and when it ends.

mod budgets;
mod economy;
mod feedback;
mod ladder;
mod manual_loop;
mod plans;
mod strategies;

use std::time::Duration;

use llmend::asking::{
    AskOptions, AttemptOutcome, AttemptRequest, FinalAnswer, Loop, LoopError, Next, PricedModel,
    SchemaSubject, Subject, Task,
};
use llmend::model::{ChatError, ChatResponse, Finish};

/// What became of a conversation whose answers are these, one second each.
struct Played<V> {
    asked: Vec<AttemptRequest>,
    end: Result<FinalAnswer<V>, LoopError>,
}

impl<V> Played<V> {
    /// What was said to the model in its last message, attempt by attempt.
    fn prompts(&self) -> Vec<&str> {
        self.asked.iter().map(last_message).collect()
    }

    fn strategies(&self) -> Vec<&str> {
        self.asked
            .iter()
            .map(|asking| asking.strategy.map_or("-", |strategy| strategy.as_str()))
            .collect()
    }

    fn done(&self) -> &FinalAnswer<V> {
        match &self.end {
            Ok(done) => done,
            Err(gave_up) => panic!("{gave_up}"),
        }
    }

    fn gave_up(&self) -> &LoopError {
        self.end.as_ref().err().expect("no value")
    }
}

fn last_message(asking: &AttemptRequest) -> &str {
    &asking.request.messages.last().expect("a message").content
}

type Reply = Result<ChatResponse, ChatError>;

fn play<S: Subject>(
    subject: &S,
    options: AskOptions,
    answer: impl FnMut(&AttemptRequest) -> Reply,
) -> Played<S::Value> {
    play_as(subject, options, task(), answer)
}

fn play_as<S: Subject>(
    subject: &S,
    options: AskOptions,
    task: Task,
    mut answer: impl FnMut(&AttemptRequest) -> Reply,
) -> Played<S::Value> {
    let models =
        ["first", "second"].map(|name| PricedModel { name: name.to_owned(), price: None }).to_vec();
    let mut asked = Loop::new(subject, options, task, models);
    let mut seen = Vec::new();
    let mut now = Duration::ZERO;
    loop {
        let asking = match asked.next(now) {
            Next::Ask(asking) => *asking,
            Next::Done(done) => return Played { asked: seen, end: Ok(*done) },
            Next::GiveUp(gave_up) => return Played { asked: seen, end: Err(*gave_up) },
            _ => unreachable!("it asks or it does not"),
        };
        assert!(seen.len() < 50, "it does not end");
        let reply = answer(&asking);
        seen.push(asking);
        now += Duration::from_secs(1);
        match asked.answer(reply, now) {
            AttemptOutcome::Done(done) => return Played { asked: seen, end: Ok(*done) },
            AttemptOutcome::GiveUp(gave_up) => return Played { asked: seen, end: Err(*gave_up) },
            _ => {}
        }
    }
}

/// The answers one after another; the last one again and again.
fn play_texts<S: Subject>(subject: &S, options: AskOptions, texts: &[&str]) -> Played<S::Value> {
    play_task(subject, options, task(), texts)
}

fn play_task<S: Subject>(
    subject: &S,
    options: AskOptions,
    task: Task,
    texts: &[&str],
) -> Played<S::Value> {
    let mut texts = texts.iter().peekable();
    play_as(subject, options, task, |_| {
        let text = texts.next().expect("one more answer");
        if texts.peek().is_none() {
            texts = std::slice::from_ref(text).iter().peekable();
        }
        Ok(ChatResponse::of_text(*text))
    })
}

fn cut_off(text: &str) -> ChatResponse {
    let mut response = ChatResponse::of_text(text);
    response.finish = Finish::Length;
    response
}

const QUESTION: &str = "Three days in Oslo, please.";

fn task() -> Task {
    Task::new("Be brief.", QUESTION)
}

const TRIP: &str = r#"{
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 1},
        "stops": {"type": "array", "items": {
            "type": "object",
            "properties": {"place": {"type": "string"}, "price": {"type": "number"}},
            "required": ["place"],
            "additionalProperties": false
        }}
    },
    "required": ["city", "days"]
}"#;

fn trip() -> SchemaSubject {
    SchemaSubject::of_text(TRIP).expect("a schema")
}

/// The JSON of a value that was held against a schema.
fn json(done: &FinalAnswer<llmend::Fitted>) -> String {
    done.value.value.to_string()
}
