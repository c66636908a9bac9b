//! Requirements and the tests that prove them.
//!
//! docs/reference/requirements.md lists the requirements, one `- S0-01 wording` a line. A test or fixture
//! proves one by naming its id, or a range of ids such as `S0-20…S0-23`, in its text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::source::Outline;
use crate::tree::{File, Tree};

const LIST: &str = "docs/reference/requirements.md";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Fail unless each of these ids (`S0-01`) and ranges (`S0-20..S0-23`) is cited by a test.
    #[arg(long, value_name = "ID", num_args = 1..)]
    check: Vec<String>,
}

pub(crate) fn run(root: &Path, arguments: &Arguments) -> Result<()> {
    let tree = Tree::read(root)?;
    let list = tree.file(LIST).with_context(|| format!("{LIST} is missing"))?;
    let mut citations = BTreeMap::<Id, Vec<String>>::new();
    for file in &tree.files {
        for (id, line) in citations_in(file) {
            citations.entry(id).or_default().push(format!("{}:{line}", file.path));
        }
    }
    let requirements = parse_list(&list.text);
    let checked = parse_check(&arguments.check)?;
    print!("{}", table(&requirements, &citations));
    let pending: Vec<String> = checked
        .iter()
        .filter(|id| !requirements.contains_key(id) || !citations.contains_key(id))
        .map(Id::to_string)
        .collect();
    if !pending.is_empty() {
        bail!("no test cites {}", pending.join(", "));
    }
    Ok(())
}

/// The number of a source system and of one of its requirements: `S0-16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Id {
    seed: u8,
    number: u8,
}

impl Id {
    /// How many bytes an id has.
    const LENGTH: usize = 5;

    /// Reads the id at the start of `text`.
    fn at_start(text: &str) -> Option<Self> {
        let [b'S', seed @ b'0'..=b'9', b'-', tens @ b'0'..=b'9', ones @ b'0'..=b'9', rest @ ..] =
            text.as_bytes()
        else {
            return None;
        };
        if rest.first().is_some_and(u8::is_ascii_alphanumeric) {
            return None;
        }
        Some(Self { seed: seed - b'0', number: 10 * (tens - b'0') + (ones - b'0') })
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S{}-{:02}", self.seed, self.number)
    }
}

/// Every id that `line` names, the inside of ranges included.
fn ids_in(line: &str) -> Vec<Id> {
    let mut ids: Vec<Id> = Vec::new();
    let mut end_of_last = None;
    for (at, _) in line.match_indices('S') {
        let inside_word = line[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let Some(id) = Id::at_start(&line[at..]).filter(|_| !inside_word) else { continue };
        if let (Some(last), Some(end)) = (ids.last().copied(), end_of_last)
            && is_range_mark(&line[end..at])
            && last.seed == id.seed
        {
            ids.extend((last.number + 1..id.number).map(|number| Id { number, ..id }));
        }
        ids.push(id);
        end_of_last = Some(at + Id::LENGTH);
    }
    ids
}

fn is_range_mark(between: &str) -> bool {
    matches!(between.trim(), "…" | ".." | "..." | "..=" | "–" | "-" | "to")
}

/// The requirements of the list: id and wording.
fn parse_list(text: &str) -> BTreeMap<Id, &str> {
    let items = text.lines().filter_map(|line| line.strip_prefix("- "));
    let rows = items.filter_map(|item| Some((Id::at_start(item)?, item.get(Id::LENGTH..)?.trim())));
    rows.collect()
}

fn parse_check(words: &[String]) -> Result<BTreeSet<Id>> {
    let mut ids = BTreeSet::new();
    for word in words {
        let found = ids_in(word);
        if found.is_empty() {
            bail!("{word} is no id: they look like S0-01, a range like S0-01..S0-04");
        }
        ids.extend(found);
    }
    Ok(ids)
}

/// The ids that tests and fixtures in `file` cite, each with its line.
fn citations_in(file: &File) -> Vec<(Id, usize)> {
    let Some(outline) = proofs(file) else { return Vec::new() };
    let lines = (1..).zip(file.text.lines()).filter(|(line, _)| match &outline {
        Proofs::Everywhere => true,
        Proofs::Tests(outline) => outline.is_test(*line),
    });
    lines.flat_map(|(line, text)| ids_in(text).into_iter().map(move |id| (id, line))).collect()
}

/// Where in a file a citation counts.
enum Proofs {
    Everywhere,
    Tests(Outline),
}

fn proofs(file: &File) -> Option<Proofs> {
    let path = file.path.as_str();
    let in_folder = |name: &str| path.split('/').rev().skip(1).any(|folder| folder == name);
    // The tests of this very file name ids as examples.
    if in_folder("xtask") {
        None
    } else if ["tests", "test", "testing", "fixtures", "corpus", ".ci"].into_iter().any(in_folder)
        || file.name() == "tests.rs"
    {
        Some(Proofs::Everywhere)
    } else if file.is_rust() {
        Some(Proofs::Tests(Outline::of(&file.text).unwrap_or_default()))
    } else {
        None
    }
}

/// One paragraph a requirement, then what is cited in error, then the totals.
fn table(requirements: &BTreeMap<Id, &str>, citations: &BTreeMap<Id, Vec<String>>) -> String {
    let mut lines = Vec::new();
    let mut totals = BTreeMap::<u8, (usize, usize)>::new();
    for (id, wording) in requirements {
        let places = citations.get(id).map_or(&[][..], Vec::as_slice);
        let state = if places.is_empty() { "pending" } else { "cited  " };
        lines.push(format!("{id}  {state}  {wording}"));
        lines.extend(places.iter().map(|place| format!("         {place}")));
        let (cited, all) = totals.entry(id.seed).or_default();
        *cited += usize::from(!places.is_empty());
        *all += 1;
    }
    for (id, places) in citations.iter().filter(|(id, _)| !requirements.contains_key(id)) {
        lines.push(format!("{id}  unknown: cited at {}", places.join(", ")));
    }
    lines.push(String::new());
    let total = |name: &str, cited: usize, all: usize| {
        format!("{name}: {cited} of {all} cited, {} pending", all - cited)
    };
    for (seed, (cited, all)) in &totals {
        lines.push(total(&format!("S{seed}"), *cited, *all));
    }
    let cited = totals.values().map(|(cited, _)| cited).sum();
    lines.push(total("all", cited, requirements.len()));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Id, LIST, citations_in, ids_in, parse_check, parse_list, table};
    use crate::tree::{File, Tree, root};

    fn shown(ids: impl IntoIterator<Item = Id>) -> String {
        ids.into_iter().map(|id| id.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ids_and_ranges_are_read() {
        let rows = [
            ("// S0-16: the guard", "S0-16"),
            ("// S0-08, S0-09 and S2-05.", "S0-08 S0-09 S2-05"),
            ("// S0-20…S0-23", "S0-20 S0-21 S0-22 S0-23"),
            ("// S0-20..S0-22", "S0-20 S0-21 S0-22"),
            ("// S0-20–S0-22, S1-01", "S0-20 S0-21 S0-22 S1-01"),
            ("// S0-20 to S0-22", "S0-20 S0-21 S0-22"),
            ("// S0-20…S1-22", "S0-20 S1-22"),
            ("// S0-22…S0-20", "S0-22 S0-20"),
            ("fn s0() { \"IS0-16\"; \"S0-167\"; \"S0-1\" }", ""),
            ("é S0-16é", "S0-16"),
            ("", ""),
        ];
        for (line, expected) in rows {
            assert_eq!(shown(ids_in(line)), expected, "{line}");
        }
    }

    #[test]
    fn citations_count_in_tests_and_fixtures_only() {
        let source = "// S0-01\nfn a() {}\n\n// S0-02\n#[test]\nfn b() {\n  // S0-03\n}\n";
        let rows = [
            ("crates/llmend-json/src/a.rs", "S0-02 S0-03"),
            ("crates/llmend-json/tests/a.rs", "S0-01 S0-02 S0-03"),
            ("crates/llmend-json/src/a/tests.rs", "S0-01 S0-02 S0-03"),
            ("testing/fixtures/a.toml", "S0-01 S0-02 S0-03"),
            ("bindings/python/tests/test_a.py", "S0-01 S0-02 S0-03"),
            (".ci/run", "S0-01 S0-02 S0-03"),
            ("docs/reference/requirements.md", ""),
            ("xtask/src/requirements.rs", ""),
        ];
        for (path, expected) in rows {
            let file = File { path: path.to_owned(), text: source.to_owned() };
            assert_eq!(
                shown(citations_in(&file).into_iter().map(|(id, _)| id)),
                expected,
                "{path}"
            );
        }
    }

    #[test]
    fn the_table_distinguishes_cited_from_pending() {
        let requirements = parse_list("# S0\n- S0-01 One.\n- S0-02 Two.\n- other\nS0-03 no item\n");
        let cited = |text: &str| ids_in(text)[0];
        let citations = BTreeMap::from([
            (cited("S0-01"), vec!["a.rs:1".to_owned(), "b.rs:2".to_owned()]),
            (cited("S9-99"), vec!["c.rs:3".to_owned()]),
        ]);
        let expected = "S0-01  cited    One.\n         a.rs:1\n         b.rs:2\nS0-02  pending  Two.\n\
            S9-99  unknown: cited at c.rs:3\n\nS0: 1 of 2 cited, 1 pending\nall: 1 of 2 cited, 1 pending\n";
        assert_eq!(table(&requirements, &citations), expected);
    }

    #[test]
    fn what_is_to_be_checked_must_be_an_id() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            shown(parse_check(&words(&["S0-01", "S1-01..S1-02"])).unwrap()),
            "S0-01 S1-01 S1-02"
        );
        assert!(parse_check(&words(&["S0-01", "fences"])).is_err());
    }

    #[test]
    fn the_list_is_complete() {
        let tree = Tree::read(&root().unwrap()).unwrap();
        let requirements = parse_list(&tree.file(LIST).unwrap().text);
        let counts: Vec<_> =
            (0..=5).map(|seed| requirements.keys().filter(|id| id.seed == seed).count()).collect();
        assert_eq!(counts, [48, 41, 37, 68, 30, 0]);
        assert!(requirements.values().all(|wording| !wording.is_empty()));
    }
}
