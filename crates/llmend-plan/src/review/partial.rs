//! Review of answers that could be read only in part.
//!
//! To repair an answer, a model needs all problems at once, but none that only follow from others. So the
//! readable part is checked, and only the findings that hold regardless of the rest are reported.

use std::collections::HashSet;

use llmend_json::{Diagnostic, Severity};

use crate::{
    Document, Error, Locations, Options, ParsedDocument, Step, listing,
    review::{Extent, Reviewed, check, finish, review_document},
};

/// Infers and checks what could be read. If reading had no errors, this is [`review_document`];
/// otherwise it returns the readable part with the errors of reading, the findings about the rest, and
/// no fixes.
///
/// Findings that only follow from a reading error are omitted: a missing tool whose value had the wrong
/// type, or an unknown dependency when a step could not be read. Returns an error if nothing could be
/// read.
///
/// ```
/// use llmend_plan::{Options, read_text_partial, review_partial};
///
/// let answer = "{steps: [{id: 'a', tool: 7}, {id: 'b', depends_on: ['a', 'c']}]}";
/// let options = Options::default();
/// let reviewed = review_partial(read_text_partial(answer, &options)?, answer, &options)?;
/// let codes: Vec<_> = reviewed.diagnostics.iter().map(|row| &*row.code).collect();
/// assert_eq!(codes, ["plan/wrong-type", "plan/unknown-dependency"]);
/// # Ok::<(), llmend_plan::Error>(())
/// ```
pub fn review_partial(
    read: ParsedDocument<Option<Document>>,
    text: &str,
    options: &Options,
) -> Result<Reviewed<Document>, Error> {
    if !read.has_errors() {
        return Ok(review_document(read.whole()?, text, options));
    }
    let ParsedDocument { value, dialect, diagnostics, locations } = read;
    let Some(value) = value.filter(|value| !is_empty(value)) else {
        return Err(Error::Unreadable { dialect, diagnostics });
    };
    let problems = diagnostics.len();
    let reported = reported(&diagnostics);
    let mut reviewed = match known(&value, &locations, &diagnostics) {
        Known::AllItems => review_document(
            ParsedDocument { value, dialect, diagnostics, locations },
            text,
            options,
        ),
        // If a step is unknown, so are the relations of the others.
        Known::SomeItems => {
            let mut found = check(&value, dialect, options);
            found.retain(|it| listing::is_standalone(&it.diagnostic.code));
            finish(value, dialect, diagnostics, (locations, found), text)
        }
    };
    let found = reviewed.diagnostics.split_off(problems);
    let is_reported =
        |row: &Diagnostic| row.path.as_deref().is_some_and(|path| is_within(path, &reported));
    reviewed.diagnostics.extend(found.into_iter().filter(|row| !is_reported(row)));
    reviewed.fixes.clear();
    reviewed.extent = Extent::Partial;
    Ok(reviewed)
}

/// Returns whether nothing in the document can be checked.
fn is_empty(document: &Document) -> bool {
    match document {
        Document::Plan(plan) => plan.steps.iter().all(|step| *step == Step::default()),
        Document::Workflow(workflow) => workflow.nodes.is_empty(),
        Document::Patch(_) | Document::TaskResult(_) => false,
    }
}

/// How much of the lists of steps, nodes and edges is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// All items: only fields of items, or of the document, could not be read.
    AllItems,
    /// Some items.
    SomeItems,
}

fn known(document: &Document, locations: &Locations, problems: &[Diagnostic]) -> Known {
    let all = match document {
        // A step stays in the list even if its fields are invalid.
        Document::Plan(plan) => plan.steps.iter().all(|step| !step.id.is_empty()),
        Document::Workflow(workflow) => {
            let items = [locations.item_spans("nodes"), locations.item_spans("edges")];
            let stays = |row: &Diagnostic| {
                row.span.is_some_and(|span| items.iter().any(|it| it.around(span).is_some()))
            };
            workflow.nodes.iter().all(|node| !node.id.is_empty()) && errors(problems).all(stays)
        }
        Document::Patch(_) | Document::TaskResult(_) => true,
    };
    if all { Known::AllItems } else { Known::SomeItems }
}

fn errors(rows: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    rows.iter().filter(|row| row.severity == Severity::Error)
}

/// Returns the paths of what could not be read.
fn reported(problems: &[Diagnostic]) -> HashSet<String> {
    errors(problems).filter_map(|row| row.path.clone()).collect()
}

/// Returns whether `path` is in `reported`, or below one of its paths.
fn is_within(path: &str, reported: &HashSet<String>) -> bool {
    let mut head = path;
    loop {
        match head.rfind('/').and_then(|at| head.get(..at)) {
            _ if reported.contains(head) => return true,
            Some(above) => head = above,
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Extent, Options, review};

    const GRAPH: &str = r#"{"nodes": [{"id": "a", "type": "tool", "tool": "x"}, NODE, {"id": "c", "type": "tool", "tool": "x"}], "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}EDGE]}"#;

    /// Rows of texts, and what is found as `code path`.
    #[test]
    fn all_is_reported_at_once_and_nothing_twice() {
        let graph = |node: &str, edge: &str| GRAPH.replace("NODE", node).replace("EDGE", edge);
        for (text, expected) in [
            // Problems of other steps, and of other fields of the same step.
            (
                "{steps: [{id: 'a', tool: 7, depends_on: ['a']}, {id: 'b', depends_on: ['c']}]}"
                    .to_owned(),
                "plan/wrong-type /steps/0/tool; plan/unknown-dependency /steps/1/depends_on/0; plan/self-dependency /steps/0/depends_on/0",
            ),
            // The unreadable step may be `c`.
            (
                "{tasks: [{id: 'a'}, {tool: 'x'}, {id: 'b', deps: ['b', 'c']}]}".to_owned(),
                "plan/missing-field /tasks/1/id; plan/self-dependency /tasks/2/deps/0",
            ),
            (
                "{steps: [{id: 'a'}, 'b', {id: 'b', depends_on: ['c']}]}".to_owned(),
                "plan/wrong-type /steps/1",
            ),
            // An empty id is reported, an unreadable one is not reported as empty.
            (
                "{steps: [{id: ''}, {id: 7, tool: []}]}".to_owned(),
                "plan/wrong-type /steps/1/tool; plan/empty-id /steps/0/id",
            ),
            // A node with an invalid field, and one that is lost: then the graph is unknown.
            (
                graph(
                    r#"{"id": "b", "type": "tool", "tool": "x", "retries": "two"}"#,
                    r#", {"from": "c", "to": "d"}"#,
                ),
                "plan/wrong-type /nodes/1/retries; plan/dangling-edge /edges/2/to",
            ),
            (
                graph(r#"{"id": "b", "type": "toll"}"#, r#", {"from": "c", "to": "d"}"#),
                "plan/unknown-type /nodes/1/type",
            ),
            (
                graph(
                    r#"{"id": "b", "type": "tool", "tool": "x"}"#,
                    r#", {"from": "a"}, {"from": "c", "to": "b"}"#,
                ),
                "plan/missing-field /edges/2/to",
            ),
        ] {
            let reviewed = review(&text, &Options::default()).unwrap();
            let rows = reviewed.diagnostics.iter();
            let rows =
                rows.map(|row| format!("{} {}", row.code, row.path.as_deref().unwrap_or("-")));
            assert_eq!(rows.collect::<Vec<_>>().join("; "), expected, "{text}");
            assert_eq!((reviewed.extent, &reviewed.fixes), (Extent::Partial, &vec![]));
            assert!(reviewed.into_whole().is_err(), "{text}");
        }
    }

    #[test]
    fn nothing_to_check_is_an_error() {
        for text in ["{steps: []}", "{nodes: [7], edges: []}", "7", "[7]"] {
            assert!(review(text, &Options::default()).is_err(), "{text}");
        }
    }
}
