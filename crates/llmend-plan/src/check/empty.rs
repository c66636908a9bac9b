//! Empty plans and workflows.

use crate::{
    check::{CodeRow, Finding, subject::Subject},
    code,
};

pub(super) const CODES: [CodeRow; 1] =
    [CodeRow::error(code::EMPTY, "the plan has no steps, or the workflow no nodes")];

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    if subject.items.is_empty() {
        let list = subject.list;
        found.push(CODES[0].at(format!("/{list}"), format!("`{list}` is empty")));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows() {
        crate::check::tests::of_plans(
            &super::CODES,
            &[("[]", "plan/empty@/steps"), (r#"[{"id": "a"}]"#, "")],
        );
    }
}
