//! How many tokens were used, over all attempts?

use llmend::json::{Node, Value};
use llmend::model::Usage;

use crate::splice::{Splice, strict};

/// The names of the counts, of the question, of the answer and of both, in the protocols.
const INPUT: [&str; 2] = ["prompt_tokens", "input_tokens"];
const OUTPUT: [&str; 2] = ["completion_tokens", "output_tokens"];

fn count<'v>(usage: Node<'v>, names: [&str; 2]) -> Option<(Node<'v>, u64)> {
    let node = names.into_iter().find_map(|name| usage.get(name))?;
    node.number()?.parse().ok().map(|count| (node, count))
}

/// What an answer says that was used.
pub(crate) fn told(root: Node<'_>) -> Option<Usage> {
    let usage = root.get("usage")?;
    let (_, input) = count(usage, INPUT)?;
    let (_, output) = count(usage, OUTPUT)?;
    Some(Usage { input, output, estimated: false })
}

/// The usage of an answer or an event: of messages also the one beside the last delta, of responses the
/// one within.
fn usage_of<'v>(value: &'v Value<'_>) -> Option<Node<'v>> {
    let root = value.root();
    root.get("usage").or_else(|| root.get("response")?.get("usage"))
}

/// An answer or an event with more tokens than it tells.
pub(crate) fn with_more(json: &str, more: &Usage, depth: usize) -> Option<String> {
    let value = strict(json, depth).ok()?;
    let usage = usage_of(&value)?;
    let mut splice = Splice::new(json);
    let total =
        usage.get("total_tokens").and_then(|node| Some((node, node.number()?.parse().ok()?)));
    let rows = [
        (count(usage, INPUT), more.input),
        (count(usage, OUTPUT), more.output),
        (total, more.input.saturating_add(more.output)),
    ];
    for (known, more) in rows {
        if let Some((node, count)) = known {
            splice.replace(node, u64::saturating_add(count, more).to_string());
        }
    }
    Some(splice.finish().into_owned())
}

#[cfg(test)]
mod tests {
    use llmend::model::Usage;

    use super::{told, with_more};
    use crate::splice::strict;

    #[test]
    fn tokens_are_summed_in_the_words_of_each_protocol() {
        let more = Usage { input: 10, output: 5, estimated: false };
        let rows = [
            (
                r#"{"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}"#,
                Some(r#"{"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}"#),
            ),
            (
                r#"{"response":{"usage":{"input_tokens":1,"output_tokens":2}}}"#,
                Some(r#"{"response":{"usage":{"input_tokens":11,"output_tokens":7}}}"#),
            ),
            (r#"{"usage":{"output_tokens":2}}"#, Some(r#"{"usage":{"output_tokens":7}}"#)),
            (r#"{"usage":null}"#, Some(r#"{"usage":null}"#)),
            (r#"{"a":1}"#, None),
        ];
        for (json, expected) in rows {
            assert_eq!(with_more(json, &more, 9).as_deref(), expected, "{json}");
        }
    }

    #[test]
    fn what_is_not_told_is_not_known() {
        let usage = |json: &str| {
            told(strict(json, 9).unwrap().root()).map(|usage| (usage.input, usage.output))
        };
        assert_eq!(usage(r#"{"usage":{"input_tokens":1,"output_tokens":2}}"#), Some((1, 2)));
        assert_eq!(usage(r#"{"usage":{"prompt_tokens":1}}"#), None);
        assert_eq!(usage("{}"), None);
    }
}
