//! The prompt that offers tools to a model.

use llmend::calls::{CallToWrite, Notation};
use llmend::json::Node;
use llmend::prompts::{example, fill};

use crate::calls::offered::OfferedTool;
use crate::calls::{Parallel, ToolChoice};
use crate::splice::{quoted, strict};

/// The text, whose slots are `<<name>>`. A paragraph with an empty slot is omitted.
const PROMPT: &str = include_str!("prompt.md");

/// Most levels of an example.
const DEPTH: usize = 32;

/// What a prompt offers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer<'a> {
    pub(super) tools: &'a [OfferedTool<'a>],
    pub(super) choice: &'a ToolChoice,
    pub(super) parallel: Parallel,
    pub(super) notation: &'static Notation,
}

impl Offer<'_> {
    /// Writes the prompt.
    pub(super) fn prompt(self) -> String {
        let tools: Vec<String> = self.tools.iter().map(described).collect();
        let may_call = *self.choice != ToolChoice::None;
        let shown = if may_call { self.shown() } else { Vec::new() };
        let form = shown.first().and_then(|first| self.written(&[first]));
        let several = (self.parallel == Parallel::Many)
            .then(|| self.written(&shown.iter().chain(&shown).take(2).collect::<Vec<_>>()));
        fill(
            PROMPT,
            &[
                ("tools", &tools.join("\n")),
                ("form", &form.unwrap_or_default()),
                ("several", &several.flatten().unwrap_or_default()),
                ("choice", &self.rule()),
            ],
        )
    }

    /// The tools that the examples call, each with arguments: the one that has to be called, or the
    /// first two.
    fn shown(&self) -> Vec<(&str, String)> {
        let is_shown = |tool: &&OfferedTool<'_>| match self.choice {
            ToolChoice::Named(name) => tool.name == name,
            _ => true,
        };
        let shown = self.tools.iter().filter(is_shown).take(2);
        shown.map(|tool| (tool.name, example_arguments(tool))).collect()
    }

    /// Whether the notation can write the names of these tools and of their parameters.
    pub(super) fn is_writable(self) -> bool {
        self.tools.iter().all(|tool| self.written(&[&(tool.name, all_parameters(tool))]).is_some())
    }

    fn written(&self, calls: &[&(&str, String)]) -> Option<String> {
        let values: Vec<_> =
            calls.iter().map(|(_, text)| strict(text, DEPTH).ok()).collect::<Option<_>>()?;
        let both = calls.iter().zip(&values);
        let calls: Vec<_> =
            both.map(|((name, _), value)| CallToWrite { name, arguments: value.root() }).collect();
        (!calls.is_empty()).then(|| self.notation.write(&calls)).flatten()
    }

    /// Whether a tool has to be called, and how many may be, in words.
    fn rule(&self) -> String {
        let may_call = *self.choice != ToolChoice::None;
        let one =
            if may_call && self.parallel == Parallel::One { " Write one call only." } else { "" };
        self.demand() + one
    }

    fn demand(&self) -> String {
        match self.choice {
            ToolChoice::Auto => {
                "Call a tool only if you need it. Otherwise answer without one.".to_owned()
            }
            ToolChoice::None => "Do not call a tool now. Answer without one.".to_owned(),
            ToolChoice::Required => "Call a tool now: do not answer without one.".to_owned(),
            ToolChoice::Named(name) => format!("Call the tool `{name}` now."),
        }
    }
}

/// Returns arguments with all parameters of a tool.
fn all_parameters(tool: &OfferedTool<'_>) -> String {
    let properties = tool.schema.and_then(|schema| schema.get("properties"));
    let members = properties.into_iter().flat_map(Node::members);
    let members: Vec<String> = members.map(|(key, _)| format!("{key}:0")).collect();
    format!("{{{}}}", members.join(","))
}

/// Returns arguments that fit the schema of a tool, as far as it says enough of them.
fn example_arguments(tool: &OfferedTool<'_>) -> String {
    let fitting = tool.schema.and_then(|schema| example(&schema.to_string()));
    fitting.filter(|text| text.starts_with('{')).unwrap_or_else(|| "{}".to_owned())
}

/// Describes a tool on one line.
fn described(tool: &OfferedTool<'_>) -> String {
    let on_one_line = |schema: Node<'_>| schema.to_string().replace(['\n', '\r'], " ");
    let description = tool.description.map(|text| format!(", \"description\": {}", quoted(text)));
    let schema = tool.schema.map(|schema| format!(", \"parameters\": {}", on_one_line(schema)));
    let format = tool.format.map(|format| format!(", \"format\": {}", on_one_line(format)));
    let members: String = [description, schema, format].into_iter().flatten().collect();
    format!("{{\"name\": {}{members}}}", quoted(tool.name))
}

#[cfg(test)]
mod tests {
    use llmend::calls::{NOTATIONS, Notation, Options, Tools, read};

    use super::Offer;
    use crate::calls::offered::OfferedTool;
    use crate::calls::tool_input::ToolInput;
    use crate::calls::{Parallel, ToolChoice};
    use crate::splice::strict;

    const SCHEMA: &str = r#"{"type": "object", "properties": {"path": {"type": "string"},
        "times": {"type": "integer"}}, "required": ["path"]}"#;

    fn prompt(notation: &str, choice: &ToolChoice, parallel: Parallel) -> String {
        let schema = strict(SCHEMA, 9).unwrap();
        let (schema, input, format) = (Some(schema.root()), ToolInput::Arguments, None);
        let tools = [
            OfferedTool { name: "run", description: Some("Runs \"it\"."), schema, input, format },
            OfferedTool { name: "stop", description: None, schema: None, input, format },
        ];
        let notation = Notation::named(notation).unwrap();
        Offer { tools: &tools, choice, parallel, notation }.prompt()
    }

    #[test]
    fn the_prompt_names_the_tools_the_form_and_the_choice() {
        let text = prompt("qwen-coder", &ToolChoice::Auto, Parallel::Many);
        let expected = "You can call tools. Each line describes one, with the JSON Schema of its arguments:\n\
            {\"name\": \"run\", \"description\": \"Runs \\\"it\\\".\", \"parameters\": {\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"times\":{\"type\":\"integer\"}},\"required\":[\"path\"]}}\n\
            {\"name\": \"stop\"}\n\n\
            To call a tool, write the call in exactly this form, with the tool's name and the arguments that you need. Write nothing\n\
            after it: the next message contains its result.\n\
            <tool_call>\n<function=run>\n<parameter=path>\ntext\n</parameter>\n<parameter=times>\n1\n</parameter>\n</function>\n</tool_call>\n\n\
            To call several tools at once, write:\n\
            <tool_call>\n<function=run>\n<parameter=path>\ntext\n</parameter>\n<parameter=times>\n1\n</parameter>\n</function>\n</tool_call>\n\
            <tool_call>\n<function=stop>\n</function>\n</tool_call>\n\n\
            Call a tool only if you need it. Otherwise answer without one.";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_choice_decides_what_the_prompt_says() {
        let named = ToolChoice::Named("stop".to_owned());
        // (choice, what it says, whether it shows a call, whether it shows several)
        for (choice, words, form, several) in [
            (&ToolChoice::None, "Do not call a tool now.", false, false),
            (&ToolChoice::Required, "Call a tool now", true, true),
            (&named, "Call the tool `stop` now.", true, true),
        ] {
            let text = prompt("hermes", choice, Parallel::Many);
            let found = (text.contains("in exactly this form"), text.contains("several tools"));
            assert_eq!(found, (form, several), "{text}");
            assert!(text.contains(words), "{text}");
            assert!(!prompt("hermes", choice, Parallel::One).contains("several"), "{text}");
        }
        let text = prompt("hermes", &named, Parallel::One);
        assert!(text.contains("{\"name\": \"stop\", \"arguments\": {}}"), "{text}");
    }

    #[test]
    fn the_form_in_the_prompt_is_read_as_calls() {
        let tools =
            format!("[{{\"name\": \"run\", \"parameters\": {SCHEMA}}}, {{\"name\": \"stop\"}}]");
        let tools = Tools::from_text(&tools).unwrap();
        for row in NOTATIONS.iter().filter(|row| row.is_writable()) {
            let text = prompt(row.name, &ToolChoice::Auto, Parallel::Many);
            let paragraphs = text.split("at once, write:\n").nth(1).unwrap();
            let form = paragraphs.split("\n\nCall a tool only").next().unwrap();
            let options = Options { notation: Some(row), ..Options::default() };
            let reading = read(form, &tools, &options);
            let names: Vec<_> = reading.calls.iter().map(|call| call.name.as_str()).collect();
            assert_eq!(names, ["run", "stop"], "{}: {form}\n{reading:?}", row.name);
        }
    }
}
