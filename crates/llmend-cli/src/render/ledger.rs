//! What asking a model took.

use llmend::asking::Ledger;

use super::{counted, grouped};

/// Returns the calls, tokens, cost and time of a ledger in one line; `None` if nothing was asked.
pub(crate) fn spent(ledger: &Ledger) -> Option<String> {
    let calls = ledger.attempts.len();
    if calls == 0 {
        return None;
    }
    let about = if ledger.usage.estimated { "about " } else { "" };
    let (input, output) = (grouped(ledger.usage.input), grouped(ledger.usage.output));
    let cost = ledger.cost.map_or_else(String::new, |cost| format!("; cost {}", money(cost)));
    let seconds = ledger.took.as_secs();
    let time = if seconds == 0 { String::new() } else { format!("; {seconds} s") };
    let calls = counted(calls, "call");
    Some(format!("llmend: {calls}; {about}{input} tokens in, {output} out{cost}{time}"))
}

/// Returns millionths of a currency unit as a decimal number.
pub(crate) fn money(millionths: u64) -> String {
    let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::money;

    #[test]
    fn costs() {
        for (cost, expected) in
            [(0, "0"), (1, "0.000001"), (1_200, "0.0012"), (2_500_000, "2.5"), (3_000_000, "3")]
        {
            assert_eq!(money(cost), expected);
        }
    }
}
