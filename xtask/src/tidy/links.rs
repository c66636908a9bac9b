//! Does every relative link in a Markdown file lead somewhere?

use crate::finding::Finding;
use crate::tree::{Tree, has_extension};

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| has_extension(&file.path, "md")) {
        for (target, line) in relative_links(&file.text) {
            let found =
                resolve(&file.path, &target).is_some_and(|path| tree.root.join(path).exists());
            if !found {
                let message = format!("the link to {target} leads nowhere");
                findings.push(Finding::error(&file.path, Some(line), message));
            }
        }
    }
    findings
}

/// The targets of links and images outside of code, without their fragment, each with its line.
fn relative_links(text: &str) -> Vec<(String, usize)> {
    let mut links = Vec::new();
    let mut fence: Option<&str> = None;
    for (line, number) in text.lines().zip(1..) {
        let marker =
            ["```", "~~~"].into_iter().find(|marker| line.trim_start().starts_with(marker));
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if open == marker => fence = None,
            (Some(_), _) => {}
            (None, None) => {
                let line = without_code(line);
                let targets = inline_targets(&line).into_iter().chain(definition_target(&line));
                links.extend(targets.filter_map(relative_part).map(|target| (target, number)));
            }
        }
    }
    links
}

/// The line with each code span blanked.
fn without_code(line: &str) -> String {
    let mut parts = line.split('`');
    let mut kept = parts.next().unwrap_or_default().to_owned();
    while let (Some(_code), Some(text)) = (parts.next(), parts.next()) {
        kept.push_str(text);
    }
    kept
}

/// What stands in the parentheses of `[…](target)`, a title left out.
fn inline_targets(line: &str) -> Vec<&str> {
    let rests = line.split("](").skip(1);
    rests.filter_map(|rest| rest.split([')', ' ']).next()).collect()
}

/// The target of `[label]: target`. A footnote is none.
fn definition_target(line: &str) -> Option<&str> {
    let (label, target) = line.trim_start().strip_prefix('[')?.split_once("]: ")?;
    if label.starts_with('^') || label.contains(']') {
        return None;
    }
    target.split_whitespace().next()
}

/// The path in `target`, if it is relative: neither an address nor a mere fragment.
fn relative_part(target: &str) -> Option<String> {
    let target = target.trim_start_matches('<').trim_end_matches('>');
    let path = target.split('#').next().unwrap_or_default();
    let has_scheme = target.split_once(':').is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    (!path.is_empty() && !has_scheme).then(|| path.to_owned())
}

/// The path from the root, or `None` if it would leave the repository.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    if target.starts_with('/') {
        parts.clear();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{relative_links, resolve};

    #[test]
    fn relative_links_are_found_outside_of_code() {
        let rows: [(&str, &[&str]); 12] = [
            ("see [a](docs/a.md)", &["docs/a.md"]),
            ("[a](a.md) and ![b](b.png \"title\")", &["a.md", "b.png"]),
            ("[a](a.md#part)", &["a.md"]),
            ("[a](#part)", &[]),
            ("[a](https://example.com/a.md)", &[]),
            ("[a](mailto:a@example.com)", &[]),
            ("`[a](a.md)`", &[]),
            ("`x` [a](a.md) `y`", &["a.md"]),
            ("```\n[a](a.md)\n```\n[b](b.md)", &["b.md"]),
            ("~~~\n```\n[a](a.md)\n~~~", &[]),
            ("[a]: a.md\n[b]: https://example.com", &["a.md"]),
            ("[^1]: note", &[]),
        ];
        for (text, expected) in rows {
            let found: Vec<_> =
                relative_links(text).into_iter().map(|(target, _)| target).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn lines_are_counted_through_code() {
        assert_eq!(relative_links("a\n```\nb\n```\n[c](d)"), [("d".to_owned(), 5)]);
    }

    #[test]
    fn targets_resolve_from_the_folder_of_their_file() {
        let rows = [
            ("README.md", "docs/a.md", Some("docs/a.md")),
            ("docs/a.md", "../README.md", Some("README.md")),
            ("docs/a.md", "./b.md", Some("docs/b.md")),
            ("docs/a.md", "/README.md", Some("README.md")),
            ("docs/a.md", "../../elsewhere.md", None),
        ];
        for (from, target, expected) in rows {
            assert_eq!(resolve(from, target).as_deref(), expected, "{from} -> {target}");
        }
    }
}
