//! Values of one form that are records, versions or rivals, and what is said around the only one.

use super::{Kind, Made, nested, sibling, small, write};
use crate::data::Data;
use crate::random::Random;
use crate::words::{self, noun};

pub(super) const KINDS: &[Kind] = &[
    Kind { name: "numbered-records", make: numbered_records },
    Kind { name: "rivals", make: rivals },
    Kind { name: "chosen-option", make: chosen_option },
    Kind { name: "other-turn", make: other_turn },
    Kind { name: "offer-behind", make: offer_behind },
    Kind { name: "form-and-question", make: form_and_question },
    Kind { name: "cut-notice", make: cut_notice },
];

fn fenced(r: &mut Random, value: &Data, fence: bool) -> String {
    let text = write(r, value);
    if fence { format!("```json\n{text}\n```") } else { text }
}

/// Records under labels with ascending numbers, or behind bullets.
fn numbered_records(r: &mut Random) -> Made {
    let first = small(r);
    let count = r.between(2, 5);
    let mut records = vec![first.clone()];
    while records.len() < count {
        let next = sibling(r, &first);
        records.push(next);
    }
    let fence = r.chance(40);
    let style = r.below(5);
    let name = r.pick(&["Record", "Page", "Step", "Ticket", "Email", "Row"]);
    let mut text = String::new();
    for (at, record) in records.iter().enumerate() {
        let (number, out) = (at + 1, fenced(r, record, fence));
        let label = match style {
            0 => format!("{number}. "),
            1 if fence => format!("**{name} {number}**\n"),
            1 => "- ".to_owned(),
            2 => format!("### {name} {number}\n"),
            3 => format!("{name} {number} – {}\n", noun(r)),
            _ => format!("[{number}] "),
        };
        let line = if fence { "\n" } else { "" };
        text.extend([label.as_str(), line, &out, "\n\n"]);
    }
    Made::value(text, Data::List(records))
}

/// Two answers of one form, told apart by words, of which none is chosen.
fn rivals(r: &mut Random) -> Made {
    let one = small(r);
    let other = sibling(r, &one);
    let fence = r.chance(50);
    let (first, second) = (fenced(r, &one, fence), fenced(r, &other, fence));
    let (thing, whole) = (noun(r), noun(r));
    let input = match r.below(5) {
        0 => format!(
            "If the {thing} counts, it is:\n\n{first}\n\nIf the {whole} counts, it is:\n\n{second}"
        ),
        1 => format!("Option A:\n\n{first}\n\nOption B:\n\n{second}\n\nBoth fit the {thing}."),
        2 => format!("Response 1\n{first}\n\nResponse 2\n{second}"),
        3 => {
            format!(
                "The {thing} export says:\n{first}\n\nOtherwise, by the {whole}:\n{second}\n\nWhich one is it?"
            )
        }
        _ => format!(
            "{first}\n\nIt may as well be the {thing} of the {whole}. Then it would be:\n\n{second}"
        ),
    };
    Made::unclear(input, Vec::new())
}

/// Two answers of one form, of which the text chooses one.
fn chosen_option(r: &mut Random) -> Made {
    let one = small(r);
    let other = sibling(r, &one);
    let fence = r.chance(50);
    let (a, b) = (fenced(r, &one, fence), fenced(r, &other, fence));
    let first = r.chance(50);
    let (letter, number, place) = if first { ("A", 1, "first") } else { ("B", 2, "second") };
    let input = match r.below(4) {
        0 => format!("Option A:\n{a}\n\nOption B:\n{b}\n\nI recommend option {letter}."),
        1 => format!("Option 1:\n{a}\n\nOption 2:\n{b}\n\nI'd go with option {number}."),
        2 => format!("{a}\n\nor\n\n{b}\n\nI prefer the {place} one, because of the {}.", noun(r)),
        _ => format!("Plan A:\n{a}\n\nPlan B:\n{b}\n\n**Recommended: Plan {letter}**"),
    };
    Made::value(input, if first { one } else { other })
}

/// The answer, and then a turn that the model wrote for the user, with its answer.
fn other_turn(r: &mut Random) -> Made {
    let answer = small(r);
    let other = sibling(r, &answer);
    let (a, b) = (write(r, &answer), write(r, &other));
    let ask = words::sentence(r);
    let input = match r.below(5) {
        0 => format!("{a}</s><s>[INST] {ask} [/INST] {b}</s>"),
        1 => format!("### Response:\n{a}\n\n### Instruction:\n{ask}\n\n### Response:\n{b}"),
        2 => {
            format!("{a}<|im_end|>\n<|im_start|>user\n{ask}<|im_end|>\n<|im_start|>assistant\n{b}")
        }
        3 => format!("{a}\n\nUser: {ask}\nAssistant: {b}"),
        _ => format!("{a}assistant\n\n{ask}assistant\n\n{b}"),
    };
    Made::value(input, answer)
}

/// An answer in the requested format, with an offer or a remark behind it.
fn offer_behind(r: &mut Random) -> Made {
    let answer = nested(r);
    let fence = r.chance(60);
    let out = fenced(r, &answer, fence);
    let before = r.pick(&[
        "Here's the data in the requested format:",
        "Here is the JSON in the format you specified:",
        "Result in JSON format:",
        "Here is the structured output:",
        "Formatted output:",
        "Here is the information, following your schema:",
        "Ergebnis im gewünschten Format:",
    ]);
    let after = r.pick(&[
        "Would you like me to add more?",
        "Let me know if you need anything else!",
        "Do you want this as CSV, too?",
        "I couldn't find a phone number, so it is left out.",
        "There is no second page.",
        "Feel free to ask for changes.",
    ]);
    Made::value(format!("{before}\n\n{out}\n\n{after}"), answer)
}

/// Only the form of an answer, whose writer asks for what it is about.
fn form_and_question(r: &mut Random) -> Made {
    let (a, b, c) = (noun(r), noun(r), noun(r));
    let form = match r.below(4) {
        0 => format!("{{\"{a}\": \"<{a}>\", \"{b}\": \"<{b}>\"}}"),
        1 => format!("{{\"{a}\": \"string\", \"{b}\": \"number\"}}"),
        2 => format!("{{\"{a}\": \"...\", \"{b}\": \"...\"}}"),
        _ => format!("{{\"{a}\": \"your {a}\", \"{b}\": \"{b} goes here\"}}"),
    };
    let form = if r.chance(50) { format!("```json\n{form}\n```") } else { form };
    let input = match r.below(4) {
        0 => format!("I'll reply in this form:\n\n{form}\n\nPlease attach the {c} first."),
        1 => format!("The output would look like this:\n\n{form}\n\nPlease send me the {c}."),
        2 => format!("{form}\n\nPlease provide the {c} so that I can fill it in."),
        _ => format!("Each {c} should look like this:\n\n{form}\n\nWhich {c} do you want?"),
    };
    Made::unclear(input, Vec::new())
}

/// A value that is cut off behind a member, with a notice of that.
fn cut_notice(r: &mut Random) -> Made {
    let answer = small(r);
    let text = super::written(&answer, &crate::damage::tokens::Layout::Spaced);
    let open = text.trim_end_matches('}');
    let gap = r.pick(&["\n", "\n\n", ",\n", ",\n\n"]);
    let notice = r.pick(&[
        "[Output truncated: max_tokens reached]",
        "... (response cut off)",
        "⚠️ Output truncated: maximum tokens reached.",
        "ERROR: stream closed by server (code 1006)",
        "(to be continued)",
        "[finish_reason=length]",
    ]);
    Made::unclear(format!("{open}{gap}{notice}"), vec![answer])
}
