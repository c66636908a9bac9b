//! Notations of numbers, dates and other unquoted values.

use super::work::{Kind, Stage, Work};
use crate::case::Verdict;
use crate::data::Data;
use crate::random::Random;
use crate::words::{self, noun, plain};

pub(crate) const KINDS: &[Kind] = &[
    Kind::new("plus-sign", "numbers", Stage::Local, plus_sign),
    Kind::new("leading-dot", "numbers", Stage::Local, leading_dot),
    Kind::new("trailing-dot", "numbers", Stage::Local, trailing_dot),
    Kind::new("underscored-digits", "numbers", Stage::Local, underscored),
    Kind::new("hexadecimal", "numbers", Stage::Local, hexadecimal),
    Kind::new("big-integer-suffix", "numbers", Stage::Local, big_integer),
    Kind::new("thousands-separator", "numbers", Stage::Local, thousands),
    Kind::new("leading-zeros", "numbers", Stage::Local, leading_zeros),
    Kind::new("percent", "numbers", Stage::Local, percent),
    Kind::new("currency", "numbers", Stage::Local, currency),
    Kind::new("unit", "numbers", Stage::Local, unit),
    Kind::new("spaced-unit", "numbers", Stage::Local, spaced_unit),
    Kind::new("range", "numbers", Stage::Local, range),
    Kind::new("fraction", "numbers", Stage::Local, fraction),
    Kind::new("decimal-comma", "numbers", Stage::Local, decimal_comma),
    Kind::new("incomplete-exponent", "numbers", Stage::Local, incomplete_exponent),
    Kind::new("approximate", "numbers", Stage::Local, approximate),
    Kind::new("bare-version", "unquoted", Stage::Local, version),
    Kind::new("bare-address", "unquoted", Stage::Local, address),
    Kind::new("bare-date", "unquoted", Stage::Local, date),
    Kind::new("bare-time", "unquoted", Stage::Local, time),
    Kind::new("bare-uuid", "unquoted", Stage::Local, uuid),
    Kind::new("expression", "numbers", Stage::Local, expression),
    Kind::new("string-expression", "concat", Stage::Local, string_expression),
];

/// Puts an unquoted spelling in the place of a scalar.
fn anywhere(w: &mut Work, r: &mut Random, spelled: &str, mean: Data, others: Vec<Data>) -> bool {
    let Some(i) = w.spot(r, Work::is_scalar) else { return false };
    w.respell(i, spelled, mean, others);
    true
}

/// The same for spellings with a comma, a space or a sign in them: only the value of a member,
/// before a closer or a quoted key, so that nothing else can be meant.
fn member(w: &mut Work, r: &mut Random, spelled: &str, mean: Data, others: Vec<Data>) -> bool {
    let Some(i) = w.spot(r, |w, i| w.is_member(i) && w.ends_plainly(i)) else { return false };
    w.respell(i, spelled, mean, others);
    w.lock(i, i + 2);
    true
}

fn as_text(w: &mut Work, r: &mut Random, spelled: &str) -> bool {
    anywhere(w, r, spelled, Data::text(spelled), Vec::new())
}

fn plus_sign(w: &mut Work, r: &mut Random) -> bool {
    let n = if r.chance(50) {
        r.below(500).to_string()
    } else {
        format!("{}.{}", r.below(90), r.between(1, 9))
    };
    anywhere(w, r, &format!("+{n}"), Data::number(n), Vec::new())
}

fn leading_dot(w: &mut Work, r: &mut Random) -> bool {
    let n = r.between(1, 99);
    let sign = if r.chance(20) { "-" } else { "" };
    anywhere(w, r, &format!("{sign}.{n}"), Data::Number(format!("{sign}0.{n}")), Vec::new())
}

fn trailing_dot(w: &mut Work, r: &mut Random) -> bool {
    let n = r.below(300);
    anywhere(w, r, &format!("{n}."), Data::number(n), Vec::new())
}

fn underscored(w: &mut Work, r: &mut Random) -> bool {
    let (a, b) = (r.between(1, 99), r.below(1000));
    anywhere(w, r, &format!("{a}_{b:03}"), Data::Number(format!("{a}{b:03}")), Vec::new())
}

fn hexadecimal(w: &mut Work, r: &mut Random) -> bool {
    let n = r.between(10, 65_535);
    let spelled = if r.chance(50) { format!("0x{n:X}") } else { format!("0x{n:x}") };
    anywhere(w, r, &spelled, Data::number(n), Vec::new())
}

fn big_integer(w: &mut Work, r: &mut Random) -> bool {
    let n = format!("{}{:09}", r.between(1, 9999), r.below(1_000_000_000));
    anywhere(w, r, &format!("{n}n"), Data::Number(n), Vec::new())
}

fn thousands(w: &mut Work, r: &mut Random) -> bool {
    let (a, b, c) = (r.between(1, 999), r.below(1000), r.below(1000));
    let spelled = if r.chance(50) { format!("{a},{b:03}") } else { format!("{a},{b:03},{c:03}") };
    let n = spelled.replace(',', "");
    member(w, r, &spelled, Data::Number(n), vec![Data::text(&*spelled)])
}

fn leading_zeros(w: &mut Work, r: &mut Random) -> bool {
    let n = r.between(1, 99);
    let spelled = format!("00{n}");
    anywhere(w, r, &spelled, Data::text(&*spelled), vec![Data::number(n)])
}

fn percent(w: &mut Work, r: &mut Random) -> bool {
    let spelled = if r.chance(50) {
        format!("{}%", r.below(100))
    } else {
        format!("{}.{}%", r.below(100), r.below(9))
    };
    as_text(w, r, &spelled)
}

fn currency(w: &mut Work, r: &mut Random) -> bool {
    let sign = r.pick(&["$", "€", "£"]);
    let spelled = format!("{sign}{}.{:02}", r.below(500), r.below(100));
    as_text(w, r, &spelled)
}

fn unit(w: &mut Work, r: &mut Random) -> bool {
    let spelled = format!(
        "{}{}",
        r.between(1, 500),
        r.pick(&["px", "cm", "kg", "ms", "MB", "GB", "km", "th", "B"])
    );
    as_text(w, r, &spelled)
}

fn spaced_unit(w: &mut Work, r: &mut Random) -> bool {
    let spelled = format!(
        "{} {}",
        r.between(1, 500),
        r.pick(&["kg", "km", "hours", "minutes", "days", "MB", "litres"])
    );
    member(w, r, &spelled, Data::text(&*spelled), Vec::new())
}

fn range(w: &mut Work, r: &mut Random) -> bool {
    let low = r.below(90);
    let spelled = format!("{low}-{}", low + r.between(1, 20));
    member(w, r, &spelled, Data::text(&*spelled), Vec::new())
}

/// The text, or a refusal; never the quotient.
fn fraction(w: &mut Work, r: &mut Random) -> bool {
    let spelled = format!("{}/{}", r.between(1, 9), r.between(2, 10));
    let done = member(w, r, &spelled, Data::text(&*spelled), Vec::new());
    w.verdict = if done && w.verdict == Verdict::Value { Verdict::Ambiguous } else { w.verdict };
    done
}

/// `3,14`: two digits behind the comma are no thousands. A refusal is honest too.
fn decimal_comma(w: &mut Work, r: &mut Random) -> bool {
    let (a, b) = (r.below(90), r.between(10, 99));
    let spelled = format!("{a},{b}");
    let done =
        member(w, r, &spelled, Data::Number(format!("{a}.{b}")), vec![Data::text(&*spelled)]);
    w.verdict = if done && w.verdict == Verdict::Value { Verdict::Ambiguous } else { w.verdict };
    done
}

fn incomplete_exponent(w: &mut Work, r: &mut Random) -> bool {
    let n = r.below(90);
    let spelled = format!("{n}{}", r.pick(&["e", "E+", "e-"]));
    anywhere(w, r, &spelled, Data::number(n), vec![Data::text(&*spelled)])
}

fn approximate(w: &mut Work, r: &mut Random) -> bool {
    let spelled = format!("{}{}", r.pick(&["~", "≈", ">", "<", ">="]), r.between(2, 900));
    let done = member(w, r, &spelled, Data::text(&*spelled), Vec::new());
    w.verdict = if done && w.verdict == Verdict::Value { Verdict::Ambiguous } else { w.verdict };
    done
}

fn version(w: &mut Work, r: &mut Random) -> bool {
    let v = if r.chance(30) { "v" } else { "" };
    let spelled = format!("{v}{}.{}.{}", r.below(9), r.below(30), r.below(9));
    as_text(w, r, &spelled)
}

fn address(w: &mut Work, r: &mut Random) -> bool {
    let spelled =
        format!("{}.{}.{}.{}", r.between(1, 250), r.below(250), r.below(250), r.between(1, 250));
    as_text(w, r, &spelled)
}

fn date(w: &mut Work, r: &mut Random) -> bool {
    let (y, m, d) = (r.between(1990, 2030), r.between(1, 12), r.between(1, 28));
    let spelled = match r.below(3) {
        0 => format!("{y}-{m:02}-{d:02}"),
        1 => format!("{y}/{m:02}/{d:02}"),
        _ => format!("{y}-{m:02}-{d:02}T{:02}:{:02}:00Z", r.below(24), r.below(60)),
    };
    as_text(w, r, &spelled)
}

fn time(w: &mut Work, r: &mut Random) -> bool {
    let spelled = format!("{:02}:{:02}", r.between(10, 23), r.below(60));
    member(w, r, &spelled, Data::text(&*spelled), Vec::new())
}

fn uuid(w: &mut Work, r: &mut Random) -> bool {
    let bits = u128::from(r.bits()) << 64 | u128::from(r.bits());
    let hex = format!("{bits:032x}");
    let spelled =
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]);
    as_text(w, r, &spelled)
}

/// Never computed: a refusal, or the text as it stands.
fn expression(w: &mut Work, r: &mut Random) -> bool {
    let (a, b, n) = (noun(r), noun(r), r.between(2, 90));
    let spelled = match r.below(7) {
        0 => format!("{n} * {a}"),
        1 => format!("60*60*{n}"),
        2 => format!("{} - {n}", n * 20),
        3 => format!("{n} + {}", r.between(1, 9)),
        4 => format!("{a} + {b}"),
        5 => format!("({n} + 2) * 3"),
        _ => format!("{n} / {}", r.between(2, 9)),
    };
    let done = member(w, r, &spelled, Data::text(&*spelled), Vec::new());
    w.verdict = if done { Verdict::Error } else { w.verdict };
    done
}

fn string_expression(w: &mut Work, r: &mut Random) -> bool {
    let a = noun(r);
    let spelled = match r.below(3) {
        0 => format!("\"Total: \" + str({a})"),
        1 => format!("\"{}: \" + {a}", plain(r, 2)),
        _ => format!("{a} + \" {}\"", words::noun(r)),
    };
    let done = member(w, r, &spelled, Data::text(&*spelled), Vec::new());
    w.verdict = if done { Verdict::Error } else { w.verdict };
    done
}
