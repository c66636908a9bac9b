//! Unknown tools and capabilities.

use llmend_json::nearest;

use crate::{
    check::{CodeRow, Finding, subject::Subject},
    code,
    graph::names::{listed, shown},
};

pub(super) const CODES: [CodeRow; 2] = [
    CodeRow::error(code::UNKNOWN_TOOL, "a step uses an unknown tool").local().standalone(),
    CodeRow::error("plan/unknown-capability", "a step uses an unknown capability of its tool")
        .local()
        .standalone(),
];

/// Maximum number of unknown names that get a suggestion.
const SUGGESTED: usize = 100;

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(catalog) = subject.catalog() else { return };
    let mut suggested = 0;
    let mut unknown = |path: String, tool: &str| {
        suggested += 1;
        let near = catalog.nearest(tool).filter(|_| suggested <= SUGGESTED);
        let help = match near {
            Some(near) => format!("did you mean `{}`?", shown(near)),
            None => format!("expected one of {}", listed(catalog.tools.keys().map(String::as_str))),
        };
        CODES[0].at(path, format!("unknown tool `{}`", shown(tool))).help(Some(help))
    };
    for (at, item) in subject.items.iter().enumerate() {
        for (nth, tool) in item.allowed.iter().enumerate() {
            if catalog.tool(tool).is_none() {
                found.push(unknown(subject.path(at, &format!("/allowed_tools/{nth}")), tool));
            }
        }
        let Some(name) = item.tool else { continue };
        let Some(tool) = catalog.tool(name) else {
            found.push(unknown(subject.path(at, "/tool"), name));
            continue;
        };
        let Some(capability) = item.capability.filter(|_| !tool.capabilities.is_empty()) else {
            continue;
        };
        if !tool.capabilities.contains_key(capability) {
            let (name, shown_one) = (shown(name), shown(capability));
            let message = format!("tool `{name}` has no capability `{shown_one}`");
            let all = || tool.capabilities.keys().map(String::as_str);
            let help = match nearest(capability, all()) {
                Some(near) => format!("did you mean `{}`?", shown(near)),
                None => format!("expected one of {}", listed(all())),
            };
            let path = subject.path(at, "/metadata/capability");
            found.push(CODES[1].at(path, message).help(Some(help)));
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows() {
        // S1: the tool and its capability
        crate::check::tests::of_plans(
            &super::CODES,
            &[
                (r#"[{"id": "a", "tool": "search"}, {"id": "b"}]"#, ""),
                (
                    r#"[{"id": "a", "tool": "serach"}, {"id": "b", "tool": "fly"}]"#,
                    "plan/unknown-tool@/steps/0/tool plan/unknown-tool@/steps/1/tool",
                ),
                (r#"[{"id": "a", "tool": "agent", "metadata": {"capability": "sell"}}]"#, ""),
                (
                    r#"[{"id": "a", "tool": "agent", "metadata": {"capability": "sel"}}]"#,
                    "plan/unknown-capability@/steps/0/metadata/capability",
                ),
            ],
        );
    }
}
