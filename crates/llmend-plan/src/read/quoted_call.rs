//! Steps that quote a tool call instead of naming a tool.

use llmend_calls::{Options, Tools, read};
use llmend_json::{Diagnostic, Kind, Node, Severity, Span};
use serde_json::json;

use crate::{Catalog, code, findings::Findings, read::context::Context};

/// What to do about it.
const HELP: &str = "Write the step as an object with `tool` and `inputs`, or write only the calls, outside of strings.";
/// What to do about it if the tools are not known.
const HELP_WITHOUT_CATALOG: &str =
    "Give a catalog of the tools, or write the step as an object with `tool` and `inputs`.";

/// The largest number of positional arguments of a call.
const POSITIONAL: usize = 8;

/// The largest number of names in a text that are tried as names of tools.
const TRIED: usize = 16;

/// Reports an error if `text`, the only content of a step, is a tool call.
pub(crate) fn check(
    text: &str,
    path: &str,
    span: Span,
    context: &Context<'_>,
    findings: &mut Findings,
) {
    if is_call(text, context.options.catalog.as_ref()) {
        let help = if context.options.catalog.is_some() { HELP } else { HELP_WITHOUT_CATALOG };
        let message = "the step only quotes a tool call, which was not read";
        let row = Diagnostic::new(code::QUOTED_CALL, Severity::Error, message);
        findings.push(row.at(span).on(path).help(help));
    }
}

/// Returns whether all of `text` is a tool call: one between the marks of a notation, or one whose
/// arguments are literals. The arguments of a tool of the catalog may be anything.
fn is_call(text: &str, catalog: Option<&Catalog>) -> bool {
    let text = text.trim();
    let text = text.strip_prefix('`').and_then(|text| text.strip_suffix('`')).unwrap_or(text);
    // The reader takes a numbered list for calls; as a text, it describes.
    if text.starts_with(|one: char| one.is_ascii_digit()) {
        return false;
    }
    let names = names(text);
    // Positional arguments need names.
    let places: serde_json::Map<_, _> =
        (1..=POSITIONAL).map(|at| (format!("_{at}"), json!({}))).collect();
    let tool = |name: &String| json!({"name": name, "parameters": {"properties": places}});
    let tools: Vec<_> = names.iter().map(tool).collect();
    // Without names, any name is accepted behind a mark.
    let tools = if tools.is_empty() {
        Tools::default()
    } else {
        Tools::from_text(&json!(tools).to_string()).unwrap_or_default()
    };
    let reading = read(text, &tools, &Options::default());
    let known = |name: &String| catalog.is_some_and(|catalog| catalog.tool(name).is_some());
    let meant = !reading.refused.is_empty() && names.iter().any(known) && is_bracketed(text);
    reading.text.trim().is_empty() && (!reading.calls.is_empty() || meant)
}

/// Returns whether the first bracket of `text` closes at its end. Strings are passed over.
fn is_bracketed(text: &str) -> bool {
    let text = text.trim_end_matches([';', '.']);
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for (at, one) in text.char_indices() {
        match (quote, one) {
            _ if std::mem::take(&mut escaped) => {}
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if one == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(one),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + one.len_utf8() == text.len();
                }
            }
            _ => {}
        }
    }
    false
}

/// Returns the names in `text` that may be those of tools: before a parenthesis, in JSON, and after
/// a label.
fn names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !name.is_empty() && names.len() < TRIED && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    let is_name = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-' | '.');
    for (open, _) in text.match_indices('(') {
        let before = text.get(..open).unwrap_or_default();
        add(before.rsplit(|one| !is_name(one)).next().unwrap_or_default());
    }
    if text.starts_with(['{', '[', '`']) && text.contains('{') {
        for name in names_in_json(text) {
            add(&name);
        }
    }
    for line in text.lines() {
        add(line.trim().strip_prefix("Action:").unwrap_or_default().trim());
    }
    names
}

/// Returns the names of the calls in a JSON text, if it holds some.
fn names_in_json(text: &str) -> Vec<String> {
    const KEYS: [&str; 5] = ["name", "tool", "tool_name", "function", "action"];
    let Ok(parsed) = llmend_json::parse(text) else { return Vec::new() };
    let root = parsed.value.root();
    let calls = std::iter::once(root).chain(root.items().take(TRIED));
    let name = |call: Node<'_>| {
        let inner = ["function", "functionCall"].iter().find_map(|key| call.get(key));
        let call = inner.filter(|inner| inner.kind() == Kind::Object).unwrap_or(call);
        KEYS.iter().find_map(|key| call.get(key)?.str()).map(str::to_owned)
    };
    calls.filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_call;
    use crate::Catalog;

    #[test]
    fn what_quotes_a_call() {
        let catalog =
            json!({"get_weather": {"properties": {"city": {"type": "string"}}}, "say": null});
        let catalog = Catalog::read(&catalog).unwrap();
        // A text, and whether it is a call without and with the catalog.
        for (text, without, with) in [
            // A call with literals is one, whatever its name.
            ("get_weather(city=\"Oslo\")", true, true),
            ("get_weather('Oslo')", true, true),
            ("`get_weather(city=\"Oslo\")`", true, true),
            ("[get_weather(city=\"Oslo\"), say(text=\"x\")]", true, true),
            ("search(q=\"x\", limit=3)", true, true),
            ("run()", true, true),
            ("functions.get_weather(city=\"Oslo\")", true, true),
            // With a name or an expression, only the catalog tells.
            ("get_weather(city)", false, true),
            ("get_weather(city=other)", false, true),
            ("review(code)", false, false),
            // Marks.
            ("<tool_call>{\"name\": \"x\", \"arguments\": {\"a\": 1}}</tool_call>", true, true),
            (
                "<tool_call>\n<function=x>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>",
                true,
                true,
            ),
            ("<function=get_weather>{\"city\": \"Oslo\"}</function>", true, true),
            ("[TOOL_CALLS]x[ARGS]{\"a\": 1}", true, true),
            ("Action: get_weather\nAction Input: {\"city\": \"Oslo\"}", true, true),
            // JSON.
            ("{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}", true, true),
            ("[{\"name\": \"x\", \"arguments\": {}}]", true, true),
            ("{\"tool\": \"x\", \"args\": {\"a\": 1}}", true, true),
            ("{\"function\": {\"name\": \"x\", \"arguments\": \"{}\"}}", true, true),
            // Descriptions.
            ("", false, false),
            ("Call get_weather(city) and compare", false, false),
            ("Call get_weather(city=\"Oslo\").", false, false),
            ("get_weather(city) and say(text)", false, false),
            ("get_weather(\"Oslo\"), then tell the user", false, false),
            ("Get the weather (Oslo)", false, false),
            ("Deploy (staging)", false, false),
            ("get_weather", false, false),
            ("Compute f(x) = 2", false, false),
            ("Look at <b>the page</b>", false, false),
            ("Write <tool_call> around the call", false, false),
            ("{\"city\": \"Oslo\"}", false, false),
            ("{{1.response.name}}", false, false),
            ("[1, 2, 3]", false, false),
            ("Boil water", false, false),
            ("1. get_weather(city=\"Oslo\")", false, false),
        ] {
            let found = (is_call(text, None), is_call(text, Some(&catalog)));
            assert_eq!(found, (without, with), "{text}");
        }
    }
}
