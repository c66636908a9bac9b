//! Empty, duplicate and similar ids.

use crate::{
    check::{CodeRow, Finding, subject::Subject},
    graph::names::{alike, shown},
};

pub(super) const CODES: [CodeRow; 3] = [
    CodeRow::error("plan/empty-id", "an id is empty").standalone(),
    CodeRow::error("plan/duplicate-id", "an id is used more than once").standalone(),
    CodeRow::warning("plan/similar-id", "two ids differ only in case").standalone(),
];

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    for (at, item) in subject.items.iter().enumerate() {
        let path = subject.path(at, "/id");
        if item.id.trim().is_empty() {
            found.push(CODES[0].at(path, "id is empty"));
        } else if let Some(first) = subject.names.get(item.id).filter(|first| *first != at) {
            let id = shown(item.id);
            let message = format!("duplicate id `{id}`, already used by {}[{first}]", subject.list);
            found.push(CODES[1].at(path, message));
        }
    }
    for group in alike(subject.items.iter().map(|item| item.id)) {
        let Some((first, others)) = group.split_first() else { continue };
        for other in others {
            let (one, two) = (shown(subject.names.id(*first)), shown(subject.names.id(*other)));
            let message = format!("ids `{one}` and `{two}` differ only in case");
            found.push(CODES[2].at(subject.path(*other, "/id"), message));
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows() {
        crate::check::tests::of_plans(
            &super::CODES,
            &[
                (r#"[{"id": "a"}, {"id": "b"}]"#, ""),
                (
                    r#"[{"id": ""}, {"id": " "}]"#,
                    "plan/empty-id@/steps/0/id plan/empty-id@/steps/1/id",
                ),
                (
                    r#"[{"id": "a"}, {"id": "a"}, {"id": "a"}]"#,
                    "plan/duplicate-id@/steps/1/id plan/duplicate-id@/steps/2/id",
                ),
                (r#"[{"id": "a"}, {"id": "A"}]"#, "plan/similar-id@/steps/1/id"),
            ],
        );
    }
}
