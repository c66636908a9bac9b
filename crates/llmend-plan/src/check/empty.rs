//! Is there anything to do?

use crate::{
    check::{Finding, Listed, subject::Subject},
    code,
};

pub(super) const CODES: [Listed; 1] =
    [Listed::error(code::EMPTY, "there is no step or node at all")];

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    if subject.items.is_empty() {
        let list = subject.list;
        found.push(CODES[0].at(format!("/{list}"), format!("there are no {list}")));
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
