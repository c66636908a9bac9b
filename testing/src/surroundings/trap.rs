//! Text around a value that says nothing about it.

use super::{Kind, Made, nested, small, write};
use crate::random::Random;
use crate::words::{self, noun};

pub(super) const KINDS: &[Kind] = &[
    Kind { name: "trap-prose-after", make: prose_after },
    Kind { name: "trap-prose-before", make: prose_before },
    Kind { name: "trap-label", make: label },
    Kind { name: "trap-code-around", make: code_around },
];

fn value(r: &mut Random) -> crate::data::Data {
    if r.chance(60) { small(r) } else { nested(r) }
}

fn prose_after(r: &mut Random) -> Made {
    let value = value(r);
    let (a, b) = (noun(r), noun(r));
    let after = match r.below(12) {
        0 => format!("\"{a}\" means the {b}."),
        1 => format!("Note: the {a} is in `{b}`."),
        2 => format!("- \"{a}\": the {b}\n- `{b}`: the {a}"),
        3 => format!("**{a}**: the {b}, see [1]."),
        4 => format!("(\"{a}\", as you asked, not \"{b}\".)"),
        5 => format!("1. {a}: one\n2. {b}: two"),
        6 => format!("> {a}\n> {b}"),
        7 => format!("; {a} and {b}"),
        8 => format!("| {a} | {b} |\n|---|---|\n| 1 | 2 |"),
        9 => format!("Close it with \"}}\" as in {a}."),
        10 => format!(", as you see in the {a}."),
        _ => format!("Explanation: {a} -> {b}; it's the {b}'s."),
    };
    let gap = if after.starts_with([';', ',']) { "" } else { r.pick(&["\n\n", "\n", " "]) };
    let fenced = gap != " " && !gap.is_empty() && r.chance(40);
    let text = write(r, &value);
    let text = if fenced { format!("```json\n{text}\n```") } else { text };
    Made::value(format!("{text}{gap}{after}"), value)
}

fn prose_before(r: &mut Random) -> Made {
    let value = value(r);
    let (a, b) = (noun(r), noun(r));
    let before = match r.below(10) {
        0 => format!("You asked for \"{a}\", so it's the {b}'s:"),
        1 => format!("- {a}\n- {b}\n\nThe JSON:"),
        2 => format!("> {a}: {b}?"),
        3 => format!("1. {a}\n2. {b}"),
        4 => format!("**{a}**: {b}"),
        5 => format!("An object begins with \"{{\" and a list with \"[\"; {a}."),
        6 => format!("The {a} (5\" wide) is below."),
        7 => format!("See {a}[0] and {{{b}}}:"),
        8 => format!("I opened {{ and never closed it. Anyway the {a}:"),
        _ => words::sentence(r),
    };
    let text = write(r, &value);
    let text = if r.chance(40) { format!("```json\n{text}\n```") } else { text };
    Made::value(format!("{before}{}{text}", r.pick(&["\n\n", "\n"])), value)
}

fn label(r: &mut Random) -> Made {
    let value = value(r);
    let label = r.pick(&[
        "Output:",
        "Result:",
        "JSON:",
        "Answer:",
        "Final Answer:",
        "Action Input:",
        "**Result**:",
        "Response -",
        "# JSON\n",
        "Here is the plan:",
        "output =",
        "result:",
    ]);
    let gap = r.pick(&[" ", "\n", " ", "\n\n"]);
    let after = r.pick(&["", "", ".", "\n\nDone.", ";"]);
    Made::value(format!("{label}{gap}{}{after}", write(r, &value)), value)
}

fn code_around(r: &mut Random) -> Made {
    let value = value(r);
    let a = noun(r);
    let (before, after) = match r.below(5) {
        0 => (format!("```bash\ncat {a}.json\n```\n\n```json\n"), "\n```".to_owned()),
        1 => ("```json\n".to_owned(), format!("\n```\n\n```bash\nrun {a} --in x\n```")),
        2 => ("```json\n".to_owned(), format!("\n```\n\nThen `{a}(x)` or `{a}[0]`.")),
        3 => (format!("`{a}` is:\n\n"), format!("\n\nThen call `{a}()`.")),
        _ => (format!("const {a} = "), ";\n".to_owned()),
    };
    Made::value(format!("{before}{}{after}", write(r, &value)), value)
}
