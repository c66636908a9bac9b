//! Records around a value: lines with keys, fields on its line, and elements of XML, of which the value
//! is one.

use crate::{Origin, Span, extract::remnant::Remnant, parser::Window};

mod element;
mod inline;
mod line;
mod pair;

pub(super) use pair::{Pair, pair};

/// How much of the text around a value is inspected on each side, in bytes.
const REACH: usize = 2_048;

/// Judges the value at `span` by the record that it is in.
pub(crate) fn judge(window: &Window<'_>, span: Span, origin: Origin) -> Option<Remnant> {
    let (before, after) = (window.before(span.start, REACH), window.near(span.end, REACH));
    if origin == Origin::Unbraced {
        // Members without braces follow another member.
        let above = before.strip_suffix('\n').and_then(|above| above.rsplit('\n').next());
        let pair = above.and_then(pair).filter(|pair| !pair.value.is_empty());
        return pair.filter(Pair::is_small).map(|_| Remnant::Part);
    }
    if let Some(call) = arguments(before) {
        return Some(call);
    }
    let named = before.trim_end_matches([' ', '\t']).trim_end_matches(line::MARKS).trim_end();
    if named.ends_with([':', '：', '=', '→']) || named.ends_with("->") || named.ends_with("=>") {
        let inline = inline::judge(before, after).then_some(Remnant::Doubtful);
        line::judge(before, after).max(inline)
    } else if before.trim_end().ends_with('>') {
        element::judge(before.trim_end(), after.trim_start())
    } else {
        None
    }
}

/// Judges a value by the call on its line whose arguments are still open: `f(n=5, options=`.
fn arguments(before: &str) -> Option<Remnant> {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let (name, inside) = line.rsplit_once('(')?;
    let is_call = name.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let named = inside.trim_end().ends_with(['=', ':', ',']);
    let several = inside.matches(['=', ':']).count() > 1;
    (is_call && named && several && !inside.contains(')')).then_some(Remnant::Part)
}

#[cfg(test)]
mod tests {
    use super::{Remnant, judge};
    use crate::{Origin, Span, parser::Window};

    #[test]
    fn members_after_another() {
        for (text, expected) in [
            ("user_id: 1\n\"plan\": \"pro\"", Some(Remnant::Part)),
            ("Here it is:\n\"plan\": \"pro\"", None),
            ("Note: so.\n\"plan\": \"pro\"", None),
        ] {
            let span = Span::new(text.find('"').expect(text), text.len());
            assert_eq!(judge(&Window::whole(text), span, Origin::Unbraced), expected, "{text}");
        }
    }

    /// Checks the judgment on the first object of each text.
    #[test]
    fn records() {
        use Remnant::{Doubtful, Part};
        for (text, expected) in [
            ("config: {\"a\": 1}", None),
            ("Here is the config: {\"a\": 1}", None),
            ("name: x\nconfig: {\"a\": 1}", Some(Part)),
            ("config: {\"a\": 1}\nname: x", Some(Part)),
            ("- name: x\n- config: {\"a\": 1}", Some(Part)),
            ("n = 1\nconfig = {\"a\": 1}", Some(Part)),
            ("config: {\"a\": 1}\nlist:\n  - c", Some(Part)),
            ("config: {\"a\": 1}\nlist:\nmore", None),
            ("class A:\n    config = {\"a\": 1}", Some(Part)),
            ("def f():\n    config = {\"a\": 1}", None),
            ("<v>{\"a\": 1}</v><v>x</v>", Some(Doubtful)),
            ("config: {\"a\": 1}\nother: {\"b\": 2}", Some(Part)),
            ("Status: done\nResult: {\"a\": 1}", Some(Doubtful)),
            ("Explanation: it is so.\nHere: {\"a\": 1}", Some(Doubtful)),
            ("Thought: easy\nHere: {\"a\": 1}", None),
            ("User: why?\nAssistant: {\"a\": 1}", None),
            ("stdout: {\"a\": 1}\nstderr: none", None),
            ("user: me\nconfig: {\"a\": 1}", Some(Part)),
            ("AI: {\"a\": 1}\nUser: and then", None),
            ("草稿: 1\n最终: {\"a\": 1}", Some(Doubtful)),
            ("name: x\n\nconfig: {\"a\": 1}", Some(Doubtful)),
            ("Name: x\n\nConfig: {\"a\": 1}", None),
            ("config: {\"a\": 1}\n\n\nname: x", None),
            ("Row 1: {\"a\": 1}\nRow 2: n/a", Some(Doubtful)),
            ("Row 1: {\"a\": 1}\nRow 2: It is not there.", None),
            ("Final answer: {\"a\": 1}\nTotal time: 5", None),
            ("**A:** 1\n**B:** {\"a\": 1}\n**C:** 2", Some(Part)),
            ("1. a: 1\n2. b: {\"a\": 1}\n3. c: 2", Some(Part)),
            ("a -> 1\nb -> {\"a\": 1}", Some(Doubtful)),
            ("- `a`: 1\n- `b`: `{\"a\": 1}`", Some(Doubtful)),
            ("a='1'\nb='{\"a\": 1}'", Some(Doubtful)),
            ("- kind: {\"a\": 1}\n- reason: x", Some(Part)),
            ("kind: {\"a\": 1}\nreason: x", Some(Part)),
            ("a=1 b={\"a\": 1} c=2", Some(Doubtful)),
            ("name: x\nAction Input: {\"a\": 1}", None),
            ("x = {\"a\": 1}\nprint(x)", None),
            ("http://x.example\nconfig: {\"a\": 1}", None),
            ("<answer>{\"a\": 1}</answer>", None),
            ("<think>x</think><payload>{\"a\": 1}</payload>", None),
            ("<r><payload>{\"a\": 1}</payload></r>", None),
            ("<item>{\"a\": 1}</item><item>{\"b\": 1}</item>", None),
            ("<note>x</note><payload>{\"a\": 1}</payload>", Some(Doubtful)),
            ("<name>f</name><arguments>{\"a\": 1}</arguments>", Some(Doubtful)),
            ("<f><path>x</path><edit>{\"a\": 1}</edit></f>", Some(Part)),
            ("<f>\n<edit>{\"a\": 1}</edit>\n<path>x</path>\n</f>", Some(Part)),
            (
                "<invoke name=\"f\"><parameter name=\"x\">{\"a\": 1}</parameter></invoke>",
                Some(Doubtful),
            ),
            (
                "<function=f>\n<parameter=x>\n{\"a\": 1}\n</parameter>\n<parameter=y>\n2\n</parameter>\n</function>",
                Some(Part),
            ),
            ("so <b>this</b> {\"a\": 1}", None),
            ("f(n=5, options={\"a\": 1})", Some(Part)),
            ("f({\"a\": 1})", None),
            ("post(url, json={\"a\": 1})", None),
            ("so (as I said, this is it): {\"a\": 1}", None),
        ] {
            let start = text.find('{').expect(text);
            let end = start + "{\"a\": 1}".len();
            assert_eq!(
                judge(&Window::whole(text), Span::new(start, end), Origin::Bare),
                expected,
                "{text}"
            );
        }
    }
}
