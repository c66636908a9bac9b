//! Indexes of bad items in a list as the text has it.

use std::collections::HashMap;

use llmend_json::{Report, Rule, Span, Value};
use llmend_schema::{Coercion, CoercionKind};

/// Counts the items that were dropped while the text was read in the indexes of those that fitting dropped or
/// made null.
pub(crate) fn count_unread(report: &Report, value: &Value<'_>, coercions: &mut [Coercion]) {
    let unread: Vec<Span> = report
        .repairs
        .iter()
        .filter(|repair| repair.rule == Rule::UnreadableItem && repair.replacement.is_empty())
        .map(|repair| repair.span)
        .collect();
    if unread.is_empty() {
        return;
    }
    let mut lists: HashMap<String, Vec<Span>> = HashMap::new();
    for row in coercions.iter() {
        if let (Some(_), Some(span), Some((list, _))) =
            (row.index, row.span, row.path.rsplit_once('/'))
        {
            lists.entry(list.to_owned()).or_default().push(span);
        }
    }
    for (list, items) in &mut lists {
        let Some(list) = value.root().pointer(list) else { continue };
        items.extend(list.items().map(llmend_json::Node::span));
        items.sort_unstable_by_key(|item| item.start);
        let around = list.span();
        let is_item = |place: &Span| {
            let before = items.partition_point(|item| item.start <= place.start);
            let within = before.checked_sub(1).and_then(|at| items.get(at));
            around.start <= place.start
                && place.end <= around.end
                && within.is_none_or(|item| item.end <= place.start)
        };
        *items = unread.iter().copied().filter(is_item).collect();
    }
    for row in coercions {
        let (Some(index), Some(span)) = (row.index, row.span) else { continue };
        let Some((list, _)) = row.path.rsplit_once('/') else { continue };
        let Some(unread) = lists.get(list) else { continue };
        let index = index + unread.partition_point(|item| item.start < span.start);
        row.index = Some(index);
        if row.kind == CoercionKind::DroppedItem {
            row.path = format!("{list}/{index}");
        }
    }
}

#[cfg(test)]
mod tests {
    use llmend_schema::Schema;

    use crate::{CoerceMode, FitOptions, OnBadItem, Options, fit_with, schema};

    /// The kind, path and index of each item that fitting drops.
    fn dropped(text: &str, choice: crate::Choice) -> Vec<(String, Option<usize>)> {
        let schema = r#"{"items": {"properties": {"id": {"type": "integer"},
            "list": {"type": "array", "items": {"type": "integer"}}}}}"#;
        let schema = Schema::from_text(schema).unwrap();
        let on_bad_item = OnBadItem::Drop;
        let text_options = Options { on_bad_item, choice, ..Options::default() };
        let coerce = schema::Options { on_bad_item, ..schema::Options::default() };
        let options = FitOptions { text: text_options, coerce: CoerceMode::On(coerce) };
        let fitted = fit_with(text, &schema, &options).unwrap();
        assert!(fitted.violations.is_empty(), "{text} {:?}", fitted.violations);
        fitted.coercions.into_iter().map(|row| (row.path, row.index)).collect()
    }

    #[test]
    fn indexes_are_those_of_the_list_in_the_text() {
        let at = |index| (format!("/{index}"), Some(index));
        for (text, expected) in [
            (r#"[{"id": "x"}, {"id": 1}, {"id": "y"}, {"id": 2}]"#, vec![at(0), at(2)]),
            (r#"[{"id": 2*3}, {"id": 1}, {"id": "y"}, {"id": 2}]"#, vec![at(2)]),
            (r#"[{"id": "x"}, {"id": 2*3}, {"id": 1}, {"id": "y"}]"#, vec![at(0), at(3)]),
            (r#"[{"id": 2*3}, {"id": 4*5}, {"id": "x"}, {"id": "y"}]"#, vec![at(2), at(3)]),
            // Items of a list in an item are not items of this one.
            (
                r#"[{"list": [2*3, 1, "x"]}, {"id": "y"}]"#,
                vec![("/0/list/2".to_owned(), Some(2)), at(1)],
            ),
        ] {
            assert_eq!(dropped(text, crate::Choice::Best), expected, "{text}");
        }
        let lines = "{\"id\": 2*3}\n{\"id\": 1}\n{\"id\": \"x\"}\n{\"id\": 4*5}\n{\"id\": \"y\"}\n";
        assert_eq!(dropped(lines, crate::Choice::All), [at(2), at(4)]);
    }
}
