//! Does each step have an id of its own?

use crate::{
    check::{Finding, Listed, subject::Subject},
    graph::names::{alike, shown},
};

pub(super) const CODES: [Listed; 3] = [
    Listed::error("plan/empty-id", "an id is empty"),
    Listed::error("plan/duplicate-id", "an id stands twice"),
    Listed::warning("plan/similar-id", "two ids differ in case only"),
];

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    for (at, item) in subject.items.iter().enumerate() {
        let path = subject.path(at, "/id");
        if item.id.trim().is_empty() {
            found.push(CODES[0].at(path, "the id is empty"));
        } else if let Some(first) = subject.names.get(item.id).filter(|first| *first != at) {
            let id = shown(item.id);
            let message = format!("the id `{id}` is that of {}[{first}] already", subject.list);
            found.push(CODES[1].at(path, message));
        }
    }
    for group in alike(subject.items.iter().map(|item| item.id)) {
        let Some((first, others)) = group.split_first() else { continue };
        for other in others {
            let (one, two) = (shown(subject.names.id(*first)), shown(subject.names.id(*other)));
            let message = format!(
                "the ids `{one}` and `{two}` differ in case only, and are easily taken for one another"
            );
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
