//! Text that models write around JSON.

use super::work::{Kind, Stage, Work};
use crate::random::Random;
use crate::words::{self, noun, plain};

pub(crate) const KINDS: &[Kind] = &[
    Kind::new("fence-json", "fence", Stage::Wrap, |w, r| {
        fence(w, r, &["```json\n", "```JSON\n", "``` json\n"], "\n```")
    }),
    Kind::new("fence-untagged", "fence", Stage::Wrap, |w, r| fence(w, r, &["```\n"], "\n```")),
    Kind::new("fence-tilde", "fence", Stage::Wrap, |w, r| {
        fence(w, r, &["~~~json\n", "~~~\n"], "\n~~~")
    }),
    Kind::new("fence-other-tag", "fence", Stage::Wrap, |w, r| {
        fence(
            w,
            r,
            &["```jsonc\n", "```json5\n", "```javascript\n", "```js\n", "```text\n", "```yaml\n"],
            "\n```",
        )
    }),
    Kind::new("fence-attributes", "fence", Stage::Wrap, |w, r| {
        fence(
            w,
            r,
            &["```json title=plan\n", "```json {.numberLines}\n", "```json filename=\"a.json\"\n"],
            "\n```",
        )
    }),
    Kind::new("fence-inline", "fence", Stage::Wrap, |w, r| {
        fence(w, r, &["```json", "``` ", "```json "], "```")
    }),
    Kind::new("fence-four-ticks", "fence", Stage::Wrap, |w, r| {
        fence(w, r, &["````json\n"], "\n````")
    }),
    Kind::new("fence-unclosed", "fence", Stage::Wrap, fence_unclosed),
    Kind::new("fence-closing-only", "fence", Stage::Wrap, fence_closing_only),
    Kind::new("fence-in-fence", "fence", Stage::Wrap, |w, r| {
        fence(w, r, &["```\n```json\n"], "\n```\n```")
    }),
    Kind::new("fence-indented", "fence", Stage::Wrap, |w, r| {
        fence(w, r, &["  ```json\n  "], "\n  ```")
    }),
    Kind::new("tool-call-tag", "tagged", Stage::Wrap, |w, r| {
        tags(w, r, &["<tool_call>", "<function_call>"], true)
    }),
    Kind::new("json-tag", "tagged", Stage::Wrap, |w, r| {
        tags(w, r, &["<json>", "<output>", "<answer>", "<response>", "<result>"], true)
    }),
    Kind::new("tag-unclosed", "tagged", Stage::Wrap, |w, r| {
        tags(w, r, &["<tool_call>", "<json>"], false)
    }),
    Kind::new("tool-calls-token", "tagged", Stage::Wrap, |w, _| wrap(w, "[TOOL_CALLS] ", "")),
    Kind::new("special-tokens", "tagged", Stage::Wrap, special_tokens),
    Kind::new("junk-behind", "tagged", Stage::Wrap, junk),
    Kind::new("jsonp", "prose", Stage::Wrap, jsonp),
    Kind::new("assignment", "prose", Stage::Wrap, assignment),
    Kind::new("return-statement", "prose", Stage::Wrap, |w, _| wrap(w, "return ", ";")),
    Kind::new("bold", "markup_wrap", Stage::Wrap, |w, _| wrap(w, "**", "**")),
    Kind::new("inline-code", "markup_wrap", Stage::Wrap, inline_code),
    Kind::new("bullet", "markup_wrap", Stage::Wrap, |w, r| {
        wrap(w, r.pick(&["- ", " - ", "* ", "1. "]), "")
    }),
    Kind::new("pre-tag", "markup_wrap", Stage::Wrap, |w, _| {
        wrap(w, "<pre><code>", "</code></pre>")
    }),
    Kind::new("byte-order-mark", "prose", Stage::Wrap, |w, _| wrap(w, "\u{feff}", "")),
    Kind::new("flood-of-white-space", "prose", Stage::Wrap, flood),
    Kind::new("prose-before", "prose", Stage::Around, |w, r| before(w, r, plain_intro)),
    Kind::new("prose-after", "prose", Stage::Around, |w, r| after(w, r, plain_outro)),
    Kind::new("prose-both", "prose", Stage::Around, |w, r| {
        before(w, r, plain_intro) && after(w, r, plain_outro)
    }),
    Kind::new("prose-with-braces", "prose", Stage::Around, |w, r| before(w, r, intro_braces)),
    Kind::new("prose-with-quotes", "prose", Stage::Around, |w, r| before(w, r, intro_quotes)),
    Kind::new("prose-with-open-bracket", "prose", Stage::Around, |w, r| before(w, r, intro_open)),
    Kind::new("prose-at-length", "prose", Stage::Around, |w, r| {
        before(w, r, long_intro) && after(w, r, long_outro)
    }),
    Kind::new("citations", "prose", Stage::Around, |w, r| after(w, r, citations)),
    Kind::new("prose-with-braces-after", "prose", Stage::Around, |w, r| after(w, r, outro_braces)),
    Kind::new("prose-in-fence", "fence", Stage::Wrap, |w, r| {
        fence(w, r, &["```json\nHere it is:\n\n", "```\nResult:\n"], "\n```")
    }),
    Kind::new("code-block-before", "fence", Stage::Wrap, code_block_before),
    Kind::new("thought-and-action", "think", Stage::Around, |w, r| {
        before(w, r, thought_and_action)
    }),
    Kind::new("think", "think", Stage::Think, |w, r| think(w, r, thought)),
    Kind::new("think-with-draft", "think", Stage::Think, |w, r| think(w, r, draft)),
    Kind::new("think-unopened", "think", Stage::Think, think_unopened),
];

fn wrap(w: &mut Work, left: &str, right: &str) -> bool {
    if !w.root_is_container() || w.open_end || w.open_start {
        return false;
    }
    w.prefix.insert_str(0, left);
    w.suffix.push_str(right);
    true
}

/// A document without an end gets the start of a fence only, unless the fence is all that follows.
fn fence(w: &mut Work, r: &mut Random, starts: &[&str], end: &str) -> bool {
    let start = r.pick(starts);
    // A fence in a string is text, unless a line of its own could close the fence around it.
    let text = super::tokens::render(&w.tokens);
    if text.contains("\n```") || text.contains("\n~~~") || !w.root_is_container() {
        return false;
    }
    if w.open_end && w.cut == Some(true) && r.chance(70) {
        w.prefix.insert_str(0, start);
        return !w.open_start;
    }
    if w.open_end {
        let last = w.tokens.last().map(|t| t.role);
        let whole = last == Some(super::tokens::Role::Close) && w.tail.is_empty();
        if !whole || !end.starts_with('\n') {
            return false;
        }
        // The fence was closed, so that somebody thought the text complete.
        w.cut = None;
    }
    w.prefix.insert_str(0, start);
    w.suffix.push_str(end);
    true
}

fn fence_unclosed(w: &mut Work, r: &mut Random) -> bool {
    let start = r.pick(&["```json\n", "```\n"]);
    let done = !super::tokens::render(&w.tokens).contains("\n```")
        && wrap(w, start, if r.chance(50) { "\n" } else { "" });
    if done {
        (w.open_end, w.cut) = (true, None);
    }
    done
}

/// A block of code without any data, and then the data in a block of its own.
fn code_block_before(w: &mut Work, r: &mut Random) -> bool {
    if w.open_end || w.open_start || !fence(w, r, &["```json\n"], "\n```") {
        return false;
    }
    let code = match r.below(3) {
        0 => format!("```sh\npip install {}\n```", noun(r)),
        1 => format!("```python\nimport {}\nprint({}.run(3))\n```", noun(r), noun(r)),
        _ => format!("```js\nlet {} = load('{}');\n```", noun(r), noun(r)),
    };
    w.prefix.insert_str(0, &format!("First run this:\n{code}\nThen:\n"));
    true
}

fn thought_and_action(r: &mut Random) -> String {
    format!("Thought: {}\nAction: {}\nAction Input:", words::sentence(r), r.pick(words::TOOLS))
}

fn fence_closing_only(w: &mut Work, _: &mut Random) -> bool {
    if w.open_end || !w.root_is_container() {
        return false;
    }
    w.suffix.push_str("\n```");
    true
}

fn tags(w: &mut Work, r: &mut Random, names: &[&str], closed: bool) -> bool {
    let tag = r.pick(names);
    let line = r.pick(&["", "\n"]);
    let end = if closed { format!("{line}{}", tag.replace('<', "</")) } else { String::new() };
    if !closed {
        w.cut = None;
    }
    wrap(w, &format!("{tag}{line}"), &end)
}

fn special_tokens(w: &mut Work, r: &mut Random) -> bool {
    let (left, right) = *r.one(&[
        ("", "<|im_end|>"),
        ("<|im_start|>", "<|im_end|>"),
        ("", "</s>"),
        ("<s>", "</s>"),
        ("", "<|eot_id|>"),
        ("<|im_start|>assistant\n", "<|im_end|>"),
        ("", "<|endoftext|>"),
        ("<|python_tag|>", "<|eom_id|>"),
    ]);
    wrap(w, left, right)
}

fn junk(w: &mut Work, r: &mut Random) -> bool {
    let junk = r.pick(&[
        "<//tool_cal",
        "\n</invoke>",
        "</tool_call>",
        "\n</function>",
        "</json>",
        "\n---",
        "\n\n***",
        ".",
        "\n\n.",
    ]);
    wrap(w, "", junk)
}

fn jsonp(w: &mut Work, r: &mut Random) -> bool {
    let (name, end) =
        (r.pick(&["cb", "callback", "print", "JSON.parse", "foo.bar"]), r.pick(&[");", ")"]));
    wrap(w, &format!("{name}("), end)
}

fn assignment(w: &mut Work, r: &mut Random) -> bool {
    let name = noun(r);
    let (left, right) = match r.below(5) {
        0 => (format!("const {name} = "), ";"),
        1 => (format!("var {name} = "), ";"),
        2 => (format!("{name} = "), ""),
        3 => (format!("let {name} = "), ";\n"),
        _ => ("export default ".to_owned(), ";"),
    };
    wrap(w, &left, right)
}

fn inline_code(w: &mut Work, _: &mut Random) -> bool {
    let text = super::tokens::render(&w.tokens);
    !text.contains(['`', '\n']) && wrap(w, "`", "`")
}

fn flood(w: &mut Work, r: &mut Random) -> bool {
    let size = r.between(50, 500);
    let space = r.pick(&["\n", " ", "\n   ", "\t"]);
    wrap(w, "", &space.repeat(size))
}

fn join(w: &Work, r: &mut Random) -> &'static str {
    let fenced = w.prefix.starts_with("```") || w.prefix.starts_with("~~~");
    if fenced { r.pick(&["\n\n", "\n"]) } else { r.pick(&["\n\n", "\n", " "]) }
}

fn before(w: &mut Work, r: &mut Random, make: fn(&mut Random) -> String) -> bool {
    if w.open_start || !w.root_is_container() {
        return false;
    }
    let text = format!("{}{}", make(r), join(w, r));
    w.prefix.insert_str(0, &text);
    true
}

fn after(w: &mut Work, r: &mut Random, make: fn(&mut Random) -> String) -> bool {
    let fenced = w.suffix.ends_with("```") || w.suffix.ends_with("~~~");
    if w.open_end || !w.root_is_container() || (w.suffix.ends_with(' ') && w.suffix.len() > 9) {
        return false;
    }
    let line = if fenced { r.pick(&["\n\n", "\n"]) } else { r.pick(&["\n\n", "\n", "\n\n"]) };
    w.suffix.push_str(line);
    let text = make(r);
    w.suffix.push_str(&text);
    true
}

fn plain_intro(r: &mut Random) -> String {
    match r.below(9) {
        0 => "Here is the JSON:".to_owned(),
        1 => "Sure! Here you go:".to_owned(),
        2 => format!("Based on the {}:", noun(r)),
        3 => format!("{}\nThe result:", words::sentence(r)),
        4 => "I'm sorry for the mix-up. Here's the reply again:".to_owned(),
        5 => "好的，以下是结果：".to_owned(),
        6 => format!("## {}\n\n{}", words::capital(noun(r)), words::sentence(r)),
        7 => "Output:".to_owned(),
        _ => format!("{} {}", words::sentence(r), words::sentence(r)),
    }
}

fn plain_outro(r: &mut Random) -> String {
    match r.below(7) {
        0 => "Hope that helps!".to_owned(),
        1 => "Let me know if you need anything else.".to_owned(),
        2 => format!("Note: {}", words::sentence(r)),
        3 => "希望对你有帮助！".to_owned(),
        4 => format!("I've kept the {} and the {}.", noun(r), noun(r)),
        5 => format!("- {}\n- {}", words::sentence(r), words::sentence(r)),
        _ => words::sentence(r),
    }
}

fn long_intro(r: &mut Random) -> String {
    let steps: Vec<String> =
        (1..=r.between(2, 4)).map(|i| format!("{i}. {}", words::sentence(r))).collect();
    format!(
        "{} I looked at \"{}\" and at `{}`:\n\n{}\n\n**Result**\n",
        words::sentence(r),
        noun(r),
        words::path(r),
        steps.join("\n")
    )
}

fn long_outro(r: &mut Random) -> String {
    format!(
        "### Notes\n\n- `{}` is \"{}\" on purpose.\n- {}'s {} isn't in it; see `{}()`.\n\n{}",
        noun(r),
        noun(r),
        r.pick(words::NAMES),
        noun(r),
        noun(r),
        words::sentence(r)
    )
}

fn intro_braces(r: &mut Random) -> String {
    match r.below(4) {
        0 => format!("Use {{{}}} here:", noun(r)),
        1 => format!("The set {{1, 2}} and the template {{{}}} give:", noun(r)),
        2 => format!("Replace {{{}}} and {{{}}} as told.", noun(r), noun(r)),
        _ => format!("With [{}] left out, as in [1]:", noun(r)),
    }
}

fn intro_quotes(r: &mut Random) -> String {
    match r.below(3) {
        0 => format!("Here's the \"{}\":", noun(r)),
        1 => format!("You asked for \"{}\", and it's \"{}\":", noun(r), noun(r)),
        _ => format!("The 5\" {} isn't in it:", noun(r)),
    }
}

fn intro_open(r: &mut Random) -> String {
    match r.below(3) {
        0 => format!("Ok, the line must start with \"{}, [\"", noun(r)),
        1 => format!("The {} was cut at the first {{ last time.", noun(r)),
        _ => format!("A lone [ or {{ in the {} is fine.", noun(r)),
    }
}

fn citations(r: &mut Random) -> String {
    match r.below(3) {
        0 => "References: [1]".to_owned(),
        1 => format!("[1] {}\n[2] {}", words::sentence(r), words::url(r)),
        _ => format!("See [{}] and [{}, p. 4].", r.between(1, 9), noun(r)),
    }
}

fn outro_braces(r: &mut Random) -> String {
    match r.below(3) {
        0 => format!("Replace {{{}}} with your own.", noun(r)),
        1 => format!(
            "Here \"{}\" is the {{{}}} that {} wanted.",
            noun(r),
            noun(r),
            r.pick(words::NAMES)
        ),
        _ => format!("Then call {}(x) {{ ... }}.", noun(r)),
    }
}

fn think(w: &mut Work, r: &mut Random, make: fn(&mut Random) -> String) -> bool {
    let (left, right) = *r.one(&[
        ("<think>", "</think>"),
        ("<think>\n", "\n</think>"),
        ("<thinking>", "</thinking>"),
        ("<reasoning>\n", "\n</reasoning>"),
    ]);
    if w.open_start || !w.root_is_container() {
        return false;
    }
    let text = format!("{left}{}{right}{}", make(r), r.pick(&["\n\n", "\n", ""]));
    w.prefix.insert_str(0, &text);
    true
}

fn thought(r: &mut Random) -> String {
    match r.below(3) {
        0 => words::sentence(r),
        1 => format!("Okay, they want the {}. {} It's fine.", noun(r), words::sentence(r)),
        _ => format!("Is {{x}} balanced? Is \"[\" fine? {}", words::sentence(r)),
    }
}

fn draft(r: &mut Random) -> String {
    let a = noun(r);
    match r.below(3) {
        0 => format!("maybe {{\"{a}\": {}}}?", r.below(9)),
        1 => {
            format!("First try:\n{{\"{a}\": [1, 2], \"{}\": \"x\"}}\nNo, {}.", noun(r), plain(r, 3))
        }
        _ => format!(
            "The array [1, 2, is wrong, so {{\"{a}\": [1,2]}} then... no, use {}.",
            r.below(9)
        ),
    }
}

fn think_unopened(w: &mut Work, r: &mut Random) -> bool {
    if w.open_start || !w.root_is_container() {
        return false;
    }
    let text = format!("Okay, they want the {}. {}\n</think>\n\n", noun(r), words::sentence(r));
    w.prefix.insert_str(0, &text);
    true
}
