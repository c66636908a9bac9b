//! The page of notations of tool calls, written from the table of the crate that reads them.

use super::block::block;

const INTRO: &str = "\
# Tool calls

llmend reads the tool calls in an answer whatever model wrote it: text and tools go in; calls, the
text around them and findings come out. The model need not be known, since the text decides in which
notation it is read. [Reading tool calls](../guide/calls.md) shows how.

## What counts as a call

A call that runs although none was meant is worse than one that is missed, so llmend asks for
evidence:

- A call between the marks of a notation counts wherever it is. Marks are tags, tokens of a chat
  template, fences for calls, and recipients in the header of a message.
- An object that only calls look like counts as marked: one with `tool_calls`, `\"type\": \"tool_use\"`,
  `functionCall`, or `\"method\": \"tools/call\"`.
- A call without marks counts only if a tool of this name was offered and the call is the answer,
  or the end of it. A line of up to 240 bytes may stand beside it. With more prose around it, a call
  is a quotation or an example, unless `--notation NAME` says that the model writes its calls so.
- Such a call has the class `guess` and the warning `calls/unmarked` if it may be something else: it
  stands beside prose; it is an object without a key for its arguments, or with members that no call
  has, as a record of a call; it is the only content of a code span or of a code block of another
  language; or it is an element whose tag is a tool's name and a single word, as in `<note>`, while
  `<read_file>` is a mark.
- A call in a quotation never counts: in quotation marks, in a code span or a code block with prose
  around it, in a table, or between words of the same line. Neither does one in a conversation that
  the text retells, nor a placeholder such as `function_name`. Where a whole call with marks is left out so, the warning `calls/mention` says it.
- A marked call is a `guess` where the line before it announces an example, or where the clause
  before it may deny it, as in \"Never write\"; and the warning `calls/text-behind` says that text
  follows a marked call, since a model that calls usually stops there.
- A call inside reasoning is a draft and does not count, unless `--in-reasoning accept` is given or
  nothing follows the reasoning: then a marked call is a `guess`.
- With `--marked`, and without tools, only marked calls count.

## How names and arguments are read

The name becomes that of an offered tool: exactly, or in another case or style of writing, or, as a
guess, with a typo. The JSON inside is repaired by the [rules](rules.md). A notation whose values have
no types is read by the schema: `3` becomes a number only where the tool wants one. Text in the place
of arguments is read as `key=value` or `key: value` for each if it begins with a declared name, and
else as the one argument that the tool must have. Then the arguments are made to fit the schema of
the tool by [coercions](coercions.md). Every change has a class, and the class of a call is that of
its worst change.

## What is refused

| code | meaning |
|---|---|
| `calls/unknown-tool` | a marked call of a tool that was not offered; the nearest name is suggested |
| `calls/unreadable` | a marked call that cannot be read |
| `calls/truncated` | the text is cut off inside a call, which is then no call |
| `limit/calls` | more than 4,096 calls |
| `limit/work` | the search for calls was given up: too many beginnings without an end; the rest is text |
| `schema/…` | the arguments of a call do not fit the schema of its tool |

| warning | meaning |
|---|---|
| `calls/name` | the name of the tool was read by a guess |
| `calls/unmarked` | a call that is a guess, since it may be something else |
| `calls/mention` | a whole call that the text around it mentions or quotes is not taken for one |
| `calls/text-behind` | text follows the last call, as where a text quotes or describes one |
| `calls/placeholder` | an argument is to be filled in: `<city>`, `...` |
| `calls/one-argument` | text was read as one argument and may be several, or end earlier |
| `calls/unquoted` | words without quotes were read as text |
| `calls/undeclared` | the tool declares no parameter of this name |
| `calls/repeated` | the same call stands twice; both are kept |
| `calls/unclosed` | the end of a list of calls is missing |
| `calls/marks-in-value` | a value holds marks of its own notation |
| `calls/in-reasoning` | a call in reasoning behind which the answer ends |
| `calls/draft` | calls before a `</think>` whose beginning is not in the text |
| `calls/escaped` | the tags of the answer are HTML-escaped |

Remarks are `calls/mention`, a tool that the text names in the form of a call; `calls/after-answer`,
ignored text behind the answer; `calls/unwrapped`, arguments inside of a code block or another
object; and `calls/empty-value`, an empty optional parameter that was left out. Without `--tools` any
name is accepted; an empty list of tools accepts none.

## Streams

A text that arrives in pieces is read by the same grammars: text and the beginning of a call are
reported as soon as they are certain, and nothing that was reported is taken back. At the end the
calls are those of the whole text, however it was cut.
";

/// The notations of one family.
struct Section {
    family: &'static str,
    doc: &'static str,
    notations: Vec<Row>,
}

/// One notation's entry.
struct Row {
    name: &'static str,
    models: &'static str,
    example: &'static str,
}

/// Renders the page.
pub(crate) fn page() -> String {
    render(&table())
}

#[cfg(not(feature = "engine"))]
fn table() -> Vec<Section> {
    Vec::new()
}

/// The notations by family.
#[cfg(feature = "engine")]
fn table() -> Vec<Section> {
    use llmend_calls::{Family, NOTATIONS};
    let section = |family: Family| Section {
        family: family.as_str(),
        doc: family.doc(),
        notations: NOTATIONS
            .iter()
            .filter(|row| row.family == family)
            .map(|row| Row { name: row.name, models: row.models, example: row.example })
            .collect(),
    };
    Family::ALL.into_iter().map(section).collect()
}

fn render(sections: &[Section]) -> String {
    let count: usize = sections.iter().map(|section| section.notations.len()).sum();
    let mut parts = vec![format!(
        "<!-- Written by `cargo xtask pages` from crates/llmend-calls/src/notation.rs. -->\n\n\
         {INTRO}\n## Notations\n\n\
         These {count} notations are known, in {} families, each of which has one grammar. Each example\n\
         calls `get_time` with the argument `zone`.\n\n\
         | notation | family | models |\n|---|---|---|\n",
        sections.len()
    )];
    for Section { family, notations, .. } in sections {
        parts.extend(notations.iter().map(|Row { name, models, .. }| {
            format!("| [{name}](#{name}) | {family} | {models} |\n")
        }));
    }
    for Section { family, doc, notations } in sections {
        parts.push(format!("\n## Family {family}\n\n{doc}\n"));
        parts.extend(notations.iter().map(entry));
    }
    parts.concat()
}

fn entry(Row { name, models, example }: &Row) -> String {
    format!("\n### {name}\n\nModels: {models}.\n\n{}", block(example))
}

#[cfg(test)]
mod tests {
    use super::{Row, Section, render};

    #[test]
    fn a_page_has_an_index_and_a_section_a_family() {
        let row = |name| Row { name, models: "M 1, M 2", example: "<call>\nx" };
        let page = render(&[
            Section { family: "json", doc: "An object.", notations: vec![row("a-b"), row("c")] },
            Section { family: "lines", doc: "A line.", notations: vec![row("d")] },
        ]);
        for expected in [
            "These 3 notations are known, in 2 families,",
            "| [a-b](#a-b) | json | M 1, M 2 |\n| [c](#c) | json | M 1, M 2 |\n| [d](#d) | lines |",
            "\n## Family lines\n\nA line.\n\n### d\n\nModels: M 1, M 2.\n\n```text\n<call>\nx\n```\n",
        ] {
            assert!(page.contains(expected), "{expected} in {page}");
        }
    }

    #[cfg(feature = "engine")]
    #[test]
    fn every_notation_is_on_the_page() {
        let rows: usize = super::table().iter().map(|section| section.notations.len()).sum();
        assert_eq!(rows, llmend_calls::NOTATIONS.len());
    }
}
