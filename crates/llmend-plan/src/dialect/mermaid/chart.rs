//! Flowcharts: nodes, edges and groups, as they are written.

use std::collections::HashMap;

use llmend_json::Span;

use crate::dialect::mermaid::{
    drawn, id,
    link::{self, Arrow},
    shape::{self, Shape},
};

/// A flowchart.
#[derive(Default)]
pub(super) struct Chart<'t> {
    pub(super) nodes: Vec<ChartNode<'t>>,
    pub(super) index: HashMap<&'t str, usize>,
    pub(super) edges: Vec<ChartEdge<'t>>,
    pub(super) groups: Vec<Group<'t>>,
    /// Texts that cannot be read, with the reason.
    pub(super) unreadable: Vec<(Span, &'static str)>,
    /// Statements that are ignored, with what they say.
    pub(super) ignored: Vec<(Span, &'static str)>,
    /// The first statement that only sets how the chart looks.
    pub(super) looks: Option<Span>,
    /// What the comments of a drawing of llmend say.
    pub(super) drawn: drawn::Comments,
    /// Whether there are more edges than the limit.
    pub(super) is_full: bool,
}

/// A node of a flowchart.
pub(super) struct ChartNode<'t> {
    pub(super) id: &'t str,
    /// The text in its shape, as written.
    pub(super) label: Option<&'t str>,
    pub(super) shape: Shape,
    /// Where it has its text, or is first mentioned.
    pub(super) span: Span,
    pub(super) classes: Vec<&'t str>,
}

/// An edge of a flowchart.
pub(super) struct ChartEdge<'t> {
    pub(super) from: &'t str,
    pub(super) to: &'t str,
    pub(super) label: Option<&'t str>,
    /// Whether it has a head.
    pub(super) is_arrow: bool,
    pub(super) span: Span,
}

/// A subgraph.
pub(super) struct Group<'t> {
    pub(super) id: &'t str,
    pub(super) title: &'t str,
    pub(super) span: Span,
    /// Nodes in it, also in the groups in it.
    pub(super) members: Vec<usize>,
    parent: Option<usize>,
}

/// Parses the statements in `body` of `text`; at most `most` edges are kept.
pub(super) fn parse(text: &str, body: Span, most: usize) -> Chart<'_> {
    let mut parser = Parser {
        text,
        at: body.start,
        end: body.end,
        most,
        open: Vec::new(),
        chart: Chart::default(),
    };
    while parser.statement() {}
    let mut chart = parser.chart;
    let groups: Vec<Option<usize>> = chart.groups.iter().map(|group| group.parent).collect();
    // The nodes of a group are those of the groups around it as well.
    for (at, parent) in groups.iter().enumerate().rev() {
        let members = chart.groups.get(at).map(|group| group.members.clone()).unwrap_or_default();
        if let Some(parent) = parent.and_then(|parent| chart.groups.get_mut(parent)) {
            parent.members.extend(members);
        }
    }
    chart
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    most: usize,
    /// Open subgraphs.
    open: Vec<usize>,
    chart: Chart<'t>,
}

/// Statements that only set how a chart looks.
const LOOKS: [&str; 6] = ["classDef", "style", "linkStyle", "direction", "accTitle", "accDescr"];

/// Levels of groups that are kept; deeper ones count as the deepest.
const DEEPEST: usize = 32;

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    /// Returns the rest of the line.
    fn line(&self) -> &'t str {
        self.rest().split('\n').next().unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\u{a0}']).len();
    }

    fn skip_line(&mut self) {
        self.at += self.line().len();
    }

    /// Parses one statement; returns false at the end.
    fn statement(&mut self) -> bool {
        let rest = self.rest();
        let is_gap = |one: char| one.is_whitespace() || one == ';';
        self.at += rest.len() - rest.trim_start_matches(is_gap).len();
        let (rest, start) = (self.rest(), self.at);
        if rest.is_empty() {
            return false;
        }
        if rest.starts_with("%%") {
            self.comment();
        } else if !self.keyword() && !self.chain() {
            let reason = "expected nodes and links";
            self.skip_line();
            self.chart.unreadable.push((self.line_from(start), reason));
        }
        true
    }

    /// Returns the span from `start` to here, without the blanks at its end.
    fn line_from(&self, start: usize) -> Span {
        let text = self.text.get(start..self.at).unwrap_or_default();
        Span::new(start, start + text.trim_end().len())
    }

    fn comment(&mut self) {
        let rest = self.rest();
        if rest.starts_with("%%{") {
            let start = self.at;
            self.at += rest.find("}%%").map_or(self.line().len(), |end| end + 3);
            self.look(start);
            return;
        }
        let line = self.line();
        self.chart.drawn.read(line.trim_start_matches('%'));
        self.skip_line();
    }

    fn look(&mut self, start: usize) {
        let span = self.line_from(start);
        self.chart.looks.get_or_insert(span);
    }

    /// Parses a statement that starts with a keyword.
    fn keyword(&mut self) -> bool {
        let (line, start) = (self.line(), self.at);
        let word = line.split(|one: char| !one.is_alphanumeric()).next().unwrap_or_default();
        let after = line.get(word.len()..).unwrap_or_default();
        let inner = after.trim();
        let is_apart = after.is_empty() || after.starts_with([' ', '\t', ';', '\r']);
        let is_used = link::starts(inner) || inner.starts_with('&');
        match word {
            "subgraph" if is_apart => self.group(after, start),
            "end" if is_apart && !is_used => {
                self.at += word.len();
                if self.open.pop().is_none() {
                    self.chart.ignored.push((self.line_from(start), "`end` without a subgraph"));
                }
            }
            "class" if is_apart && !is_used && !inner.is_empty() => {
                self.skip_line();
                if let Some((nodes, class)) = inner.trim_end_matches(';').rsplit_once(' ') {
                    for node in nodes.split(',') {
                        self.classed(node.trim(), class);
                    }
                }
                self.look(start);
            }
            "click" | "href" if is_apart && !is_used && !inner.is_empty() => {
                self.skip_line();
                self.chart.ignored.push((self.line_from(start), "an action of a page"));
            }
            _ if LOOKS.contains(&word)
                && (is_apart || after.starts_with(':'))
                && !is_used
                && !inner.is_empty() =>
            {
                let length = line.find(';').filter(|_| word == "direction");
                self.at += length.unwrap_or(line.len());
                if word == "accDescr" && inner.starts_with('{') {
                    self.at = start
                        + self
                            .text
                            .get(start..self.end)
                            .unwrap_or_default()
                            .find('}')
                            .map_or(line.len(), |end| end + 1);
                }
                self.look(start);
            }
            _ => return false,
        }
        true
    }

    fn classed(&mut self, node: &str, class: &'t str) {
        let known = self.chart.index.get(node).copied();
        if let Some(node) = known.and_then(|at| self.chart.nodes.get_mut(at)) {
            node.classes.push(class);
        }
    }

    /// Parses `subgraph id [title]`.
    fn group(&mut self, after: &'t str, start: usize) {
        let after = after.split(';').next().unwrap_or_default().trim();
        let cut = after.find(['[', '"']).unwrap_or(after.len());
        let (id, title) = after.split_at(cut);
        let (id, title) = (id.trim(), title.trim());
        let title =
            title.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(title);
        let title = title.trim_matches(['"', ' ']);
        let (id, title) = match (id, title) {
            ("", title) => (title, title),
            (id, "") => (id, id),
            both => both,
        };
        self.skip_line();
        let group = Group {
            id,
            title,
            span: self.line_from(start),
            members: Vec::new(),
            parent: self.open.last().copied(),
        };
        if self.open.len() < DEEPEST {
            self.chart.groups.push(group);
            self.open.push(self.chart.groups.len() - 1);
        } else {
            let deepest = self.open.last().copied().unwrap_or_default();
            self.open.push(deepest);
        }
    }

    /// Parses nodes and the links between them.
    fn chain(&mut self) -> bool {
        let start = self.at;
        let Some(mut left) = self.nodes(start) else { return false };
        let mut is_linked = false;
        loop {
            self.skip_blanks();
            let Some(found) = link::parse(self.rest()) else { break };
            is_linked = true;
            self.at += found.len;
            if found.is_styled {
                self.look(self.at - found.len);
            }
            self.skip_blanks();
            let Some(right) = self.nodes(self.at) else {
                let reason = "expected a node behind the link";
                self.skip_line();
                self.chart.unreadable.push((self.line_from(start), reason));
                return true;
            };
            self.connect(&left, &right, &found, start);
            left = right;
        }
        self.skip_blanks();
        let rest = self.rest();
        let is_done = rest.is_empty() || rest.starts_with(['\n', ';']) || rest.starts_with("%%");
        if !is_done {
            self.skip_line();
            self.chart
                .unreadable
                .push((self.line_from(start), "expected a link or the end of the line"));
        }
        // Several words alone are prose.
        let is_prose = |id: &&str| id.contains(' ') || id.ends_with(['.', ':', '!', ',']);
        if !is_linked && left.len() == 1 && left.iter().any(is_prose) {
            let known = left.first().and_then(|id| self.chart.index.get(id)).copied();
            if known
                .and_then(|at| self.chart.nodes.get(at))
                .is_some_and(|node| node.label.is_none())
            {
                self.forget(known);
                return false;
            }
        }
        true
    }

    /// Removes the last node, which is none.
    fn forget(&mut self, node: Option<usize>) {
        if node.is_some_and(|at| at + 1 == self.chart.nodes.len())
            && let Some(node) = self.chart.nodes.pop()
        {
            self.chart.index.remove(node.id);
            if let Some(group) = self.open.last().and_then(|at| self.chart.groups.get_mut(*at)) {
                group.members.pop();
            }
        }
    }

    fn connect(
        &mut self,
        left: &[&'t str],
        right: &[&'t str],
        found: &link::Link<'t>,
        start: usize,
    ) {
        let span = self.line_from(start);
        let (label, is_arrow) = (found.label, found.arrow != Arrow::Plain);
        for one in left {
            for other in right {
                let (forward, backward) = match found.arrow {
                    Arrow::Forward | Arrow::Plain => (true, false),
                    Arrow::Backward => (false, true),
                    Arrow::Both => (true, true),
                    Arrow::Invisible => (false, false),
                };
                let ends = [(forward, *one, *other), (backward, *other, *one)];
                for (_, from, to) in ends.into_iter().filter(|(points, ..)| *points) {
                    if self.chart.edges.len() >= self.most {
                        self.chart.is_full = true;
                        return;
                    }
                    self.chart.edges.push(ChartEdge { from, to, label, is_arrow, span });
                }
            }
        }
        if found.arrow == Arrow::Invisible {
            self.look(start);
        }
    }

    /// Parses `A[text] & B`, and returns the ids.
    fn nodes(&mut self, start: usize) -> Option<Vec<&'t str>> {
        let mut ids = vec![self.node(start)?];
        loop {
            self.skip_blanks();
            if !self.rest().starts_with('&') {
                return Some(ids);
            }
            self.at += 1;
            self.skip_blanks();
            ids.push(self.node(self.at)?);
        }
    }

    /// Parses `A[text]:::class`, and returns the id.
    fn node(&mut self, start: usize) -> Option<&'t str> {
        let (id, len) = id::parse(self.rest())?;
        self.at += len;
        let shaped =
            if shape::opens(self.rest()) { Some(shape::parse(self.rest())?) } else { None };
        self.at += shaped.as_ref().map_or(0, |shaped| shaped.len);
        let mut classes = Vec::new();
        while let Some(rest) = self.rest().strip_prefix(":::") {
            let len = rest
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte))
                .count();
            // `A:::b-->C`
            let class = rest.get(..len).unwrap_or_default();
            let class = class.split("--").next().unwrap_or_default();
            classes.push(class);
            self.at += 3 + class.len();
            self.look(start);
        }
        let span = self.line_from(start);
        let at = *self.chart.index.entry(id).or_insert_with(|| {
            let shape = Shape::Other;
            self.chart.nodes.push(ChartNode { id, label: None, shape, span, classes: Vec::new() });
            self.chart.nodes.len() - 1
        });
        let node = self.chart.nodes.get_mut(at)?;
        node.classes.extend(classes);
        if let Some(shaped) = shaped {
            if node.label.is_some_and(|label| label != shaped.label) {
                self.chart.ignored.push((node.span, "an earlier text of a node"));
            }
            (node.label, node.shape, node.span) = (Some(shaped.label), shaped.shape, span);
        }
        if let Some(group) = self.open.last().and_then(|group| self.chart.groups.get_mut(*group))
            && group.members.last() != Some(&at)
        {
            group.members.push(at);
        }
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The edges as `from>to:label`.
    fn edges(text: &str) -> String {
        let chart = parse(text, Span::new(0, text.len()), 100);
        let edge = |it: &ChartEdge<'_>| match it.label {
            Some(label) => format!("{}>{}:{label}", it.from, it.to),
            None => format!("{}>{}", it.from, it.to),
        };
        assert!(chart.unreadable.is_empty(), "{text}: {:?}", chart.unreadable);
        chart.edges.iter().map(edge).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn statements_are_parsed() {
        let rows = [
            ("A-->B", "A>B"),
            ("A --> B --> C", "A>B B>C"),
            ("A & B --> C & D", "A>C A>D B>C B>D"),
            ("A[Start] --> B{ok?}\nB -->|yes| C(Go)\nB -- no --> D", "A>B B>C:yes B>D:no"),
            ("A-->B;B-->C;", "A>B B>C"),
            ("step-1-->step-2", "step-1>step-2"),
            ("a_b.c --> d", "a_b.c>d"),
            ("A<-->B", "A>B B>A"),
            ("A ~~~ B\nA --> B", "A>B"),
            ("subgraph one [First]\nA-->B\nend\nB-->C", "A>B B>C"),
            (
                "classDef big fill:#f9f,stroke:#333;\nclass A big\nstyle A fill:#bbf\nA-->B\nlinkStyle 0 stroke:red",
                "A>B",
            ),
            ("A:::big --> B:::big", "A>B"),
            ("A:::big-->B", "A>B"),
            ("%% note\nA-->B %% why", "A>B"),
            ("%%{init: {'theme': 'dark'}}%%\nA-->B", "A>B"),
            ("Fetch data --> Parse data", "Fetch data>Parse data"),
            ("\"Fetch data\" --> B", "Fetch data>B"),
            ("A e1@--> B", "A>B"),
            ("A x--x B\nA o--o C", "A>B A>C"),
            ("text --> end[End]", "text>end"),
            ("box-->oval", "box>oval"),
            ("A->B", "A>B"),
            ("A[\"x --> y\"] --> B", "A>B"),
            ("direction LR\nA-->B", "A>B"),
            ("A@{ shape: diam, label: \"ok?\" } --> B", "A>B"),
            ("A -- \"a, b\" --> B", "A>B:\"a, b\""),
            ("A -.->|maybe| B ==> C", "A>B:maybe B>C"),
            ("Größe --> Ende", "Größe>Ende"),
            ("style --> B", "style>B"),
        ];
        for (text, expected) in rows {
            assert_eq!(edges(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_statement_is_unreadable() {
        for text in ["A -->", "This is a note.", "A[open", "A --> B C --> ]", "--> B", "A | B"] {
            let chart = parse(text, Span::new(0, text.len()), 100);
            assert!(!chart.unreadable.is_empty(), "{text}");
        }
    }

    #[test]
    fn groups_have_their_nodes() {
        let text = "subgraph a\nX\nsubgraph b [In]\nY-->Z\nend\nend\nW";
        let chart = parse(text, Span::new(0, text.len()), 100);
        let groups: Vec<_> = chart.groups.iter().map(|it| (it.id, it.members.len())).collect();
        assert_eq!(groups, [("a", 3), ("b", 2)]);
    }
}
