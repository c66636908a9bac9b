//! Generated documents like those that models write, of any size.

use serde_json::Value;

use crate::node::{Layout, Node};
use crate::prose;
use crate::random::Random;
use crate::write::Writer;

/// An answer: a few members, followed by `items`, an array of records.
#[derive(Debug, Clone)]
pub struct Document {
    /// The members before the records.
    pub head: Vec<(String, Node)>,
    /// Plan steps, tool calls, messages and rows. Each contains a boolean, a null and a long string
    /// with a line break and a quoted phrase, at its top level or in its last member.
    pub records: Vec<Node>,
    /// The layout for which the size was chosen.
    pub layout: Layout,
}

impl Document {
    /// Generates a document whose valid text has about `bytes` bytes in `layout`. The result is the
    /// same on every machine, with at least one record.
    pub fn generate(bytes: usize, layout: Layout) -> Self {
        let mut random = Random::new(0x6C6C_6D65_6E64);
        let head = head(&mut random);
        let first = record(&mut random, 0);
        let mut document = Document { head, records: vec![first], layout };
        let mut length = document.text().len();
        loop {
            let record = record(&mut random, document.records.len());
            let more = Writer::record_length(&record, layout);
            if length + more / 2 > bytes {
                return document;
            }
            length += more;
            document.records.push(record);
        }
    }

    /// Returns the whole document as one value.
    pub fn node(&self) -> Node {
        let mut members = self.head.clone();
        members.push(("items".to_owned(), Node::Array(self.records.clone())));
        Node::Object(members)
    }

    /// Returns the whole document as a `serde_json::Value`.
    pub fn value(&self) -> Value {
        self.node().value()
    }

    /// Returns the valid text in the document's layout.
    pub fn text(&self) -> String {
        Writer::valid(&self.head, &self.records, self.layout)
    }
}

fn head(random: &mut Random) -> Vec<(String, Node)> {
    object(vec![
        ("id", format!("resp_{:012x}", random.bits() >> 16).into()),
        ("model", "assistant-large-2025-06".into()),
        ("created", 1_750_000_000_usize.into()),
        ("ok", true.into()),
        ("error", Node::Null),
    ])
}

/// Generates a record. The kinds alternate, so that a small document has several.
fn record(random: &mut Random, index: usize) -> Node {
    let members = match index % 4 {
        0 => plan_step(random, index),
        1 => row(random, index),
        2 => tool_call(random),
        _ => message(random),
    };
    Node::Object(members)
}

fn plan_step(random: &mut Random, index: usize) -> Vec<(String, Node)> {
    let depends = if index == 0 { vec![] } else { vec![format!("n{index}").into()] };
    object(vec![
        ("id", format!("n{}", index + 1).into()),
        ("type", random.pick(&["tool", "condition", "loop"]).into()),
        ("tool", random.pick(TOOLS).into()),
        ("arguments", arguments(random)),
        ("depends_on", Node::Array(depends)),
        ("optional", random.once_in(3).into()),
        ("timeout_ms", (500 * (1 + random.below(20))).into()),
        ("on_error", Node::Null),
        ("description", prose::long(random).into()),
    ])
}

fn row(random: &mut Random, index: usize) -> Vec<(String, Node)> {
    let first = random.pick(FIRST);
    let last = random.pick(LAST);
    let address = object(vec![
        ("street", format!("{} {}", random.pick(STREETS), 1 + random.below(180)).into()),
        ("city", random.pick(CITIES).into()),
        ("zip", format!("{:05}", random.below(99_999)).into()),
        ("geo", Node::Array(vec![coordinate(random, 90), coordinate(random, 180)])),
    ]);
    object(vec![
        ("id", (10_000 + index).into()),
        ("name", format!("{first} {last}").into()),
        ("email", format!("{}.{}@example.com", first.to_lowercase(), index).into()),
        ("active", (!random.once_in(4)).into()),
        ("score", fraction(random)),
        ("tags", words(random, TAGS)),
        ("address", Node::Object(address)),
        ("manager", Node::Null),
        ("notes", prose::long(random).into()),
    ])
}

fn tool_call(random: &mut Random) -> Vec<(String, Node)> {
    let function =
        object(vec![("name", random.pick(TOOLS).into()), ("arguments", arguments(random))]);
    object(vec![
        ("id", format!("call_{:016x}", random.bits()).into()),
        ("type", "function".into()),
        ("function", Node::Object(function)),
        ("parallel", random.once_in(2).into()),
        ("result", Node::Null),
        ("elapsed_ms", random.below(4_000).into()),
        ("reason", prose::long(random).into()),
    ])
}

fn message(random: &mut Random) -> Vec<(String, Node)> {
    let citations = (0..=random.below(3)).map(|_| {
        Node::Object(object(vec![
            ("title", prose::sentence(random).into()),
            (
                "url",
                format!("https://example.com/articles/{}?ref=a&page=2", random.below(9_999)).into(),
            ),
            ("page", (1 + random.below(400)).into()),
            ("score", fraction(random)),
        ]))
    });
    let citations = Node::Array(citations.collect());
    let usage = object(vec![
        ("input_tokens", random.below(9_000).into()),
        ("output_tokens", random.below(3_000).into()),
        ("cached", random.once_in(2).into()),
    ]);
    object(vec![
        ("role", random.pick(&["assistant", "user", "tool"]).into()),
        ("citations", citations),
        ("usage", Node::Object(usage)),
        ("finish_reason", Node::Null),
        ("content", prose::long(random).into()),
    ])
}

fn arguments(random: &mut Random) -> Node {
    let members = match random.below(4) {
        0 => vec![
            ("query", random.pick(QUERIES).into()),
            ("limit", (5 * (1 + random.below(20))).into()),
            ("fuzzy", random.once_in(2).into()),
            ("cursor", Node::Null),
        ],
        1 => vec![
            ("path", format!("/srv/reports/2025/{:02}/summary.csv", 1 + random.below(12)).into()),
            ("pattern", "^\\d{4}-\\d{2}$".into()),
            ("encoding", Node::Null),
            ("overwrite", false.into()),
        ],
        2 => vec![
            ("to", Node::Array(vec!["ops@example.com".into(), "sales@example.com".into()])),
            ("subject", prose::sentence(random).into()),
            ("urgent", random.once_in(5).into()),
            ("attachment", Node::Null),
        ],
        _ => vec![
            ("amount", fraction(random)),
            ("currency", random.pick(&["EUR", "USD", "CHF", "GBP"]).into()),
            (
                "filter",
                Node::Object(object(vec![
                    ("status", words(random, &["open", "paid", "late", "void"])),
                    ("min_total", random.below(1_000).into()),
                    (
                        "since",
                        format!("2025-{:02}-{:02}", 1 + random.below(12), 1 + random.below(28))
                            .into(),
                    ),
                ])),
            ),
            ("dry_run", true.into()),
            ("memo", Node::Null),
        ],
    };
    Node::Object(object(members))
}

fn object(members: Vec<(&str, Node)>) -> Vec<(String, Node)> {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn words(random: &mut Random, from: &[&str]) -> Node {
    Node::Array((0..=random.below(4)).map(|_| random.pick(from).into()).collect())
}

/// Has at most four digits, which every parser reads to the same float.
fn fraction(random: &mut Random) -> Node {
    Node::Number(format!("{}.{:02}", random.below(100), 1 + random.below(99)))
}

fn coordinate(random: &mut Random, limit: usize) -> Node {
    let sign = if random.once_in(2) { "-" } else { "" };
    Node::Number(format!("{sign}{}.{:04}", random.below(limit), 1 + random.below(9_998)))
}

const TOOLS: &[&str] = &[
    "search_orders",
    "send_email",
    "read_file",
    "create_ticket",
    "convert_currency",
    "list_events",
    "run_query",
];
const QUERIES: &[&str] = &[
    "late deliveries in Q3",
    "customer's open invoices",
    "status:open label:bug",
    "flights to Lisbon",
    "größte Städte",
];
const TAGS: &[&str] =
    &["vip", "newsletter", "eu-west", "trial", "needs review", "2024", "do-not-call"];
const FIRST: &[&str] =
    &["Ada", "Jonas", "Mei", "Tariq", "Ingrid", "Luis", "Noor", "Piotr", "Zoë", "Kwame"];
const LAST: &[&str] =
    &["Moreno", "O'Neill", "Lindqvist", "Okafor", "Tanaka", "Bauer", "D'Souza", "Novák"];
const STREETS: &[&str] =
    &["Harbour Road", "Mill Lane", "Rue des Lilas", "Königsallee", "St. Mary's Square"];
const CITIES: &[&str] = &["Lisbon", "Leeds", "Zürich", "Osaka", "Austin", "São Paulo", "Nairobi"];

#[cfg(test)]
mod tests {
    use super::Document;
    use crate::node::Layout;

    #[test]
    fn the_text_is_valid_and_of_the_size_asked_for() {
        for layout in Layout::ALL {
            for bytes in [1_000, 20_000, 300_000] {
                let document = Document::generate(bytes, layout);
                let text = document.text();
                let value: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
                assert_eq!(value, document.value());
                let off = text.len().abs_diff(bytes);
                assert!(off < 700, "{} bytes for {bytes}", text.len());
            }
        }
    }

    #[test]
    fn the_same_arguments_give_the_same_text() {
        let text = || Document::generate(5_000, Layout::Pretty).text();
        assert_eq!(text(), text());
    }
}
