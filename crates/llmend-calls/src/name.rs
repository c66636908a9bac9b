//! The offered tool that a written name stands for.

use std::borrow::Cow;

use llmend_json::Class;
use llmend_schema::NameMatch;

use crate::tools::{Tool, Tools};

/// What models write before a name.
const PREFIXES: &[&str] = &[
    "functions.",
    "function.",
    "default_api.",
    "tools.",
    "tool.",
    "api.",
    "functions::",
    "functions:",
    "functions/",
    "functions_",
    "functions",
    "function",
];

/// A name, and the tool that it stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolved<'c> {
    /// The tool, if one is offered that the name stands for.
    pub(crate) tool: Option<&'c Tool>,
    /// What the reading of the name is worth; `None` if it is the name of the tool.
    pub(crate) class: Option<Class>,
}

/// Returns the name without quotes and what is stuck to it: Markdown, parentheses, tokens.
pub(crate) fn bare(written: &str) -> &str {
    let mut name = written.trim();
    if let Some(end) = name.find("<|") {
        name = name.get(..end).unwrap_or(name);
    }
    let name = name.trim().trim_matches(['"', '\'', '`', '*', '[', ']']);
    name.strip_suffix("()").unwrap_or(name).trim()
}

/// Finds the offered tool that `written` stands for.
pub(crate) fn resolve<'c>(written: &str, tools: &'c Tools) -> Resolved<'c> {
    if let Some(tool) = tools.named(written) {
        return Resolved { tool: Some(tool), class: None };
    }
    let unescaped = unescaped(bare(written));
    let unescaped = unescaped.as_ref();
    let numberless = without_number(unescaped);
    // What follows the name may be stuck to it: `NAMEjson{…}`.
    let jsonless = unescaped.strip_suffix("json").unwrap_or(unescaped);
    // Llama calls a method of its tools: `NAME.call(…)`.
    let method = unescaped.strip_suffix(".call").unwrap_or(unescaped);
    let mut forms = [unescaped, numberless, jsonless, method]
        .into_iter()
        .chain(prefixless(unescaped))
        .chain(prefixless(numberless));
    if let Some(tool) = forms.clone().find_map(|form| tools.named(form)) {
        return Resolved { tool: Some(tool), class: Some(Class::Notation) };
    }
    // A namespace of any name, if what is behind it is offered: `server::tool`, `weather.get`.
    let last = unescaped.rsplit(['.', ':', '/']).next().unwrap_or_default();
    let server = unescaped.rsplit("__").next().unwrap_or_default();
    if let Some((tool, how)) = forms.find_map(|form| tools.find(form)) {
        let class = if how == NameMatch::Typo { Class::Guess } else { Class::Notation };
        return Resolved { tool: Some(tool), class: Some(class) };
    }
    // What stands before it may as well change the meaning.
    let found = [last, server].into_iter().find_map(|form| tools.find(form));
    match found {
        Some((tool, NameMatch::Exact | NameMatch::Spelling)) => {
            Resolved { tool: Some(tool), class: Some(Class::Guess) }
        }
        _ => Resolved { tool: None, class: None },
    }
}

/// Returns what is left of a name behind each prefix that it has.
fn prefixless(name: &str) -> impl Iterator<Item = &str> + Clone {
    let rests = PREFIXES.iter().filter_map(move |prefix| name.strip_prefix(prefix));
    rests.filter(|rest| !rest.is_empty())
}

/// Returns the name without the escapes of Markdown.
fn unescaped(name: &str) -> Cow<'_, str> {
    if name.contains('\\') { name.replace("\\_", "_").into() } else { name.into() }
}

/// Returns the name without the number of the call: `f:0`, `f_1`.
fn without_number(name: &str) -> &str {
    let digitless = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if digitless.len() == name.len() {
        return name;
    }
    digitless.strip_suffix([':', '_', '-']).unwrap_or(digitless)
}

/// Returns the name without the prefixes that stand for "function", for texts without tools.
pub(crate) fn without_prefix(written: &str) -> String {
    let name = unescaped(bare(written));
    let prefixes = PREFIXES.iter().filter(|prefix| prefix.ends_with(['.', ':', '/']));
    let name = prefixes.clone().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(&name);
    let number = name.rfind(':').filter(|colon| {
        name.get(colon + 1..).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    });
    number.and_then(|colon| name.get(..colon)).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use llmend_json::Class;

    use super::resolve;
    use crate::Tools;

    #[test]
    fn names_are_folded_onto_the_offered_ones() {
        let tools = Tools::from_text(
            r#"{"get_weather": {}, "math.sqrt": {}, "send-mail": {}, "list_items": {}, "list_item": {}, "step_1": {}}"#,
        )
        .unwrap();
        for (written, name, class) in [
            ("get_weather", Some("get_weather"), None),
            ("functions.get_weather", Some("get_weather"), Some(Class::Notation)),
            ("functions.get_weather:0", Some("get_weather"), Some(Class::Notation)),
            ("functions_get_weather_1", Some("get_weather"), Some(Class::Notation)),
            ("get\\_weather", Some("get_weather"), Some(Class::Notation)),
            ("GetWeather", Some("get_weather"), Some(Class::Notation)),
            ("`get_weather()`", Some("get_weather"), Some(Class::Notation)),
            ("get_weather<|channel|>commentary", Some("get_weather"), Some(Class::Notation)),
            ("math_sqrt", Some("math.sqrt"), Some(Class::Notation)),
            ("weather::get_weather", Some("get_weather"), Some(Class::Guess)),
            ("send_mail", Some("send-mail"), Some(Class::Notation)),
            ("get_waether", Some("get_weather"), Some(Class::Guess)),
            ("step_1", Some("step_1"), None),
            ("get_weather.call", Some("get_weather"), Some(Class::Notation)),
            ("list_itemz", None, None),
            ("delete_all", None, None),
        ] {
            let found = resolve(written, &tools);
            assert_eq!(found.tool.map(|tool| tool.name.as_str()), name, "{written}");
            assert_eq!(found.class, class, "{written}");
        }
    }
}
