//! Matching of a call with the tools: the name as offered, the arguments as declared.

use std::sync::OnceLock;

use llmend_json::{Class, Diagnostic, Kind, Node, Relocate, Rule, Severity, Span};
use llmend_schema::{OtherSpelling, Schema, Violation, coerce};

use crate::{
    Call, Notation, Refused,
    evidence::Name,
    found::{Context, Found},
    name::{self, Resolved},
    placeholder,
    tools::Tool,
};

/// Returns what is known of the name of `found`.
pub(crate) fn name_of(found: &Found<'_>, context: Context<'_>) -> Name {
    if found.unreadable.is_some() && found.name.is_empty() {
        return Name::Unknown;
    }
    if !context.tools.are_given() {
        let usable = !placeholder::is_name(&found.name);
        return if usable { Name::Unchecked } else { Name::Placeholder };
    }
    if name::resolve(&found.name, context.tools).tool.is_some() {
        return Name::Offered;
    }
    if placeholder::is_name(&found.name) { Name::Placeholder } else { Name::Unknown }
}

/// Returns whether the arguments of `found` are those that its tool declares.
pub(crate) fn takes(found: &Found<'_>, context: Context<'_>) -> bool {
    let Some(tool) = name::resolve(&found.name, context.tools).tool else { return false };
    // What its arguments are is not known.
    if found.unreadable.is_some() {
        return true;
    }
    let root = found.arguments.value.root();
    match root.kind() {
        Kind::Object => tool.takes(root.members().filter_map(|(key, _)| key.str())),
        _ => coerce(&found.arguments.value, &tool.schema, &context.options.schema)
            .violations
            .is_empty(),
    }
}

/// Returns whether an argument is to be filled in.
pub(crate) fn is_form(found: &Found<'_>) -> bool {
    open_argument(found.arguments.value.root()).is_some()
}

/// Returns the name of the first argument that is to be filled in.
fn open_argument(arguments: Node<'_>) -> Option<&str> {
    let is_open = |value: Node<'_>| value.str().is_some_and(placeholder::is_value);
    arguments.members().find(|(_, value)| is_open(*value)).and_then(|(key, _)| key.str())
}

/// Converts `found` to a call of an offered tool, with arguments that fit its schema as far as they
/// can be made to.
pub(crate) fn call(
    found: Found<'_>,
    notation: &'static Notation,
    context: Context<'_>,
) -> Result<Call, Box<Refused>> {
    let resolved = name::resolve(&found.name, context.tools);
    let is_known = resolved.tool.is_some() || !context.tools.are_given();
    if let Some(diagnostic) = &found.unreadable
        && (is_known || found.name.is_empty())
    {
        let name = is_known.then(|| as_offered(&found, &resolved));
        let name = name.filter(|name| !name.is_empty());
        return Err(refuse(name, found.span, notation, (**diagnostic).clone()));
    }
    if !is_known {
        let mut refused = unknown(&found, notation, context);
        let call = found.unreadable.is_none().then(|| fitted(found, &resolved, notation, context));
        let call = call.and_then(Result::ok).filter(|call| call.violations.is_empty());
        refused.call = call.map(Box::new);
        return Err(refused);
    }
    fitted(found, &resolved, notation, context)
}

/// Returns the name of the tool as offered, or as written if it is not.
fn as_offered(found: &Found<'_>, resolved: &Resolved<'_>) -> String {
    resolved.tool.map_or_else(|| name::without_prefix(&found.name), |tool| tool.name.clone())
}

/// Converts `found` to a call, with arguments that fit the schema of its tool, if that is offered.
fn fitted(
    found: Found<'_>,
    resolved: &Resolved<'_>,
    notation: &'static Notation,
    context: Context<'_>,
) -> Result<Call, Box<Refused>> {
    let name = as_offered(&found, resolved);
    let arguments = &found.arguments;
    let schema = match resolved.tool {
        Some(tool) => &tool.schema,
        None => any_object(),
    };
    // A tool ignores what it does not declare, so another spelling has to be corrected.
    let options = llmend_schema::Options {
        on_other_spelling: OtherSpelling::Rename,
        ..context.options.schema.clone()
    };
    let mut coerced = coerce(&arguments.value, schema, &options);
    let start = arguments.span.start;
    coerced.coercions.relocate(&mut |at| at + start);
    coerced.violations.relocate(&mut |at| at + start);
    if coerced.violations.is_empty() && coerced.value.root().kind() != Kind::Object {
        coerced.violations.push(not_an_object(coerced.value.root(), arguments.span));
    }
    let code = |rule: Rule| matches!(rule, Rule::CodeAsText | Rule::ExpressionAsText);
    let word =
        |rule: Rule| matches!(rule, Rule::BareString | Rule::NumberAsText | Rule::BareTemplate);
    let misfits = !coerced.violations.is_empty();
    // A name or an expression in the place of a value is not evaluated.
    if let Some(repair) =
        found.repairs.iter().find(|repair| code(repair.rule) || (misfits && word(repair.rule)))
    {
        let diagnostic = Diagnostic::new(
            "calls/unreadable",
            Severity::Error,
            "expected literal, found expression",
        )
        .at(repair.span)
        .help("Write the value itself: names and expressions are not evaluated.");
        let name = found.name.to_string();
        return Err(refuse(Some(name), found.span, notation, diagnostic));
    }
    let mut class = found.class.max(resolved.class);
    class = class.max(found.repairs.iter().map(llmend_json::Repair::class).max());
    class = class.max(coerced.coercions.iter().map(|coercion| coercion.class).max());
    let mut diagnostics = found.diagnostics;
    if resolved.class == Some(Class::Guess) {
        diagnostics.push(guessed_name(&found.name, &name, found.span));
    }
    if let Some(key) = open_argument(coerced.value.root()) {
        class = class.max(Some(Class::Guess));
        diagnostics.push(to_be_filled_in(key, found.span));
    }
    if let Some(tool) = resolved.tool {
        diagnostics.extend(undeclared(coerced.value.root(), tool, found.span));
    }
    let max_class = context.options.json.max_class;
    if let Some(class) = class.filter(|class| *class > max_class) {
        let diagnostic = worse_than_allowed(class, found.span);
        return Err(refuse(Some(name), found.span, notation, diagnostic));
    }
    let mut repairs = found.repairs;
    repairs.sort_by_key(|repair| repair.span);
    Ok(Call {
        written_name: (found.name != name).then(|| found.name.clone().into_owned()),
        name,
        arguments: coerced.value,
        arguments_span: arguments.span,
        id: found.id,
        span: found.span,
        notation,
        class,
        repairs,
        coercions: coerced.coercions,
        violations: coerced.violations,
        diagnostics,
    })
}

/// Creates the finding for the name of a tool that was read by a guess.
fn guessed_name(written: &str, name: &str, span: Span) -> Diagnostic {
    let message = format!("read the name `{written}` as `{name}`");
    Diagnostic::new("calls/name", Severity::Warning, message)
        .at(span)
        .class(Class::Guess)
        .help("Check that this tool was meant.")
}

/// Creates the finding for an argument that holds a placeholder.
fn to_be_filled_in(key: &str, span: Span) -> Diagnostic {
    let message = format!("the argument `{key}` is to be filled in");
    Diagnostic::new("calls/placeholder", Severity::Warning, message)
        .at(span)
        .class(Class::Guess)
        .help("Check that the value was meant as it stands.")
}

/// Returns a finding for each argument that the tool does not declare, unless it says that it takes
/// any.
fn undeclared(arguments: Node<'_>, tool: &Tool, span: Span) -> impl Iterator<Item = Diagnostic> {
    let schema = tool.schema.as_json();
    let is_open = ["additionalProperties", "patternProperties", "unevaluatedProperties"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some());
    let known = is_open || tool.parameters.is_empty();
    let keys = arguments.members().filter_map(|(key, _)| key.str());
    let unknown = keys.filter(move |key| !known && tool.parameter(key).is_none());
    unknown.map(move |key| {
        let message = format!("`{}` declares no parameter `{key}`", tool.name);
        Diagnostic::new("calls/undeclared", Severity::Warning, message)
            .at(span)
            .help("Check what the tool does with it.")
    })
}

/// Creates the finding for a call whose reading is of a worse class than is allowed.
fn worse_than_allowed(class: Class, span: Span) -> Diagnostic {
    let message = format!("class `{class}` is worse than `max_class` allows");
    Diagnostic::new("repair/class", Severity::Error, message)
        .at(span)
        .class(class)
        .help("Ask again, or allow a worse class by `max_class`.")
}

/// Refuses a call of a tool that is not offered.
fn unknown(found: &Found<'_>, notation: &'static Notation, context: Context<'_>) -> Box<Refused> {
    let written = name::bare(&found.name);
    let near = context.tools.suggestion(written);
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let message = format!("unknown tool `{written}`{near}");
    let diagnostic = Diagnostic::new("calls/unknown-tool", Severity::Error, message)
        .at(found.span)
        .help("Call one of the offered tools.");
    refuse(Some(found.name.to_string()), found.span, notation, diagnostic)
}

/// Returns what is told of a call that cannot be used.
pub(crate) fn refuse(
    name: Option<String>,
    span: Span,
    notation: &'static Notation,
    diagnostic: Diagnostic,
) -> Box<Refused> {
    Box::new(Refused { name, span, notation, diagnostic, call: None, is_text: false })
}

/// Returns the schema of any object.
fn any_object() -> &'static Schema {
    static SCHEMA: OnceLock<Option<Schema>> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| Schema::new(&serde_json::json!({"type": "object"})).ok());
    schema.as_ref().unwrap_or_else(|| unreachable!("the schema is valid"))
}

fn not_an_object(node: Node<'_>, span: Span) -> Violation {
    let found = llmend_json::preview(&node.to_string(), 100).to_owned();
    Violation {
        code: "schema/type",
        path: String::new(),
        schema_path: String::new(),
        keyword: "type".to_owned(),
        message: format!("expected object, found {}", node.kind().as_str()),
        expected: "object".to_owned(),
        found,
        hint: None,
        span: Some(span),
    }
}

#[cfg(test)]
mod tests {
    use crate::{NOTATIONS, Options, Tools, read};

    #[test]
    fn a_call_of_a_tool_that_is_not_offered_is_refused_as_written() {
        let tools =
            Tools::from_text(r#"{"run": {"properties": {"path": {"type": "string"}}}}"#).unwrap();
        let mut unmarked = Vec::new();
        // In Apertus' notation the name is a key, so that other names are no calls.
        for row in NOTATIONS.iter().filter(|row| !row.openers.is_empty() && row.name != "apertus") {
            let text = row.example.replace("get_time", "erase");
            let reading = read(&text, &tools, &Options::default());
            if reading.text == text {
                assert!(reading.refused.iter().all(|one| one.is_text && one.call.is_none()));
                unmarked.push(row.name);
                continue;
            }
            let calls: Vec<_> =
                reading.refused.iter().filter_map(|one| one.call.as_ref()).collect();
            let found: Vec<_> =
                calls.iter().map(|call| (call.name.as_str(), call.arguments.to_string())).collect();
            assert_eq!(
                found,
                [("erase", r#"{"zone":"UTC"}"#.to_owned())],
                "{}: {reading:?}",
                row.name
            );
            assert!(reading.calls.is_empty(), "{}", row.name);
        }
        assert_eq!(unmarked, ["pythonic"]);
        // Only the name may be wrong.
        let text = "<tool_call>\n{\"name\": \"erase\", \"arguments\": 5}\n</tool_call>";
        let reading = read(text, &tools, &Options::default());
        assert!(reading.refused.len() == 1 && reading.refused[0].call.is_none(), "{reading:?}");
    }
}
