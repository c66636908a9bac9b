//! Dates as Python represents them: `datetime.date(2024, 1, 2)`.

/// Names of the calls, and how many numbers they take at least.
const CALLS: &[(&str, usize)] =
    &[("datetime.datetime(", 5), ("datetime.date(", 3), ("datetime(", 5)];
/// Time zones that are UTC.
const UTC: &[&str] = &["tzinfo=datetime.timezone.utc", "tzinfo=timezone.utc", "tzinfo=<UTC>"];

/// Returns the date or time that `text` represents, as Python's `isoformat` writes it. What Python
/// would not print so, `datetime.date(2024,1,2)`, is code and no value.
pub(super) fn iso(text: &str) -> Option<String> {
    let call = |(name, least): &(&str, usize)| Some((text.strip_prefix(name)?, *least));
    let (arguments, least) = CALLS.iter().find_map(call)?;
    let mut arguments: Vec<&str> = arguments.strip_suffix(')')?.split(", ").collect();
    let zone = arguments.pop_if(|last| UTC.contains(last)).map_or("", |_| "+00:00");
    let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers: Vec<u32> = arguments
        .iter()
        .map(|number| Some(number).filter(|text| is_number(text))?.parse().ok())
        .collect::<Option<_>>()?;
    let number = |at: usize| numbers.get(at).copied().unwrap_or_default();
    let (year, month, day) = (number(0), number(1), number(2));
    let most = if least == 3 { 3 } else { 7 };
    let in_range = (1..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days(year, month)).contains(&day)
        && number(3) < 24
        && number(4) < 60
        && number(5) < 60
        && number(6) < 1_000_000;
    if !(least..=most).contains(&numbers.len()) || !in_range {
        return None;
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    if least == 3 {
        return zone.is_empty().then_some(date);
    }
    let (hour, minute, second) = (number(3), number(4), number(5));
    let fraction = match number(6) {
        0 => String::new(),
        micros => format!(".{micros:06}"),
    };
    Some(format!("{date}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}"))
}

/// Returns whether `before`, the text before a value, ends with a key as Python prints it in a dictionary
/// or an object: `'a': `, `a=`. In any other notation a date of Python is code.
pub(crate) fn is_printed(before: &str) -> bool {
    let before = before.trim_end();
    before.ends_with("':") || before.ends_with('=')
}

/// Returns the number of days of a month.
const fn days(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_printed, iso};

    #[test]
    fn dates_and_times() {
        for (text, expected) in [
            ("datetime.date(2024, 1, 2)", Some("2024-01-02")),
            ("datetime.datetime(2024, 1, 2, 3, 4)", Some("2024-01-02T03:04:00")),
            ("datetime(2024, 1, 2, 3, 4, 5)", Some("2024-01-02T03:04:05")),
            (
                "datetime.datetime(2024, 1, 2, 3, 4, 5, 600, tzinfo=datetime.timezone.utc)",
                Some("2024-01-02T03:04:05.000600+00:00"),
            ),
            ("datetime.date(2024, 2, 29)", Some("2024-02-29")),
            ("datetime.date(2023, 2, 29)", None),
            ("datetime.date(2024, 13, 2)", None),
            ("datetime.date(+2024, 1, 2)", None),
            ("datetime.date(2024,1,2)", None),
            ("datetime.date( 2024, 1, 2 )", None),
            ("datetime.date(, 1, 2)", None),
            ("datetime.date(2024, 1)", None),
            ("datetime.date(2024, 1, 2, 3)", None),
            ("datetime.datetime(2024, 1, 2, 3, 4, tzinfo=x)", None),
            ("datetime.date(x, 1, 2)", None),
            ("date(2024, 1, 2)", None),
        ] {
            assert_eq!(iso(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn keys_that_python_prints() {
        for (before, expected) in [
            ("{'a': ", true),
            ("{'a':", true),
            ("Claim(a=", true),
            ("{\"a\": ", false),
            ("{a: ", false),
            ("['a', ", false),
            ("", false),
        ] {
            assert_eq!(is_printed(before), expected, "{before}");
        }
    }
}
