//! Numbers in the notations of other languages and of prose.

use super::BareValue;

/// Classifies a text that is a number or begins like one.
pub(super) fn number(text: &str) -> Option<BareValue> {
    // Typographic signs, too.
    if let Some(digits) = text.strip_prefix(['−', '–', '—']) {
        let plain = format!("-{digits}");
        return is_strict(&plain).then_some(BareValue::ForeignNumber(plain));
    }
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || !digits.contains(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    if is_strict(text) {
        return Some(BareValue::Number);
    }
    let sign = if negative { "-" } else { "" };
    if let Some(value) = radix(digits) {
        return Some(BareValue::ForeignNumber(format!("{sign}{value}")));
    }
    if let Some(value) = grouped(digits) {
        return Some(BareValue::Thousands(format!("{sign}{value}")));
    }
    if let Some(value) = power_of_ten(digits) {
        return Some(BareValue::ForeignNumber(format!("{sign}{value}")));
    }
    if let Some(plain) = decimal_comma(digits) {
        let known = is_strict(&plain);
        return Some(if known {
            BareValue::DecimalComma(format!("{sign}{plain}"))
        } else {
            BareValue::NumberText
        });
    }
    if digits.contains(',')
        && digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'.'))
    {
        return Some(BareValue::Unclear);
    }
    let plain = without_suffix(digits);
    let plain = if underscored(plain) { plain.replace('_', "") } else { plain.to_owned() };
    let plain = match plain.strip_prefix('.') {
        Some(rest) => format!("0.{rest}"),
        None => plain,
    };
    let plain = match plain.split_once('.') {
        Some((whole, "")) => whole.to_owned(),
        Some((whole, rest)) if rest.starts_with(['e', 'E']) => format!("{whole}{rest}"),
        _ => plain,
    };
    if is_strict(&plain) {
        return Some(BareValue::ForeignNumber(format!("{sign}{plain}")));
    }
    let mantissa = plain.trim_end_matches(['e', 'E', '+', '-']);
    if mantissa.len() < plain.len() && plain.contains(['e', 'E']) && is_strict(mantissa) {
        return Some(BareValue::PartialNumber(format!("{sign}{mantissa}")));
    }
    if text.starts_with('+') {
        // A phone number.
        return None;
    }
    if in_groups(text) {
        return Some(BareValue::NumberText);
    }
    // `0. 85` may be one number or two.
    let halves = digits.split_whitespace().collect::<Vec<_>>();
    if halves.len() > 1
        && halves.iter().all(|half| half.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
    {
        return Some(BareValue::Unclear);
    }
    None
}

/// Returns whether `text` is a code or phone number whose digits are in groups: several, or one with a
/// leading zero (`4202 31 00`, `0087 1234`). Two plain groups may be two numbers.
pub(crate) fn in_groups(text: &str) -> bool {
    let mut groups = text.split_whitespace();
    let led = |group: &str| group.len() > 1 && group.starts_with('0');
    let several = groups.clone().nth(2).is_some();
    let two = || groups.clone().nth(1).is_some() && groups.clone().any(led);
    (several || two()) && groups.all(|group| group.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether `text` is a number in JSON notation.
pub(crate) fn is_strict(text: &str) -> bool {
    crate::parser::Window::whole(text).scan_number(0) == Some(text.len())
}

fn underscored(text: &str) -> bool {
    text.contains('_')
        && !text.starts_with('_')
        && !text.ends_with('_')
        && !text.contains("__")
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'_' | b'.' | b'e' | b'E' | b'-' | b'+'))
}

/// Returns the decimal digits of a number in base 16, 8 or 2.
fn radix(text: &str) -> Option<String> {
    let base = match text.get(..2)? {
        "0x" | "0X" => 16,
        "0o" | "0O" => 8,
        "0b" | "0B" => 2,
        _ => return None,
    };
    let digits = text.get(2..)?.replace('_', "");
    let digits = digits.strip_suffix('n').unwrap_or(&digits);
    u128::from_str_radix(digits, base)
        .ok()
        .filter(|_| !digits.starts_with('+'))
        .map(|value| value.to_string())
}

/// Returns the number `text` without the type that other languages append to it. Letters that are
/// also units stay: `10d`, `98.6F`.
fn without_suffix(text: &str) -> &str {
    const SUFFIXES: &[&str] = &[
        "ULL", "ull", "UL", "ul", "LL", "ll", "usize", "isize", "u128", "i128", "u64", "i64",
        "f64", "u32", "i32", "f32", "u16", "i16", "u8", "i8", "n", "L", "u", "U",
    ];
    let digits = match text.strip_suffix('f') {
        Some(number) if number.contains('.') => Some(number),
        _ => SUFFIXES.iter().find_map(|suffix| text.strip_suffix(suffix)),
    };
    digits.filter(|digits| digits.ends_with(|c: char| c.is_ascii_digit())).unwrap_or(text)
}

/// Returns the JSON notation of a number whose digits are in groups: `1,234,567.89`, `1.234,56`,
/// `12 500`, `12’500`, `12,34,567`.
fn grouped(text: &str) -> Option<String> {
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let in_threes = |whole: &str, separator: fn(char) -> bool| {
        let mut groups = whole.split(separator);
        let first = groups.next().unwrap_or_default();
        let mut rest = groups.peekable();
        rest.peek().is_some()
            && first.len() <= 3
            && all_digits(first)
            && !first.starts_with('0')
            && rest.all(|group| group.len() == 3 && all_digits(group))
    };
    // In lakhs and crores, all groups but the last have two digits.
    let in_lakhs = |whole: &str| {
        let (before, last) = whole.rsplit_once(',').unwrap_or(("", ""));
        let (first, pairs) = before.split_once(',').unwrap_or(("", ""));
        last.len() == 3
            && all_digits(last)
            && (1..=2).contains(&first.len())
            && all_digits(first)
            && !first.starts_with('0')
            && pairs.split(',').all(|pair| pair.len() == 2 && all_digits(pair))
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let comma = in_threes(whole, |c| c == ',') || in_lakhs(whole);
    let swiss = in_threes(whole, |c| matches!(c, '\'' | '’'));
    if all_digits(fraction) && (comma || swiss || in_threes(whole, char::is_whitespace)) {
        return Some(text.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect());
    }
    let (whole, fraction) = text.split_once(',')?;
    // `1.234,567` may have either separator in either role.
    let dots = in_threes(whole, |c| c == '.') && fraction.len() != 3;
    let spaces = in_threes(whole, char::is_whitespace);
    (all_digits(fraction) && (dots || spaces)).then(|| {
        let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
        format!("{whole}.{fraction}")
    })
}

/// Returns a number with a point for its decimal comma, which cannot separate thousands: `3,75`. Only
/// in an object is the comma part of the text: a key follows one that separates.
fn decimal_comma(text: &str) -> Option<String> {
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = text.split_once(',')?;
    let groups = fraction.len() == 3 && whole != "0";
    (all_digits(whole) && all_digits(fraction) && !groups).then(|| format!("{whole}.{fraction}"))
}

/// Returns the JSON notation of a number in scientific notation: `3.2×10^5`.
fn power_of_ten(text: &str) -> Option<String> {
    let (number, power) = text.split_once(['×', 'x', '·'])?;
    let exponent = power.trim_start().strip_prefix("10^")?;
    let digits = exponent.strip_prefix('-').unwrap_or(exponent);
    let sound = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let plain = format!("{}e{exponent}", number.trim_end());
    (sound && is_strict(&plain)).then_some(plain)
}
