//! Calls in every notation read back as they were meant, whole and in pieces, and damaged ones are
//! read right or reported.

#![cfg(feature = "llmend")]

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::Duration;

use llmend_calls::{CallEvent, CallStream, NOTATIONS, Options, Reading, Tools, read};
use llmend_json::Class;
use llmend_testing::calls::{Answer, Call, Damaged, damaged, shrink, squeezed};
use llmend_testing::data::Data;
use llmend_testing::random::Random;

/// Answers of each notation.
const ANSWERS: usize = 60;
/// Damaged answers of each notation.
const DAMAGED: usize = 70;
const SEED: u64 = 41;

fn tools(answer: &Answer) -> Tools {
    Tools::from_text(&answer.tools_json()).expect("the generated tools are valid")
}

/// What a text gives: names and arguments, text, reasoning.
#[derive(Debug, Default, PartialEq)]
struct Found {
    calls: Vec<(String, String)>,
    refused: Vec<String>,
    text: String,
    reasoning: String,
    cut: Option<usize>,
    /// Number of calls whose arguments were delivered and taken back for others.
    taken_back: usize,
}

impl Found {
    fn of(reading: &Reading) -> Self {
        let calls =
            reading.calls.iter().map(|call| (call.name.clone(), call.arguments.to_string()));
        let refused = reading.refused.iter().map(|one| one.diagnostic.message.clone());
        Self {
            calls: calls.collect(),
            refused: refused.collect(),
            text: reading.text.clone(),
            reasoning: reading.reasoning.clone(),
            cut: reading.cut,
            taken_back: 0,
        }
    }
}

/// Reads a text; `None` if that takes longer than it may.
fn bounded(text: &str, tools: &Tools) -> Option<Reading> {
    let (give, take) = mpsc::channel();
    let (text, tools) = (text.to_owned(), tools.clone());
    std::thread::spawn(move || {
        // The receiver is gone if it took too long.
        let _ = give.send(read(&text, &tools, &Options::default()));
    });
    take.recv_timeout(Duration::from_secs(5)).ok()
}

/// What the text gives in pieces of random sizes.
fn streamed(text: &str, tools: &Tools, r: &mut Random) -> Result<Found, String> {
    let mut stream = CallStream::new(tools.clone(), Options::default());
    let mut events = Vec::new();
    let largest = *r.one(&[1, 3, 8, 30, 200]);
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = r.between(1, largest).min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        events.extend(stream.push(&rest[..end]));
        rest = &rest[end..];
    }
    let (last, reading) = stream.finish();
    events.extend(last);
    let mut found = Found { cut: reading.cut, ..Found::default() };
    let mut open: Option<(String, String)> = None;
    let mut taken_back = None;
    for event in events {
        match event {
            CallEvent::Text(text) => found.text.push_str(&text),
            CallEvent::Reasoning(text) => found.reasoning.push_str(&text),
            CallEvent::AllReasoning => {
                let before = std::mem::take(&mut found.text);
                found.reasoning.push_str(before.trim_matches(['\n', '\r']));
                found.calls.clear();
                found.refused.clear();
            }
            CallEvent::Started { index, name, .. } => {
                if index != found.calls.len() || open.is_some() {
                    return Err(format!("call {index} starts out of turn"));
                }
                found.taken_back += usize::from(taken_back.take() == Some((index, name.clone())));
                open = Some((name, String::new()));
            }
            CallEvent::Arguments { delta, .. } => {
                open.as_mut().ok_or("arguments without a call")?.1.push_str(&delta);
            }
            CallEvent::Done { call, .. } => {
                let built = open.take().ok_or("a call ends that has not started")?;
                if built != (call.name.clone(), call.arguments.to_string()) {
                    return Err(format!(
                        "{built:?} was delivered for {} {}",
                        call.name, call.arguments
                    ));
                }
                found.calls.push(built);
            }
            CallEvent::Abandoned { index } => {
                let delivered = open.take().filter(|(_, arguments)| !arguments.is_empty());
                taken_back = delivered.map(|(name, _)| (index, name));
            }
            // A call that is refused is none.
            CallEvent::Refused(one) => {
                taken_back = None;
                found.refused.push(one.diagnostic.message);
            }
        }
    }
    if open.is_some() {
        return Err("a call is left open".to_owned());
    }
    Ok(found)
}

fn arguments(call: &Call) -> Data {
    Data::Map(call.arguments.clone())
}

fn is(call: &Call, found: &(String, String)) -> bool {
    call.name == found.0 && Data::read(&found.1).is_ok_and(|value| value.same(&arguments(call)))
}

/// What is wrong with the reading of an undamaged answer: a class, and the details.
fn fault(answer: &Answer) -> Option<(String, String)> {
    let written = answer.write();
    let tools = tools(answer);
    let reading = read(&written.text, &tools, &Options::default());
    let whole = Found::of(&reading);
    let wrong = |class: &str| Some((class.to_owned(), format!("{whole:?}")));
    if !whole.refused.is_empty() {
        return wrong("refused");
    }
    if whole.cut.is_some() {
        return wrong("cut off");
    }
    if whole.calls.len() != answer.calls.len() {
        return wrong(if whole.calls.len() < answer.calls.len() {
            "missed call"
        } else {
            "surplus call"
        });
    }
    for (call, found) in answer.calls.iter().zip(&whole.calls) {
        if call.name != found.0 {
            return wrong("name");
        }
        if !is(call, found) {
            return wrong("arguments");
        }
    }
    if reading.calls.iter().any(|call| !call.violations.is_empty()) {
        return wrong("violations");
    }
    if squeezed(&whole.text) != answer.text() || !whole.reasoning.is_empty() {
        return wrong("text");
    }
    // A call without marks beside prose is a guess, and says so.
    let unmarked =
        |call: &llmend_calls::Call| call.diagnostics.iter().any(|row| row.code == "calls/unmarked");
    if reading.calls.iter().any(|call| call.class >= Some(Class::Guess) && !unmarked(call)) {
        return wrong("class guess");
    }
    match streamed(&written.text, &tools, &mut Random::new(answer.style)) {
        Ok(found) if found == whole => None,
        Ok(found) => {
            Some(("stream differs".to_owned(), format!("{whole:?}\n  streamed: {found:?}")))
        }
        Err(why) => Some(("stream".to_owned(), why)),
    }
}

#[test]
fn what_is_written_reads_back() {
    let mut count = 0;
    let mut failures: BTreeMap<(&str, String), Vec<Answer>> = BTreeMap::new();
    for notation in NOTATIONS {
        for index in 0..ANSWERS {
            count += 1;
            let answer = Answer::generate(notation.name, SEED, index);
            if let Some((class, _)) = fault(&answer) {
                failures.entry((notation.name, class)).or_default().push(answer);
            }
        }
    }
    let mut report = String::new();
    for ((notation, class), answers) in &failures {
        report.extend([format!("## {notation}: {class}, {} of {ANSWERS}\n", answers.len())]);
        for answer in answers.iter().take(2) {
            let same = |other: &Answer| fault(other).is_some_and(|(found, _)| found == *class);
            let small = shrink(answer, &same);
            let details = fault(&small).map(|(_, details)| details).unwrap_or_default();
            report.extend([format!(
                "{}\n  tools: {}\n  text: {:?}\n  expected: {:?} {:?}\n  found: {details}\n",
                answer.id,
                small.tools_json(),
                small.write().text,
                small
                    .calls
                    .iter()
                    .map(|call| format!("{}{}", call.name, arguments(call).write()))
                    .collect::<Vec<_>>(),
                small.text(),
            )]);
        }
    }
    let failed: usize = failures.values().map(Vec::len).sum();
    println!("{report}{failed} of {count} answers");
    assert!(failures.is_empty(), "{failed} of {count} answers\n{report}");
}

/// How a damaged answer was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Right,
    /// Something warns: a refusal, a cut, a violation, a finding, a guess.
    Reported,
    /// A call was left in the text, without a warning. None is wrong.
    Missed,
    /// A call is wrong, or is gone, and nothing warns.
    Silent,
}

/// Whether a value is part of another.
fn is_part(part: &Data, whole: &Data) -> bool {
    part.same(whole)
        || match whole {
            Data::List(items) => items.iter().any(|item| is_part(part, item)),
            Data::Map(members) => members.iter().any(|(_, value)| is_part(part, value)),
            _ => false,
        }
}

fn outcome(case: &Damaged, reading: &Reading) -> Outcome {
    let found = Found::of(reading);
    let same = |call: &Call, found: &(String, String)| {
        let as_good = |value: &Data| case.written.accept.iter().any(|other| is_part(value, other));
        // The damaged JSON may be that of one argument.
        let each = |value: &Data| match value {
            Data::Map(members) => {
                members.len() == call.arguments.len()
                    && call.arguments.iter().all(|(key, wanted)| {
                        value.get(key).is_some_and(|found| found.same(wanted) || as_good(found))
                    })
            }
            _ => false,
        };
        is(call, found)
            || (call.name == found.0
                && Data::read(&found.1).is_ok_and(|value| as_good(&value) || each(&value)))
    };
    let calls = &case.answer.calls;
    let begins = |found: &[(String, String)]| {
        found.len() <= calls.len() && calls.iter().zip(found).all(|(call, found)| same(call, found))
    };
    let whole = case.cut.map_or(calls.len(), |cut| {
        case.written.calls.iter().filter(|call| call.end <= cut).count()
    });
    let begun = case.cut.map_or(calls.len(), |cut| {
        case.written.calls.iter().filter(|call| call.start < cut).count()
    });
    let reported = !reading.is_usable()
        || reading.findings().next().is_some()
        || reading.class() >= Some(Class::Guess);
    // What was cut off must be reported, unless all of it was read.
    if begins(&found.calls)
        && found.calls.len() >= whole
        && (found.calls.len() >= begun || reading.truncated())
    {
        return Outcome::Right;
    }
    if reported {
        return Outcome::Reported;
    }
    // What is missing is still in the text.
    let mut rest = found.calls.iter().peekable();
    let mut missing = Vec::new();
    for call in calls.iter().take(begun) {
        if rest.peek().is_some_and(|found| same(call, found)) {
            rest.next();
        } else {
            missing.push(call);
        }
    }
    let visible = missing.iter().all(|call| reading.text.contains(call.name.as_str()));
    if rest.next().is_none() && visible { Outcome::Missed } else { Outcome::Silent }
}

#[test]
fn damaged_calls_are_right_or_reported() {
    let mut rows: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut kinds: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    let mut shown = String::new();
    let mut silent = 0;
    let mut missed = String::new();
    let mut endless = Vec::new();
    for notation in NOTATIONS {
        for index in 0..DAMAGED {
            let case = damaged(notation.name, SEED, index);
            let tools = tools(&case.answer);
            let Some(reading) = bounded(&case.written.text, &tools) else {
                endless.push(format!("{:?} {}", case.written.text, case.answer.tools_json()));
                continue;
            };
            let outcome = outcome(&case, &reading);
            rows.entry(notation.name).or_default()[outcome as usize] += 1;
            kinds.entry(case.kind.to_owned()).or_default()[outcome as usize] += 1;
            let details = || {
                format!(
                    "{} ({} {:?})\n  tools: {}\n  text: {:?}\n  expected: {:?}\n  found: {:?}\n",
                    case.answer.id,
                    case.kind,
                    case.kinds,
                    case.answer.tools_json(),
                    case.written.text,
                    case.answer
                        .calls
                        .iter()
                        .map(|call| format!("{}{}", call.name, arguments(call).write()))
                        .collect::<Vec<_>>(),
                    Found::of(&reading),
                )
            };
            if outcome == Outcome::Silent {
                silent += 1;
                if silent <= 30 {
                    shown.push_str(&details());
                }
            } else if outcome == Outcome::Missed {
                missed.push_str(&details());
            }
        }
    }
    let mut all = [0; 4];
    for row in rows.values() {
        for (sum, count) in all.iter_mut().zip(row) {
            *sum += count;
        }
    }
    println!("{:26}{:>8}{:>10}{:>8}{:>8}", "", "right", "reported", "missed", "silent");
    let kinds = kinds.iter().map(|(kind, row)| (kind.as_str(), row));
    for (name, row) in
        rows.iter().map(|(name, row)| (*name, row)).chain(kinds).chain([("all", &all)])
    {
        println!("{name:26}{:>8}{:>10}{:>8}{:>8}", row[0], row[1], row[2], row[3]);
    }
    println!("\n# Endless\n{}", endless.join("\n"));
    println!("\n# Silently wrong\n{shown}");
    println!("\n# Left in the text\n{missed}");
    assert!(endless.is_empty(), "reading takes too long: {}", endless.join("\n"));
    let count: usize = all.iter().sum();
    let [right, reported, _, silent] = all;
    assert!(
        (right + reported) * 100 >= count * 98,
        "{} of {count} are right or reported, and 98 % is the bar",
        right + reported,
    );
    assert!(
        silent * 1000 <= count * 5,
        "{silent} of {count} are silently wrong, and 0.5 % is the bar\n{shown}"
    );
}

#[test]
fn reading_ends() {
    let schema = r#"{"f": {"properties": {"a": {"type": "string"}, "b": {"type": "number"}}}}"#;
    let tools = Tools::from_text(schema).expect("the tools are valid");
    for text in [
        "<|tool_call>call:f{a:[[],[false,[false]]}<tool_call|>",
        "<start_function_call>call:f{a:[[1,2],b:<escape>x<escape>}<end_function_call>",
        "<start_function_call>call:f{a:[{b:<escape>x<escape>}}<end_function_call>",
        "<function=f>{\n\t'a': 'x',\n\t'b': 45,73\n}</function>",
        "<function=f>{\n\t'a': 'x',\n\t'b': 45,73\n}</function>\n\nIn Bergen.",
        "<function=f>{\"a\": \"Total: \" + str(glacier)\n}</function>",
        "A.\n\n<function=f>{\n    \"b\": 2842.15,\n    \"message\": {\n        \"a\": \"Total: \" + str(glacier),\n        \"c\": \"red\"\n    }\n}</function>",
    ] {
        assert!(bounded(text, &tools).is_some(), "{text}");
    }
}

#[test]
fn damaged_calls_in_pieces_are_the_same() {
    let mut failures = Vec::new();
    for notation in NOTATIONS {
        for index in 0..DAMAGED / 2 {
            let case = damaged(notation.name, SEED + 1, index);
            let tools = tools(&case.answer);
            let text = &case.written.text;
            let Some(whole) = bounded(text, &tools).map(|reading| Found::of(&reading)) else {
                failures.push(format!("{} takes too long to read: {text:?}", case.answer.id));
                continue;
            };
            let found = streamed(text, &tools, &mut Random::new(case.answer.style));
            if found.as_ref() != Ok(&whole) {
                failures.push(format!(
                    "{} ({})\n  tools: {}\n  text: {text:?}\n  whole: {whole:?}\n  streamed: {found:?}",
                    case.answer.id, case.kind, case.answer.tools_json(),
                ));
            }
        }
    }
    failures.sort_by_key(String::len);
    let count = failures.len();
    failures.truncate(12);
    assert!(count == 0, "{count} failures, the shortest:\n\n{}", failures.join("\n"));
}
