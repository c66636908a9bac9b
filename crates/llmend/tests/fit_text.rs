//! Texts fitted as a whole and in pieces, with equal results.

use llmend::{
    Choice, FitOptions, FitText, FittedEvent, Node, Options, Schema, fit_with, json::Kind,
};
use serde_json::Value;

/// A row of numbers that is the same each time.
struct Draws(u64);

impl Draws {
    fn below(&mut self, count: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % count
    }

    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }
}

const SCHEMAS: [&str; 3] = [
    r#"{"type": "object", "required": ["a", "name"], "properties": {
        "a": {"type": "integer"}, "name": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}}, "kind": {"enum": ["red", "green"]}}}"#,
    r#"{"type": "array", "items": {"type": "object", "properties": {"nick_name": {"type": "string"}}}}"#,
    r#"{"type": "string"}"#,
];

fn answer(draws: &mut Draws) -> String {
    let mut text = draws.of(&["", "Sure: ", "```json\n", "[", "{\"data\": "]).to_owned();
    for _ in 0..=draws.below(2) {
        text.push('{');
        for _ in 0..draws.below(5) {
            text.push_str(
                draws.of(&["\"a\"", "a", "'Name'", "\"name\"", "nickName", "\"tags\"", "kind"]),
            );
            text.push_str(": ");
            text.push_str(
                draws.of(&["1", "\"2\"", "3.0", "'x", "\"é\"", "null", "[\"t\"]", "RED", "{}"]),
            );
            text.push_str(draws.of(&[", ", ",", "", ",,"]));
        }
        text.push_str(draws.of(&["}", "}", "}, ", "} and "]));
    }
    text.push_str(draws.of(&["", "", "]", "\n```", "}", " That is all."]));
    text
}

#[test]
fn a_text_in_pieces_fits_as_it_does_as_a_whole() {
    let mut compared = [0; 3];
    for seed in 0..600 {
        let mut draws = Draws(seed);
        let text = answer(&mut draws);
        let schema = Schema::from_text(draws.of(&SCHEMAS)).unwrap();
        let choice = if draws.below(2) == 0 { Choice::First } else { Choice::Best };
        let options =
            FitOptions { text: Options { choice, ..Options::default() }, ..FitOptions::default() };
        let whole = fit_with(&text, &schema, &options);
        let mut pieces = FitText::new(options, schema);
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at((1 + draws.below(9)).min(rest.len()));
            pieces.push(piece);
            let _ = pieces.view().root();
            rest = after;
        }
        match (pieces.finish(), whole) {
            (Ok(pieces), Ok(whole)) => {
                assert_eq!(pieces, whole, "seed {seed}: {text}");
                compared[usize::from(!whole.violations.is_empty())] += 1;
            }
            (Err(pieces), Err(whole)) => {
                assert_eq!(pieces.to_string(), whole.to_string(), "seed {seed}: {text}");
                compared[2] += 1;
            }
            (pieces, whole) => panic!("seed {seed}: {text}\n{pieces:?}\n{whole:?}"),
        }
    }
    assert!(compared.iter().all(|count| *count > 20), "{compared:?}");
}

/// Whether all that `before` shows is in `after` as well.
fn stays(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Array(before), Value::Array(after)) => {
            before.len() <= after.len()
                && before.iter().zip(after).all(|(old, new)| stays(old, new))
        }
        (Value::Object(before), Value::Object(after)) => {
            before.iter().all(|(key, old)| after.get(key).is_some_and(|new| stays(old, new)))
        }
        (Value::String(before), Value::String(after)) => after.starts_with(before.as_str()),
        _ => before == after,
    }
}

/// Whether an object in `node` has a key twice, perhaps in another case.
fn repeats(node: Node<'_>) -> bool {
    let mut keys: Vec<String> = node
        .members()
        .filter_map(|(key, _)| Some(key.str()?.to_lowercase().replace('_', "")))
        .collect();
    let count = keys.len();
    keys.sort();
    keys.dedup();
    keys.len() < count
        || node.items().any(repeats)
        || node.members().any(|(_, value)| repeats(value))
}

#[test]
fn views_in_the_terms_of_the_schema_take_nothing_back() {
    let (mut shown, mut renamed) = (0, 0);
    for seed in 0..1_500 {
        let mut draws = Draws(seed);
        let text = answer(&mut draws);
        let schema = Schema::from_text(draws.of(&SCHEMAS)).unwrap();
        let text_options = Options { choice: Choice::First, ..Options::default() };
        let options = FitOptions { text: text_options, ..FitOptions::default() };
        let mut pieces = FitText::new(options, schema);
        let mut views: Vec<Value> = Vec::new();
        for byte in text.as_bytes() {
            pieces.push(&[*byte]);
            let view = pieces.fitted_view();
            let raw = pieces.view().root().map(|root| root.to_string());
            views.extend(view.map(|view| serde_json::from_str::<Value>(&view.json).expect("JSON")));
            let raw = raw.map(|raw| serde_json::from_str::<Value>(&raw).expect("JSON"));
            renamed += usize::from(raw.as_ref() != views.last() && !views.is_empty());
        }
        let fitted = pieces.finish().ok();
        // Of a key that is repeated, the last value counts in the end, and of two spellings the exact one.
        if fitted.as_ref().is_some_and(|fitted| repeats(fitted.value.root())) {
            continue;
        }
        if let Some(fitted) = fitted.filter(|fitted| fitted.violations.is_empty()) {
            shown += usize::from(!views.is_empty());
            views.push(fitted.value.root().to_serde().value);
        }
        for pair in views.windows(2) {
            assert!(stays(&pair[0], &pair[1]), "seed {seed}: {text}\n{pair:#?}");
        }
    }
    assert!(shown > 50 && renamed > 50, "{shown} {renamed}");
}

#[test]
fn a_view_has_the_names_and_types_of_the_schema() {
    const TRIP: &str = r##"{"type": "object", "required": ["city", "stops"], "properties": {
        "city": {"type": "string"}, "days": {"type": "integer"}, "level": {"enum": ["HIGH", "LOW"]},
        "stops": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/stop"}, {"type": "null"}]}}},
        "additionalProperties": false, "$defs": {"stop": {"type": "object",
        "properties": {"stop_name": {"type": "string"}, "hours": {"type": "number"}}, "required": ["stop_name"]}}}"##;
    for (text, expected) in [
        (r#"{"City": "Osl"#, r#"{"city":"Osl"}"#),
        // It may become a number.
        (r#"{"City": "Oslo", "Days": "3"#, r#"{"city":"Oslo"}"#),
        (r#"{"City": "Oslo", "Days": "3", "stops": ["#, r#"{"city":"Oslo","days":3}"#),
        (r#"{"City": "Oslo", "level": "hi"#, r#"{"city":"Oslo"}"#),
        (r#"{"City": "Oslo", "level": "high", "stops": ["#, r#"{"city":"Oslo","level":"HIGH"}"#),
        // Another name may be a typo.
        (r#"{"citty": "Oslo", "days": 3, "stops": ["#, r#"{"days":3}"#),
        (
            r#"{"stops": [{"stopName": "Aker", "hours": "2"}, {"stopName": "Bygd"#,
            r#"{"stops":[{"stop_name":"Aker","hours":2},{"stop_name":"Bygd"}]}"#,
        ),
        // The outermost object may be a wrapper.
        (r#"{"trip": {"city": "Oslo", "days": 3, "#, "{}"),
    ] {
        let text_options = Options { choice: Choice::First, ..Options::default() };
        let options = FitOptions { text: text_options, ..FitOptions::default() };
        let mut pieces = FitText::new(options, Schema::from_text(TRIP).unwrap());
        pieces.push(text.as_bytes());
        let view = pieces.fitted_view().map(|view| view.json);
        assert_eq!(view.as_deref(), Some(expected), "{text}");
    }
}

/// Applies events to a value, keeps the paths of what is open, and counts the events by kind.
fn apply(
    value: &mut Option<Value>,
    open: &mut Vec<String>,
    events: Vec<FittedEvent>,
    counts: &mut [usize; 5],
) {
    for event in events {
        let number = match event {
            FittedEvent::Opened { path, kind } => {
                put(value, &path, serde_json::from_str(empty(kind)).unwrap());
                open.push(path);
                0
            }
            FittedEvent::Grew { path, text } => {
                assert_eq!(open.last(), Some(&path));
                let Some(Value::String(all)) = value.as_mut().unwrap().pointer_mut(&path) else {
                    panic!("{path} is no string");
                };
                all.push_str(&text);
                1
            }
            FittedEvent::Completed { path, json } => {
                put(value, &path, serde_json::from_str(&json).unwrap());
                2
            }
            FittedEvent::Closed { path, .. } => {
                assert_eq!(open.pop(), Some(path));
                3
            }
            FittedEvent::Replaced { path, json } => {
                assert_eq!(open.pop().unwrap_or_default(), path);
                put(value, &path, serde_json::from_str(&json).unwrap());
                4
            }
        };
        counts[number] += 1;
    }
}

fn empty(kind: Kind) -> &'static str {
    match kind {
        Kind::Array => "[]",
        Kind::Object => "{}",
        _ => r#""""#,
    }
}

/// Sets the part at `path`, whose container is there.
fn put(value: &mut Option<Value>, path: &str, part: Value) {
    let Some((around, token)) = path.rsplit_once('/') else {
        *value = Some(part);
        return;
    };
    match value.as_mut().unwrap().pointer_mut(around).unwrap() {
        Value::Array(items) => {
            let at = token.parse::<usize>().unwrap();
            if at == items.len() {
                items.push(part);
            } else {
                items[at] = part;
            }
        }
        Value::Object(members) => {
            members.insert(token.replace("~1", "/").replace("~0", "~"), part);
        }
        other => panic!("{other} has no parts"),
    }
}

const TOUR: &str = r#"{"type": "object", "required": ["name", "stops"], "properties": {
    "name": {"type": "string"}, "days": {"type": "integer"}, "level": {"enum": ["HIGH", "LOW"]},
    "notes": {"type": "array", "items": {"type": "string"}},
    "stops": {"type": "array", "items": {"type": "object", "required": ["stop_name"], "properties": {
        "stop_name": {"type": "string"}, "hours": {"type": "number"}}}}}}"#;

/// Returns a text for [`TOUR`], which may lack its end.
fn tour(draws: &mut Draws) -> String {
    let mut text = draws.of(&["", "Sure: ", "```json\n"]).to_owned();
    text.push('{');
    for _ in 0..draws.below(6) {
        text.push_str(draws.of(&[
            "\"name\": \"Oslo by\\n boat\"",
            "Name: 'the fjørd'",
            "days: '3'",
            "\"days\": \"three\"",
            "level: high",
            "notes: ['a', 1, \"b\", null]",
            "\"notes\": \"one\"",
            "other: {a: [1, 'b']}",
            "name: 12",
            "Stops: [{\"stopName\": \"Aker\", hours: '2'}, {stop_name: \"Bygdøy\", more: 1}]",
            "stops: [{hours: 1, 'stop_name': 'Oslo S'}, {hours: }, 'Ås']",
            "stops: {stop_name: 'Ekeberg'}",
        ]));
        text.push_str(draws.of(&[", ", ",", "\n", ",,"]));
    }
    text.push_str(draws.of(&["", "}", "}\n```", "} That is all."]));
    text
}

/// Reads a text byte by byte. Checks that its events give each view and the value, and counts them by kind.
fn follow(text: &str, schema: &str, counts: &mut [usize; 5]) {
    let text_options = Options { choice: Choice::First, ..Options::default() };
    let options = FitOptions { text: text_options, ..FitOptions::default() };
    let mut pieces = FitText::new(options, Schema::from_text(schema).unwrap());
    let (mut value, mut open) = (None, Vec::new());
    for byte in text.as_bytes() {
        pieces.push(&[*byte]);
        let view = pieces.fitted_view();
        apply(&mut value, &mut open, pieces.fitted_events(), counts);
        let shown = view.as_ref().map(|view| serde_json::from_str::<Value>(&view.json).unwrap());
        assert_eq!(value, shown, "{text}");
        let parts = view.iter().flat_map(|view| &view.open).map(|(path, _)| path);
        assert!(open.iter().eq(parts), "{text}");
    }
    if let Ok((events, fitted)) = pieces.finish_with_events() {
        apply(&mut value, &mut open, events, counts);
        assert_eq!(value, Some(fitted.value.root().to_serde().value), "{text}");
        assert!(open.is_empty(), "{text}");
    }
}

#[test]
fn events_in_the_terms_of_the_schema_give_the_views_and_the_value() {
    let mut counts = [0; 5];
    for seed in 0..600 {
        let mut draws = Draws(seed);
        let text = answer(&mut draws);
        follow(&text, draws.of(&SCHEMAS), &mut counts);
        follow(&tour(&mut draws), TOUR, &mut counts);
    }
    assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
}
