//! What stands right beside a value, on its line and the next ones: the rest of a call, a table or an
//! expression, or a scalar or member that is as much of a value.
//!
//! It proves less than a bracket that is not closed or a record around the value, and so only makes
//! it a guess.

use crate::{
    Span,
    extract::{
        neighbor::{begins_value, ends_value},
        record::{self, Pair},
        remnant::Remnant,
        scalar::is_scalar,
    },
    parser::Window,
};

/// How much of the text around a value is inspected on each side, in bytes.
const REACH: usize = 400;

/// Judges the value at `span` by what stands beside it.
pub(crate) fn judge(window: &Window<'_>, span: Span) -> Option<Remnant> {
    let (before, after) = (window.before(span.start, REACH), window.near(span.end, REACH));
    let (above, left) = before.rsplit_once('\n').unwrap_or(("", before));
    let (right, below) = after.split_once('\n').unwrap_or((after, ""));
    // A tag ends what belongs to the value.
    let right = right.split("</").next().unwrap_or_default();
    let (left, right) = match (left.strip_suffix('`'), right.strip_prefix('`')) {
        (Some(left), Some(right)) => (left, right),
        _ => (left, right),
    };
    let above = above.rsplit('\n').next().unwrap_or_default().trim();
    let below_near = below.split('\n').next().unwrap_or_default().trim();
    // A blank line does not hide a scalar.
    let below_far = below.trim_start().split('\n').next().unwrap_or_default().trim();
    let subscript = window.byte(span.start) == Some(b'[')
        && left.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let doubtful = subscript
        || opens(left, right)
        || goes_on(left, right)
        || offers_other(left, right)
        || follows_labelled(left)
        || is_in_list(left, above, right, below_near)
        || [above, below_far].into_iter().any(|line| is_scalar(line) && !line.starts_with('"'))
        || [above, below_near].into_iter().any(|line| is_item_like(line, left));
    doubtful.then_some(Remnant::Doubtful)
}

/// Returns whether commas join a value on lines of its own to a scalar on the line before or behind it.
fn is_in_list(left: &str, above: &str, right: &str, below: &str) -> bool {
    let before = above.strip_suffix(',').filter(|_| left.trim().is_empty());
    let behind = Some(below.trim_end_matches(',')).filter(|_| right.trim() == ",");
    [before, behind].into_iter().flatten().any(|line| is_scalar(line.trim()))
}

/// Returns whether the text before a value on its line is the beginning of a call, a row or an
/// expression.
fn opens(left: &str, right: &str) -> bool {
    let line = left.trim_end();
    let Some(last) = line.chars().next_back() else { return false };
    let touches = line.len() == left.len();
    let item = || {
        let before = line.trim_end_matches(',').trim_end();
        let value = before.rsplit([' ', '=']).next().unwrap_or_default();
        touches || before.ends_with(['"', '\'']) || is_scalar(value)
    };
    let quoted = || touches && !right.starts_with(last);
    match last {
        ',' => item() || is_argument(line, right),
        '+' | '|' | '&' => true,
        '"' | '\'' => quoted() || is_argument(line, right),
        '.' => touches && line.ends_with(".."),
        _ => {
            let word = line.rsplit(' ').next().unwrap_or_default();
            is_argument(line, right)
                || left.trim_start().contains('\t')
                || (touches && is_scalar(word))
                || word == "return"
        }
    }
}

/// Words between a value and another one that is as good.
const JOINS: &[&str] = &["or", "and", "vs", "vs.", "versus", "plus", "alternatively", "oder", "ou"];

/// Returns whether a word joins a value on its line to a value of another kind: `{…} or [4, 5]`.
fn offers_other(left: &str, right: &str) -> bool {
    let is_join = |word: &str| JOINS.iter().any(|join| word.eq_ignore_ascii_case(join));
    let behind =
        right.trim_start_matches([' ', ',']).split_once(' ').is_some_and(|(word, rest)| {
            let next = rest.trim_start();
            let scalar = next.split([' ', '.', ',']).next().unwrap_or_default();
            is_join(word.trim_end_matches(','))
                && (next.starts_with(['[', '{']) || is_scalar(scalar))
        });
    let words = left.trim_end().trim_end_matches(" with");
    let before = words.rsplit_once(' ').is_some_and(|(other, word)| {
        let other = other.trim_end_matches([' ', ',']);
        is_join(word) && (other.ends_with([']', '}']) || is_scalar(other.trim_start()))
    });
    behind || before
}

/// Returns whether a value with a label is before the label of a value: `Tags: ["a"] Data: {…}`.
fn follows_labelled(left: &str) -> bool {
    let Some(label) = left.trim_end().strip_suffix([':', '=']) else { return false };
    let is_label = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | ',');
    let other = label.trim_end_matches(is_label);
    let named = other.rfind(['[', '{']).and_then(|at| other.get(..at)).map(str::trim_end);
    named.is_some_and(|before| before.ends_with([':', '='])) && ends_value(other, "")
}

/// Returns whether a parenthesis is open in the line before a value: of a call, of several values, or
/// of the value alone, if nothing closes it.
fn is_argument(line: &str, right: &str) -> bool {
    let Some((name, inside)) = line.rsplit_once('(') else { return false };
    !inside.contains(')')
        && (name.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            || (inside.contains(',') && !inside.contains(' '))
            || inside.contains("\",")
            || inside.ends_with(", '")
            || (inside.is_empty() && !right.starts_with(')')))
}

/// Returns whether what follows a value on its line belongs to an expression, a row or a list, or is
/// a scalar or member.
fn goes_on(left: &str, right: &str) -> bool {
    let rest = right.trim_start_matches([' ', '\t', '\r']);
    let spaced = rest.len() < right.len();
    let Some(first) = rest.chars().next() else { return false };
    let next = rest.get(first.len_utf8()..).unwrap_or_default();
    match first {
        ',' | ';' => {
            let item = next.trim_start();
            // Words in quotes are prose.
            let is_value = item.starts_with(|c: char| c.is_ascii_digit())
                || (is_scalar(item.trim_end()) && !item.trim_end().contains(' '));
            let is_data = |pair: Pair<'_>| first == ';' || is_scalar(pair.value);
            let glued = first == ',' && item.len() == next.len() && !item.is_empty();
            // A string and another separator are no prose.
            let string = item.strip_prefix('"').and_then(|item| item.split_once('"'));
            let is_item = string.is_some_and(|(_, rest)| rest.trim_start().starts_with([',', ']']));
            is_value || is_item || glued || member(item).is_some_and(is_data)
        }
        '.' => !spaced && next.starts_with(|c: char| c == '.' || c.is_ascii_alphabetic()),
        // A sentence may begin with a quotation.
        '"' | '\'' if spaced => is_scalar(rest.trim_end()),
        '"' | '\'' => !left.ends_with(first),
        ')' => !left.contains('('),
        '*' | '+' => spaced && next.starts_with(' '),
        // A row of a table ends with a bar, too.
        '|' => spaced && next.starts_with(' ') && !rest.trim_end().ends_with('|'),
        '[' => !spaced || is_scalar(rest.trim_end()),
        '\\' | ':' => true,
        _ => (!spaced && first.is_ascii_digit()) || is_scalar(rest.trim_end()),
    }
}

/// Returns the member that `text` begins with, in the notation of YAML or code.
fn member(text: &str) -> Option<Pair<'_>> {
    let is_plain = |pair: &Pair<'_>| !pair.value.is_empty() && pair.is_small();
    record::pair(text).filter(|pair| text.starts_with(char::is_alphabetic) && is_plain(pair))
}

/// Longest label of an item, in bytes.
const LABEL_REACH: usize = 3;

/// Returns whether a line next to a value is a member, another assignment, or an item of the same
/// list.
fn is_item_like(line: &str, left: &str) -> bool {
    let own = left.trim();
    if own.is_empty() {
        return member(line.trim_start_matches(['-', ' '])).is_some();
    }
    if let (Some(own), Some((target, value))) = (own.strip_suffix('='), line.split_once('=')) {
        let words = |text: &str| text.split_whitespace().count();
        return words(own) == words(target) && begins_value(value.trim_start());
    }
    let first = |text: &str| text.split(' ').next().and_then(label);
    let is_other = || {
        let item = line.split_once(' ').map_or("", |(_, item)| item.trim_start());
        !line.contains(['{', '[']) || begins_value(item)
    };
    own.len() <= LABEL_REACH
        && line.contains(' ')
        && is_other()
        && first(line).is_some_and(|label| first(own) == Some(label))
}

/// Returns the sort of the label that `word`, the first of an item of a list, is: `-`, `2.`, `B)`,
/// `#3`.
fn label(word: &str) -> Option<char> {
    let (first, last) = (word.chars().next()?, word.chars().next_back()?);
    let inside = word.trim_start_matches(['#', '(']).trim_end_matches(['.', ')', ':']);
    let short =
        (1..=LABEL_REACH).contains(&inside.len()) && inside.chars().all(char::is_alphanumeric);
    match (first, last) {
        ('-' | '*' | '•', _) if word.len() == first.len_utf8() => Some(first),
        (_, '.' | ')') if short => Some(last),
        ('#', _) if short => Some('#'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::judge;
    use crate::{Span, parser::Window};

    #[test]
    fn what_stands_beside_a_value() {
        for (text, doubtful) in [
            ("‹{}›", false),
            ("Here it is: ‹{}›.", false),
            ("Here it is: ‹{}›, which is all.", false),
            ("(see ‹{}›)", false),
            ("`‹{}›`", false),
            ("'‹{}›'", false),
            ("\"‹{}›\"", false),
            ("For x, ‹{}› is it.", false),
            ("x = ‹{}›;", false),
            ("- ‹{}›", false),
            ("‹{}›\nConfidence: high", false),
            ("‹{}›\n\nname: see above", false),
            ("‹{}› // a comment", false),
            ("**‹{}›**", false),
            ("‹{}›, \"as you asked\"", false),
            ("‹{}›, note: see below", false),
            ("‹{}›, b: 2", true),
            ("‹{}› \"a\" is short for b.", false),
            ("‹{}› 1. a is one", false),
            ("‹{}›\n- \"a\": the first", false),
            // Of a call, an expression or a row.
            ("create(\"Bob\", ‹{}›)", true),
            ("len(‹{}›)", true),
            ("(‹{}›, 5)", true),
            ("(‹{}›", true),
            ("VALUES (1, '‹{}›');", true),
            ("x || ‹{}›", true),
            ("‹{}›.items()", true),
            ("‹{}› * 3", true),
            ("‹{}› | json | a > 1", true),
            ("‹{}› | a | b |", false),
            ("‹{}›: 2", true),
            ("| 1 | ‹{}› |", true),
            ("| `a` | `‹{}›` |", true),
            ("a\t‹{}›", true),
            ("a,‹{}›", true),
            ("‹{}›,b", true),
            ("‹{}›; b: 2", true),
            ("‹{}›; o.y = 2", true),
            ("true‹{}›", true),
            ("x=1, ‹{}›", true),
            ("return ‹{}›", true),
            // A scalar or member beside it.
            ("‹{}›42", true),
            ("‹{}›\"b\"", true),
            ("‹{}›, \"s\"", true),
            ("5, ‹{}›", true),
            ("‹{}›\nnull", true),
            ("‹{}›\n\n42", true),
            ("‹{}›\n\n[1]", true),
            ("‹{}›\n[1] see above", false),
            ("‹{}›\n**a**: the first", false),
            ("‹{}›\nname: Bob", true),
            ("‹{}›\n- b: 2", true),
            ("x: 1\n‹{}›", true),
            ("- ‹{}›\n- none", true),
            ("A) ‹{}›\nB) none", true),
            ("#1 ‹{}›\n#2 none", true),
            // A value of another kind, joined by a word.
            ("Either ‹{}› or [4, 5] would do.", true),
            ("‹{}› or null", true),
            ("‹{}› or \"none\"", true),
            ("It is ‹{}›, alternatively [1].", true),
            ("Use either [1, 2] or ‹{}›.", true),
            ("Reply with [] or with ‹{}›.", true),
            ("‹{}› or so", false),
            ("‹{}› and that is all", false),
            ("one or ‹{}›", false),
            ("Tags: [\"a\"] Data: ‹{}›", true),
            ("Put [\"a\"] into it: ‹{}›", false),
            ("true and ‹{}›", true),
            ("foo(1, ‹{}›)", true),
            ("- [\"a\"]\n- ‹{}›", true),
            ("- ‹{}›\n- {b}", false),
            ("const a = ‹{}›;\nconst b = {y: 2};", true),
            ("a = ‹{}›\nb = 5", true),
            ("a = ‹{}›\nprint(a, b=5)", false),
            // In a list without its bracket.
            ("null,\n‹{}›,\n\"a\"", true),
            ("‹{}›,\n\"a\",", true),
            ("‹{}›, \"a\", [2]", true),
            ("Well,\n‹{}›", false),
            // In a tag.
            ("<answer>‹{}›, [1]</answer>", true),
            ("<answer>‹{}› [1]</answer>", true),
            ("<answer>‹{}›</answer> [1]", false),
            // A mark without its counterpart.
            ("'‹{}›", true),
            ("‹{}›)", true),
            ("...‹{}›", true),
            ("‹{}›...", true),
            ("‹{}›\\", true),
        ] {
            let (start, end) = (text.find('‹').expect(text), text.find('›').expect(text) - 3);
            let plain = text.replace(['‹', '›'], "");
            let found = judge(&Window::whole(&plain), Span::new(start, end));
            assert_eq!(found.is_some(), doubtful, "{text}");
        }
    }
}
