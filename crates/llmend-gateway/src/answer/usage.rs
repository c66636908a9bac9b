//! Token counts of responses and events.

use llmend::json::{Node, Value};
use llmend::model::Usage;

use crate::splice::{Splice, strict};

/// The names of the counts in the protocols.
const INPUT: [&str; 2] = ["prompt_tokens", "input_tokens"];
const OUTPUT: [&str; 2] = ["completion_tokens", "output_tokens"];

fn count<'v>(usage: Node<'v>, names: [&str; 2]) -> Option<(Node<'v>, u64)> {
    let node = names.into_iter().find_map(|name| usage.get(name))?;
    node.number()?.parse().ok().map(|count| (node, count))
}

/// Reads the usage of a response.
pub(crate) fn reported(root: Node<'_>) -> Option<Usage> {
    let usage = root.get("usage")?;
    let (_, input) = count(usage, INPUT)?;
    let (_, output) = count(usage, OUTPUT)?;
    Some(Usage { input, output, estimated: false })
}

/// The counts that a response or its events have reported so far. Later reports replace earlier
/// ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UsageCounts {
    pub(crate) input: Option<u64>,
    pub(crate) output: Option<u64>,
}

impl UsageCounts {
    /// Reads counts from a response or an event. A message reports its input where it begins.
    pub(crate) fn add(&mut self, root: Node<'_>) {
        let within = |key: &str| root.get(key)?.get("usage");
        let places = [root.get("usage"), within("response"), within("message")];
        for usage in places.into_iter().flatten() {
            self.input = count(usage, INPUT).map(|(_, count)| count).or(self.input);
            self.output = count(usage, OUTPUT).map(|(_, count)| count).or(self.output);
        }
    }
}

/// Returns the usage object of a response or an event: in responses it may be nested.
fn usage_of<'v>(value: &'v Value<'_>) -> Option<Node<'v>> {
    let root = value.root();
    root.get("usage").or_else(|| root.get("response")?.get("usage"))
}

/// Adds `more` to the usage that a response or an event reports.
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

    use super::{UsageCounts, reported, with_more};
    use crate::splice::strict;

    #[test]
    fn tokens_are_summed_under_the_names_of_each_protocol() {
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
    fn later_events_add_to_earlier_ones() {
        let rows = [
            (&[r#"{"usage":{"prompt_tokens":1,"completion_tokens":2}}"#][..], (Some(1), Some(2))),
            (
                &[
                    r#"{"message":{"usage":{"input_tokens":7,"output_tokens":1}}}"#,
                    "{}",
                    r#"{"usage":{"output_tokens":9}}"#,
                ],
                (Some(7), Some(9)),
            ),
            (
                &[r#"{"response":{"usage":{"input_tokens":3,"output_tokens":4}}}"#],
                (Some(3), Some(4)),
            ),
            (&[r#"{"usage":null}"#, r#"{"usage":{"prompt_tokens":-1}}"#], (None, None)),
        ];
        for (events, expected) in rows {
            let mut counts = UsageCounts::default();
            for event in events {
                counts.add(strict(event, 9).unwrap().root());
            }
            assert_eq!((counts.input, counts.output), expected, "{events:?}");
        }
    }

    #[test]
    fn unreported_usage_is_unknown() {
        let usage = |json: &str| {
            reported(strict(json, 9).unwrap().root()).map(|usage| (usage.input, usage.output))
        };
        assert_eq!(usage(r#"{"usage":{"input_tokens":1,"output_tokens":2}}"#), Some((1, 2)));
        assert_eq!(usage(r#"{"usage":{"prompt_tokens":1}}"#), None);
        assert_eq!(usage("{}"), None);
    }
}
