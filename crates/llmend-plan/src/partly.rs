//! What can be said of an answer of which only a part could be read?
//!
//! Whoever is to mend an answer wants all that is wrong with it at once, and nothing that only follows
//! from something else. So what was read is checked, and of the findings only those are told that
//! stand whatever the rest says.

use std::collections::HashSet;

use llmend_json::{Diagnostic, Severity};

use crate::{
    Document, Error, Extent, Options, ParsedDocument, Places, Reviewed, Step,
    review::{check, finish, review_document},
};

/// Findings about a step or an edge that stand also where others are not known. The others say that
/// something is not there, or not enough of it.
const STANDING: [&str; 21] = [
    "plan/too-many",
    "plan/empty-id",
    "plan/duplicate-id",
    "plan/similar-id",
    "plan/unknown-tool",
    "plan/unknown-capability",
    "plan/arguments",
    "plan/tool-schema",
    "plan/expression",
    "plan/template-syntax",
    "plan/template-path",
    "plan/undeclared-dependency",
    "plan/self-dependency",
    "plan/cycle",
    "workflow/duplicate-case",
    "workflow/no-case",
    "workflow/case-with-two-edges",
    "workflow/unknown-case",
    "workflow/no-iterations",
    "workflow/missing-operand",
    "workflow/empty-variable",
];

/// Infers and checks what was read, as far as it could be: [`review_document`] where all of it was,
/// and otherwise what was read with the problems there, all that is wrong with the rest, and no fixes.
///
/// What only follows from a problem of the reading is not told: that a step has no tool, since it was
/// no text, or that a step is not there which others wait for, where one could not be read. An error
/// means that nothing could.
///
/// ```
/// use llmend_plan::{Options, read_text_partial, review_partly};
///
/// let answer = "{steps: [{id: 'a', tool: 7}, {id: 'b', depends_on: ['a', 'c']}]}";
/// let options = Options::default();
/// let reviewed = review_partly(read_text_partial(answer, &options)?, answer, &options)?;
/// let codes: Vec<_> = reviewed.diagnostics.iter().map(|row| &*row.code).collect();
/// assert_eq!(codes, ["plan/wrong-type", "plan/unknown-dependency"]);
/// # Ok::<(), llmend_plan::Error>(())
/// ```
pub fn review_partly(
    read: ParsedDocument<Option<Document>>,
    text: &str,
    options: &Options,
) -> Result<Reviewed<Document>, Error> {
    if !read.has_errors() {
        return Ok(review_document(read.whole()?, text, options));
    }
    let ParsedDocument { value, dialect, diagnostics, places } = read;
    let Some(value) = value.filter(|value| !is_empty(value)) else {
        return Err(Error::Unreadable { dialect, diagnostics });
    };
    let problems = diagnostics.len();
    let told = told(&diagnostics);
    let mut reviewed = match known(&value, &places, &diagnostics) {
        Known::AllItems => {
            review_document(ParsedDocument { value, dialect, diagnostics, places }, text, options)
        }
        // Where a step is not known, neither is how the others hang together.
        Known::SomeItems => {
            let mut found = check(&value, dialect, options);
            found.retain(|it| STANDING.contains(&&*it.diagnostic.code));
            finish(value, dialect, diagnostics, (places, found), text)
        }
    };
    let found = reviewed.diagnostics.split_off(problems);
    let is_told = |row: &Diagnostic| row.path.as_deref().is_some_and(|path| is_within(path, &told));
    reviewed.diagnostics.extend(found.into_iter().filter(|row| !is_told(row)));
    reviewed.fixes.clear();
    reviewed.extent = Extent::Part;
    Ok(reviewed)
}

/// Whether there is nothing in it that could be looked at.
fn is_empty(document: &Document) -> bool {
    match document {
        Document::Plan(plan) => plan.steps.iter().all(|step| *step == Step::default()),
        Document::Workflow(workflow) => workflow.nodes.is_empty(),
        Document::Patch(_) | Document::TaskResult(_) => false,
    }
}

/// How much of the list of steps, nodes or edges is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// All of it: what could not be read are fields of them, or of the whole.
    AllItems,
    /// Not all.
    SomeItems,
}

fn known(document: &Document, places: &Places, problems: &[Diagnostic]) -> Known {
    let all = match document {
        // A step stays in the list whatever is wrong with it.
        Document::Plan(plan) => plan.steps.iter().all(|step| !step.id.is_empty()),
        Document::Workflow(workflow) => {
            let items = [places.item_spans("nodes"), places.item_spans("edges")];
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

/// The paths of what could not be read.
fn told(problems: &[Diagnostic]) -> HashSet<String> {
    errors(problems).filter_map(|row| row.path.clone()).collect()
}

/// Whether `path` is one of `told`, or leads into it.
fn is_within(path: &str, told: &HashSet<String>) -> bool {
    let mut head = path;
    loop {
        match head.rfind('/').and_then(|at| head.get(..at)) {
            _ if told.contains(head) => return true,
            Some(above) => head = above,
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::STANDING;
    use crate::{Extent, Options, check, review};

    const GRAPH: &str = r#"{"nodes": [{"id": "a", "type": "tool", "tool": "x"}, NODE, {"id": "c", "type": "tool", "tool": "x"}], "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}EDGE]}"#;

    /// Rows of texts, and what is found as `code path`.
    #[test]
    fn all_is_told_at_once_and_nothing_twice() {
        let graph = |node: &str, edge: &str| GRAPH.replace("NODE", node).replace("EDGE", edge);
        for (text, expected) in [
            // What is wrong with other steps, and with other fields of the same.
            (
                "{steps: [{id: 'a', tool: 7, depends_on: ['a']}, {id: 'b', depends_on: ['c']}]}"
                    .to_owned(),
                "plan/wrong-type /steps/0/tool; plan/unknown-dependency /steps/1/depends_on/0; plan/self-dependency /steps/0/depends_on/0",
            ),
            // One of the steps may be `c`.
            (
                "{tasks: [{id: 'a'}, {tool: 'x'}, {id: 'b', deps: ['b', 'c']}]}".to_owned(),
                "plan/missing-field /tasks/1/id; plan/self-dependency /tasks/2/deps/0",
            ),
            (
                "{steps: [{id: 'a'}, 'b', {id: 'b', depends_on: ['c']}]}".to_owned(),
                "plan/wrong-type /steps/1",
            ),
            // An empty id is told where it is one, not where there is none.
            (
                "{steps: [{id: ''}, {id: 7, tool: []}]}".to_owned(),
                "plan/wrong-type /steps/1/tool; plan/empty-id /steps/0/id",
            ),
            // A node that is there, and one that is lost: then the graph is not known.
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
            assert_eq!((reviewed.extent, &reviewed.fixes), (Extent::Part, &vec![]));
            assert!(reviewed.into_whole().is_err(), "{text}");
        }
    }

    #[test]
    fn nothing_to_look_at_is_an_error() {
        for text in ["{steps: []}", "{nodes: [7], edges: []}", "7", "[7]"] {
            assert!(review(text, &Options::default()).is_err(), "{text}");
        }
    }

    #[test]
    fn what_stands_is_something_that_a_check_finds() {
        for code in STANDING {
            assert!(check::listed().any(|known| known.code == code), "{code}");
        }
    }
}
