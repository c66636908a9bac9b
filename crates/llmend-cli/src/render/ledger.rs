//! What asking a model took.

use llmend::{asking::Ledger, config::Currency};

use super::{counted, grouped};

/// What a ledger counts, in a currency.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spending<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) currency: &'a Currency,
}

/// Returns the calls, tokens, cost and time of a ledger in one line; `None` if nothing was asked.
pub(crate) fn spent(Spending { ledger, currency }: Spending<'_>) -> Option<String> {
    let calls = ledger.calls();
    if calls == 0 {
        return None;
    }
    let usage = ledger.usage;
    let about = if usage.estimated { "about " } else { "" };
    // Where no answer arrived, nothing is known of what was used.
    let tokens = match (usage.input, usage.output) {
        (0, 0) => String::new(),
        (input, output) => {
            format!("; {about}{} tokens in, {} out", grouped(input), grouped(output))
        }
    };
    let cost = ledger.cost.filter(|_| !tokens.is_empty());
    let cost =
        cost.map_or_else(String::new, |cost| format!("; cost {about}{}", currency.amount(cost)));
    let time = match ledger.took.as_millis() {
        0..100 => String::new(),
        100..950 => format!("; {:.1} s", ledger.took.as_secs_f64()),
        milliseconds => format!("; {} s", (milliseconds + 500) / 1000),
    };
    Some(format!("llmend: {}{tokens}{cost}{time}", counted(calls, "call")))
}
