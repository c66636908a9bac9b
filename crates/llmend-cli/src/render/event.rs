//! The lines of `llmend stream --events`.

use llmend::{FittedPart, json::Event};

use super::view;

/// Returns the line for `event`.
pub(crate) fn line(event: &Event) -> String {
    match event {
        Event::Opened { path, kind } => {
            object("opened", path, &format!(",\"kind\":\"{}\"", kind.as_str()))
        }
        Event::Grew { path, text } => object("grew", path, &format!(",\"text\":{}", quoted(text))),
        // Numbers, booleans and null are JSON text already.
        Event::Completed { path, value: Some(value) } => {
            object("completed", path, &format!(",\"value\":{value}"))
        }
        Event::Completed { path, value: None } => object("completed", path, ""),
        Event::Closed { path } => object("closed", path, ""),
        Event::Repeated { path } => object("repeated", path, ""),
        Event::Repaired(repair) => {
            let row = serde_json::to_string(repair).unwrap_or_default();
            format!("{{\"event\":\"repaired\",{}\n", row.strip_prefix('{').unwrap_or("}"))
        }
    }
}

/// Returns the line for a part that was fitted to the schema; empty if it fits unchanged.
pub(crate) fn of_part(part: &FittedPart) -> String {
    let FittedPart { path, fitted } = part;
    let rows = view::rows(&fitted.coercions, &fitted.violations);
    if rows.is_empty() { rows } else { object("fitted", path, &rows) }
}

fn object(event: &str, path: &str, more: &str) -> String {
    format!("{{\"event\":\"{event}\",\"path\":{}{more}}}\n", quoted(path))
}

/// Returns `text` as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use llmend::json::{Choice, Event, Events, Options};

    use super::line;

    #[test]
    fn every_event_is_an_object() {
        let text = "{\"a/b\": [-1.50, true, 'x \"y\" z'], 'k': null, \"k\": {}}";
        let mut events = Events::new(Options { choice: Choice::First, ..Options::default() });
        let mut out = String::new();
        events.push(text.as_bytes());
        out.extend(events.drain().map(|event| line(&event)));
        let (rest, report) = events.finish().expect("there is a value");
        out.extend(rest.iter().map(line));
        out.extend(report.repairs.into_iter().map(|repair| line(&Event::Repaired(repair))));
        let shown: Vec<&str> = out.lines().filter(|line| !line.contains("\"repaired\"")).collect();
        assert_eq!(
            shown,
            [
                r#"{"event":"opened","path":"","kind":"object"}"#,
                r#"{"event":"opened","path":"/a~1b","kind":"array"}"#,
                r#"{"event":"completed","path":"/a~1b/0","value":-1.50}"#,
                r#"{"event":"completed","path":"/a~1b/1","value":true}"#,
                r#"{"event":"opened","path":"/a~1b/2","kind":"string"}"#,
                r#"{"event":"grew","path":"/a~1b/2","text":"x \"y\" z"}"#,
                r#"{"event":"completed","path":"/a~1b/2"}"#,
                r#"{"event":"closed","path":"/a~1b"}"#,
                r#"{"event":"completed","path":"/k","value":null}"#,
                r#"{"event":"repeated","path":"/k"}"#,
                r#"{"event":"opened","path":"/k","kind":"object"}"#,
                r#"{"event":"closed","path":"/k"}"#,
                r#"{"event":"closed","path":""}"#,
            ]
        );
        let repaired =
            r#"{"event":"repaired","rule":"single-quotes","class":"notation","start":22,"#;
        assert!(out.lines().any(|line| line.starts_with(repaired)), "{out}");
        for line in out.lines() {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON");
        }
    }
}
