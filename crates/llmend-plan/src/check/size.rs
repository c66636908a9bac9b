//! Size limit.

use crate::{
    check::{CodeRow, Finding, subject::Subject},
    code,
};

pub(super) const CODES: [CodeRow; 1] =
    [CodeRow::error(code::TOO_MANY, "too many steps, nodes or edges").standalone()];

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    let most = subject.options.max_items;
    let edges = if subject.waits.is_some() { None } else { Some(("edges", subject.edges)) };
    for (list, count) in [Some((subject.list, subject.items.len())), edges].into_iter().flatten() {
        if count > most {
            let message = format!("too many {list}: {count} (limit {most})");
            found.push(CODES[0].at(format!("/{list}"), message));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Options, check_workflow, sketch};

    #[test]
    fn rows() {
        let rows = [(3, ""), (2, "/nodes"), (1, "/nodes /edges")];
        for (max_items, expected) in rows {
            let options = Options { max_items, ..Options::default() };
            let found = check_workflow(&sketch::workflow("a b c", "a>b b>c"), &options);
            let paths: Vec<_> =
                found.iter().filter_map(|it| it.diagnostic.path.as_deref()).collect();
            assert_eq!(paths.join(" "), expected);
        }
    }
}
