//! Test cases as JSON lines, for programs that read them: texts to repair, answers with tool calls, and
//! answers for a schema.

use crate::case::{Case, Verdict};
use crate::data::Data;

/// Returns a case as a row.
#[must_use]
pub fn case(case: &Case) -> Data {
    let verdict = match case.verdict {
        Verdict::Value => "value",
        Verdict::Error => "error",
        Verdict::Ambiguous => "ambiguous",
    };
    let mut row = row(&case.id, &case.shape, &case.input, verdict);
    row.extend([
        ("expected", case.expected.clone().unwrap_or(Data::Null)),
        ("accept", Data::List(case.accept.clone())),
        ("note", Data::text(&*case.note)),
        ("valid_json", Data::Bool(case.valid_json)),
        ("cut", case.cut.map_or(Data::Null, Data::Bool)),
    ]);
    object(row)
}

fn row(id: &str, shape: &str, input: &str, verdict: &str) -> Vec<(&'static str, Data)> {
    vec![
        ("id", Data::text(id)),
        ("shape", Data::text(shape)),
        ("input", Data::text(input)),
        ("verdict", Data::text(verdict)),
    ]
}

fn object(members: Vec<(&str, Data)>) -> Data {
    Data::Map(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

#[cfg(feature = "llmend")]
pub use generated::{NAMES, generated};

#[cfg(feature = "llmend")]
mod generated {
    use llmend_calls::NOTATIONS;

    use super::{object, row};
    use crate::calls::{Answer, Call, damaged};
    use crate::data::Data;
    use crate::schema::{self, beyond, reversible};

    /// The sorts of answers that have tools or a schema beside the text.
    pub const NAMES: &[&str] =
        &["calls", "calls-damaged", "schema-valid", "schema-near", "schema-beyond"];

    /// Generates answers of a sort: `count` of a schema's, or `count` in each notation of calls.
    #[must_use]
    pub fn generated(name: &str, seed: u64, count: usize) -> Option<Vec<Data>> {
        let calls = |make: fn(&'static str, u64, usize) -> Option<Data>| {
            let each = NOTATIONS.iter().flat_map(|notation| {
                (0..count).filter_map(move |index| make(notation.name, seed, index))
            });
            each.collect()
        };
        let schemas = |make: fn(u64, usize) -> schema::Case, verdict| {
            (0..count).map(|index| answer(make(seed, index), verdict)).collect()
        };
        Some(match name {
            "calls" => calls(|notation, seed, index| Some(whole(notation, seed, index))),
            "calls-damaged" => calls(broken),
            "schema-valid" => schemas(schema::valid, "value"),
            "schema-near" => schemas(reversible::case, "value"),
            "schema-beyond" => schemas(beyond::case, "error"),
            _ => return None,
        })
    }

    fn answer(case: schema::Case, verdict: &str) -> Data {
        let kind = case.damages.first().map_or("valid", |damage| damage.kind);
        let mut row = row(&case.id, kind, &case.text, verdict);
        row.extend([
            ("schema", Data::read(&case.schema.to_string()).unwrap_or(Data::Null)),
            ("expected", if verdict == "error" { Data::Null } else { case.instance }),
            ("accept", Data::List(Vec::new())),
        ]);
        object(row)
    }

    fn whole(notation: &'static str, seed: u64, index: usize) -> Data {
        let answer = Answer::generate(notation, seed, index);
        with_calls(&answer, notation, &answer.write().text, answer.calls.len())
    }

    /// A damaged answer, unless its JSON may as well be another value. Where the text is cut off, the calls
    /// before the cut are expected, and one that is read although it is cut off is as good.
    fn broken(notation: &'static str, seed: u64, index: usize) -> Option<Data> {
        let case = damaged(notation, seed, index);
        if case.kind == "none" || !case.written.accept.is_empty() {
            return None;
        }
        let end = case.cut.unwrap_or(usize::MAX);
        let complete = case.written.calls.iter().filter(|call| call.end <= end).count();
        Some(with_calls(&case.answer, case.kind, &case.written.text, complete))
    }

    fn with_calls(answer: &Answer, shape: &str, text: &str, complete: usize) -> Data {
        let list = |count: usize| Data::List(answer.calls[..count].iter().map(call).collect());
        let mut row = row(&answer.id, shape, text, "value");
        row.extend([
            ("tools", Data::read(&answer.tools_json()).unwrap_or(Data::Null)),
            ("expected", list(complete)),
            ("accept", Data::List((complete + 1..=answer.calls.len()).map(list).collect())),
        ]);
        object(row)
    }

    fn call(call: &Call) -> Data {
        let arguments = Data::Map(call.arguments.clone());
        object(vec![("name", Data::text(&*call.name)), ("arguments", arguments)])
    }

    #[cfg(test)]
    mod tests {
        use super::{NAMES, generated};
        use crate::data::Data;

        #[test]
        fn every_sort_says_what_is_expected() {
            for name in NAMES {
                let rows = generated(name, 1, 2).unwrap();
                assert!(rows.len() >= 2, "{name}");
                for row in rows {
                    let beside = row.get("tools").or_else(|| row.get("schema"));
                    assert!(!matches!(beside, None | Some(Data::Null)), "{name}: {}", row.write());
                    let is_error = row.get("verdict") == Some(&Data::text("error"));
                    assert_eq!(is_error, *name == "schema-beyond");
                    assert_eq!(row.get("expected") == Some(&Data::Null), is_error);
                }
            }
            assert!(generated("call", 1, 2).is_none());
        }
    }
}
