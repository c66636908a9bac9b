//! Answers in a conversation as the subject of the loop.

use llmend_json::{Diagnostic, Error, ErrorKind, Kind, Options, Severity};
use llmend_plan::{Dialect, Document, Gaps, read_document};

use super::{Proposal, Reply};
use crate::{
    Review, ReviewOptions,
    asking::{
        Ending, Evaluation, FailedAnswer, FailureKind, PART_CUT, PlanSubject, Subject, Topic,
    },
    model::Output,
    patching, reviewing,
};

/// The content of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Contents {
    /// No JSON, or a lone scalar.
    Words(String),
    /// JSON that is, or is meant to be, a patch.
    Patch(String),
    /// Any other JSON, and its dialect.
    Whole(String, Dialect),
}

/// A conversation about a document.
#[derive(Clone, Debug)]
pub(super) struct ConversationSubject {
    /// Reads a whole document.
    whole: PlanSubject,
    /// Reads a patch. `None` without a document.
    change: Option<PlanSubject>,
}

impl ConversationSubject {
    pub(super) fn new(document: Option<Document>, gaps: Gaps, options: ReviewOptions) -> Self {
        let change = document.map(|document| PlanSubject {
            options: options.clone(),
            changing: Some((document, gaps)),
        });
        Self { whole: PlanSubject { options, changing: None }, change }
    }

    /// Determines the content of `answer`. An error means unreadable JSON, which is not plain text.
    fn contents(&self, answer: &str) -> Result<Contents, Error> {
        let options = hinted(&self.whole.options.text);
        let parsed = match llmend_json::parse_with(answer, &options) {
            Ok(parsed) => parsed,
            Err(error) if error.kind() == ErrorKind::NoJson => {
                return Ok(Contents::Words(answer.trim().to_owned()));
            }
            Err(error) => return Err(error),
        };
        let root = parsed.value.root();
        if !matches!(root.kind(), Kind::Array | Kind::Object) {
            let words = root.str().unwrap_or(answer).trim();
            return Ok(Contents::Words(words.to_owned()));
        }
        let json = parsed.report.output(answer).into_owned();
        let is_operations = |item: llmend_json::Node<'_>| item.get("op").is_some();
        if root.kind() == Kind::Array && root.items().next().is_some_and(is_operations) {
            return Ok(Contents::Patch(json));
        }
        let (is_patch, dialect) = match read_document(&parsed.value, &self.whole.options.plan) {
            Ok(read) => (matches!(read.value, Document::Patch(_)), read.dialect),
            Err(llmend_plan::Error::Unreadable { dialect, .. }) => (is_patch(dialect), dialect),
            Err(_) => (false, Dialect::Canonical),
        };
        let is_patch = is_patch || patching::FIELDS.iter().any(|name| root.get(name).is_some());
        Ok(if is_patch { Contents::Patch(json) } else { Contents::Whole(json, dialect) })
    }

    fn patch(&self, answer: &str, json: String, ending: Ending) -> Evaluation<Reply> {
        let Some(change) = &self.change else {
            let message = "expected a whole workflow, found a patch: there is no workflow yet";
            let row = Diagnostic::new("assistant/nothing-to-change", Severity::Error, message)
                .help("Give a whole workflow.");
            return Evaluation::unreadable(FailureKind::Structure, vec![row]);
        };
        proposed(change.read(answer, ending), json, Reply::Patch)
    }

    fn document(
        &self,
        answer: &str,
        json: String,
        dialect: Dialect,
        ending: Ending,
    ) -> Evaluation<Reply> {
        let mut whole = self.whole.clone();
        // The text is JSON, whatever surrounds it.
        whole.options.plan.dialect = dialect;
        proposed(whole.read(answer, ending), json, Reply::Whole)
    }
}

const fn is_patch(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Patch | Dialect::ClickweavePatch)
}

/// Turns a review into a proposal. A failed one without a document is a proposal too: it is
/// returned at the end.
fn proposed(
    judged: Evaluation<Review>,
    json: String,
    said: fn(Proposal) -> Reply,
) -> Evaluation<Reply> {
    let Evaluation { value, failure, findings, class, repairs, .. } = judged;
    let proposal = Proposal { json, review: value.map(Box::new) };
    Evaluation {
        value: Some(said(proposal)),
        failure,
        findings,
        json: None,
        own: None,
        class,
        repairs,
    }
}

/// Returns `options` with all names to look for.
fn hinted(options: &Options) -> Options {
    let mut options = options.clone();
    let names = patching::FIELDS.iter().chain(&reviewing::FIELDS);
    options.hints.keys.extend(names.map(|name| (*name).to_owned()));
    options
}

impl Topic for ConversationSubject {
    /// The answer may be plain text.
    fn output(&self) -> Output {
        Output::Text
    }

    fn excerpt(&self, failed: &FailedAnswer) -> Vec<String> {
        self.change.as_ref().unwrap_or(&self.whole).excerpt(failed)
    }

    fn is_known(&self, name: &str) -> bool {
        self.whole.is_known(name)
            || self.change.as_ref().is_some_and(|change| change.is_known(name))
    }

    /// A patch is corrected as a whole.
    fn is_local(&self, _finding: &Diagnostic) -> bool {
        false
    }
}

impl Subject for ConversationSubject {
    type Value = Reply;

    fn read(&self, answer: &str, ending: Ending) -> Evaluation<Reply> {
        match self.contents(answer) {
            Ok(Contents::Words(words)) if ending == Ending::Complete && !words.is_empty() => {
                Evaluation {
                    value: Some(Reply::Words(words)),
                    failure: None,
                    findings: Vec::new(),
                    json: None,
                    own: None,
                    class: None,
                    repairs: 0,
                }
            }
            Ok(Contents::Words(_)) => {
                let row = Diagnostic::new("value/truncated", Severity::Error, PART_CUT);
                Evaluation::unreadable(FailureKind::Truncation, vec![row])
            }
            Ok(Contents::Patch(json)) => self.patch(answer, json, ending),
            Ok(Contents::Whole(json, dialect)) => self.document(answer, json, dialect, ending),
            Err(error) => {
                let kind = FailureKind::of_json(error.kind());
                Evaluation::unreadable(kind, vec![(&error).into()])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use llmend_plan::Gaps;

    use super::{Contents, ConversationSubject};
    use crate::ReviewOptions;

    fn contents(answer: &str) -> &'static str {
        let talk = ConversationSubject::new(None, Gaps::Leave, ReviewOptions::default());
        match talk.contents(answer) {
            Ok(Contents::Words(_)) => "words",
            Ok(Contents::Patch(_)) => "patch",
            Ok(Contents::Whole(..)) => "whole",
            Err(_) => "unreadable",
        }
    }

    #[test]
    fn what_an_answer_contains_decides_what_it_is() {
        // S3-12: a patch, a plan, or conversation.
        let rows = [
            ("Which folder do you mean?", "words"),
            ("I did:\n- [x] nothing\n- [ ] yet", "words"),
            ("\"Which one?\"", "words"),
            ("Press [Enter] first.", "words"),
            ("7", "words"),
            (r#"{"remove_nodes": ["a"]}"#, "patch"),
            ("Gladly!\n```json\n{'add_edges': [{from: 'a', to: 'b'}],}\n```", "patch"),
            (r#"{"remove_node_ids": ["n2"]}"#, "patch"),
            (r#"{"add": [{"step_type": "Tool"}]}"#, "patch"),
            (r#"{"update": [{"node_id": "n1", "name": "x"}]}"#, "patch"),
            (r#"[{"op": "remove", "path": "/nodes/0"}]"#, "patch"),
            (r#"{"add_nodes": "none"}"#, "patch"),
            (r#"{"nodes": [], "edges": []}"#, "whole"),
            (r#"Here it is: {"steps": [{"id": "a"}]}"#, "whole"),
            // JSON of an unknown kind is asked for again as a document, and never taken for plain
            // text.
            (r#"{"remove_noeds": ["a"]}"#, "whole"),
            (r#"{"status": "done"}"#, "whole"),
            // Unreadable JSON is not plain text either.
            (r#"{"add_nodes": [{"id": "x", "count": 3 * n}]}"#, "unreadable"),
            (r#"Sure: {"nodes": [{"id": "#, "whole"),
            ("```json\n```", "unreadable"),
        ];
        for (answer, expected) in rows {
            assert_eq!(contents(answer), expected, "{answer}");
        }
    }
}
