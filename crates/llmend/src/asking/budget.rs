//! Budgets, prices and retry limits.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Family;
use crate::model::Usage;

/// The smallest token limit of an answer: with fewer tokens left, no request is sent.
pub const LEAST_OUTPUT: u64 = 16;

/// The token limit of an answer for which none is set, while a budget of tokens or cost applies.
pub const ANSWER_TOKENS: u64 = 4_096;

/// Limits for retries caused by the content of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retries {
    /// The limit of all retries together.
    pub total: u32,
    /// The limit after answers without a complete value ([`Family::Parsing`]); at most `total`.
    pub parsing: u32,
    /// The limit after values that are not what was asked for ([`Family::Validation`]); at most
    /// `total`.
    pub validation: u32,
}

impl Retries {
    /// Sets one limit for all kinds of failures.
    #[must_use]
    pub const fn of(total: u32) -> Self {
        Self { total, parsing: total, validation: total }
    }

    /// Sets one limit for all kinds of failures after which there are retries at all.
    #[must_use]
    pub const fn limited(self, total: u32) -> Self {
        let validation = if self.validation == 0 { 0 } else { total };
        Self { total, parsing: total, validation }
    }

    /// Returns the most retries that there can be: the limit of all, or that of both kinds together.
    #[must_use]
    pub const fn most(self) -> u32 {
        let kinds = self.parsing.saturating_add(self.validation);
        if kinds < self.total { kinds } else { self.total }
    }

    /// Sets the limit after answers without a complete value, and keeps the other one.
    #[must_use]
    pub const fn with_parsing(self, parsing: u32) -> Self {
        Self { total: parsing.saturating_add(self.validation), parsing, ..self }
    }
}

impl Default for Retries {
    /// Two retries, hence three attempts.
    fn default() -> Self {
        Self::of(2)
    }
}

/// The budget of all attempts together. `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Input and output tokens together.
    pub tokens: Option<u64>,
    /// Cost in millionths of a currency unit; requires the [`Price`] of each model.
    pub cost: Option<u64>,
    /// Time from the start of the first attempt. No attempt starts after it, and each is given only
    /// the remaining time.
    pub time: Option<Duration>,
    /// Output tokens of one answer, whatever is left. If a budget of tokens or cost applies, the
    /// default is [`ANSWER_TOKENS`], or twice the longest answer so far if that is more: servers
    /// refuse a limit above that of the model.
    pub answer_tokens: Option<u32>,
    /// How often the same request is repeated if no answer arrived. The models of `llmend-models`
    /// have already retried, with waits in between, before they return an error; the loop does not
    /// wait.
    pub transport_retries: u32,
}

/// The price of a model, in millionths of a currency unit per million tokens: 2.50 per million
/// tokens is 2,500,000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
}

const MILLION: u128 = 1_000_000;

/// Converts an amount of money into the millionths of its unit that budgets and prices use,
/// rounded. `None` for an amount that is negative, not a number or too large.
///
/// ```
/// use llmend::asking::millionths;
///
/// assert_eq!(millionths(2.5), Some(2_500_000));
/// assert_eq!(millionths(-1.0), None);
/// ```
#[must_use]
pub fn millionths(money: f64) -> Option<u64> {
    // Formats and parses, since no conversion from float to integer reports an overflow.
    format!("{:.0}", money * 1e6).parse().ok()
}

impl Price {
    /// Returns the cost of this usage in millionths of a currency unit, rounded up.
    #[must_use]
    pub fn of(&self, usage: &Usage) -> u64 {
        let question = u128::from(usage.input) * u128::from(self.input);
        let answer = u128::from(usage.output) * u128::from(self.output);
        let millionths = question.saturating_add(answer);
        u64::try_from(millionths.div_ceil(MILLION)).unwrap_or(u64::MAX)
    }

    /// Returns how many output tokens `money` pays for, after this many input tokens.
    fn affordable(&self, money: u64, input: u64) -> u64 {
        let question = u128::from(input) * u128::from(self.input);
        let left = (u128::from(money) * MILLION).saturating_sub(question);
        match u128::from(self.output) {
            0 if left == 0 => 0,
            0 => u64::MAX,
            price => u64::try_from(left / price).unwrap_or(u64::MAX),
        }
    }
}

/// The budget that is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExhaustedBudget {
    /// Tokens.
    Tokens,
    /// Cost.
    Cost,
    /// Time.
    Time,
}

/// What was used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BudgetUse {
    pub(crate) tokens: u64,
    pub(crate) cost: u64,
    pub(crate) time: Duration,
}

/// The limits of one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) output_tokens: Option<u32>,
    pub(crate) timeout: Option<Duration>,
    /// How many answers of that length the budget pays for.
    pub(crate) answers: Option<u32>,
}

impl Budget {
    /// Returns the limits of a request of about this many input tokens, or the budget that is used
    /// up. `longest_answer` has the output tokens of the longest answer so far.
    pub(crate) fn limits(
        &self,
        used: &BudgetUse,
        price: Option<&Price>,
        question_tokens: u64,
        longest_answer: u64,
    ) -> Result<Limits, ExhaustedBudget> {
        let timeout = self.time.map(|time| time.saturating_sub(used.time));
        if timeout.is_some_and(|left| left.is_zero()) {
            return Err(ExhaustedBudget::Time);
        }
        let mut most = self.answer_tokens.map(u64::from);
        let by_tokens =
            self.tokens.map(|all| all.saturating_sub(used.tokens).saturating_sub(question_tokens));
        let by_cost = self
            .cost
            .zip(price)
            .map(|(all, price)| price.affordable(all.saturating_sub(used.cost), question_tokens));
        for (left, spent) in
            [(by_tokens, ExhaustedBudget::Tokens), (by_cost, ExhaustedBudget::Cost)]
        {
            let Some(left) = left else { continue };
            if left < LEAST_OUTPUT {
                return Err(spent);
            }
            let needed = || ANSWER_TOKENS.max(longest_answer.saturating_mul(2));
            most = Some(most.unwrap_or_else(needed).min(left));
        }
        if most.is_some_and(|most| most == 0) {
            return Err(ExhaustedBudget::Tokens);
        }
        let output_tokens = most.map(|most| u32::try_from(most).unwrap_or(u32::MAX));
        let one = Usage { input: question_tokens, output: most.unwrap_or(0), estimated: true };
        let answers = self.answers(used, price, &one);
        Ok(Limits { output_tokens, timeout, answers })
    }

    /// Returns how many requests that each use as much as `one` are within what is left.
    fn answers(&self, used: &BudgetUse, price: Option<&Price>, one: &Usage) -> Option<u32> {
        let by_tokens =
            self.tokens.map(|all| all.saturating_sub(used.tokens).checked_div(one.total()));
        let by_cost = self
            .cost
            .zip(price)
            .map(|(all, price)| all.saturating_sub(used.cost).checked_div(price.of(one)));
        // What costs nothing has no limit.
        let fewest = [by_tokens, by_cost].into_iter().flatten().flatten().min()?;
        Some(u32::try_from(fewest).unwrap_or(u32::MAX).max(1))
    }
}

/// The retries made so far, counted by family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RetryCounts {
    pub(crate) parsing: u32,
    pub(crate) validation: u32,
    pub(crate) transport: u32,
}

impl RetryCounts {
    /// Returns the number of retries caused by the content of answers.
    pub(crate) const fn total(&self) -> u32 {
        self.parsing.saturating_add(self.validation)
    }

    /// Returns whether another retry is allowed after a failure of this family.
    pub(crate) const fn allows(&self, family: Family, retries: &Retries, transport: u32) -> bool {
        match family {
            Family::Transport => self.transport < transport,
            Family::Parsing => self.total() < retries.total && self.parsing < retries.parsing,
            Family::Validation => {
                self.total() < retries.total && self.validation < retries.validation
            }
        }
    }

    pub(crate) const fn count(&mut self, family: Family) {
        match family {
            Family::Transport => self.transport += 1,
            Family::Parsing => self.parsing += 1,
            Family::Validation => self.validation += 1,
        }
    }

    /// Returns whether no retries left for any failure.
    pub(crate) const fn is_last(&self, retries: &Retries) -> bool {
        !self.allows(Family::Parsing, retries, 0) && !self.allows(Family::Validation, retries, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_as_people_write_it_becomes_whole_millionths() {
        let rows = [
            (2.5, Some(2_500_000)),
            (0.0, Some(0)),
            (1e-6, Some(1)),
            (-1.0, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
            (1e15, None),
        ];
        for (money, expected) in rows {
            assert_eq!(millionths(money), expected, "{money}");
        }
    }

    fn limits(budget: Budget, used: BudgetUse, question: u64) -> Result<Limits, ExhaustedBudget> {
        let price = Price { input: 1_000_000, output: 4_000_000 };
        budget.limits(&used, Some(&price), question, 0)
    }

    #[test]
    fn a_request_asks_for_what_the_answer_can_need() {
        let budget = Budget { tokens: Some(1_000_000), ..Budget::default() };
        let short = Budget { answer_tokens: Some(900), ..budget };
        for (budget, longest, expected) in [
            (budget, 0, 4_096),
            (budget, 4_096, 8_192),
            (budget, 900_000, 1_000_000),
            (short, 4_096, 900),
        ] {
            let limits = budget.limits(&BudgetUse::default(), None, 0, longest);
            assert_eq!(limits.unwrap().output_tokens, Some(expected), "{budget:?} {longest}");
        }
    }

    #[test]
    fn no_request_asks_for_more_than_what_is_left() {
        let used = BudgetUse { tokens: 600, cost: 1_000, time: Duration::from_secs(4) };
        let rows = [
            (Budget::default(), 100, Ok((None, None))),
            (Budget { tokens: Some(1_000), ..Budget::default() }, 100, Ok((Some(300), None))),
            (Budget { tokens: Some(716), ..Budget::default() }, 100, Ok((Some(16), None))),
            (Budget { tokens: Some(715), ..Budget::default() }, 100, Err(ExhaustedBudget::Tokens)),
            (Budget { tokens: Some(500), ..Budget::default() }, 0, Err(ExhaustedBudget::Tokens)),
            // An input token costs 1, an output token 4.
            (Budget { cost: Some(1_500), ..Budget::default() }, 100, Ok((Some(100), None))),
            (Budget { cost: Some(1_163), ..Budget::default() }, 100, Err(ExhaustedBudget::Cost)),
            (Budget { answer_tokens: Some(50), ..Budget::default() }, 100, Ok((Some(50), None))),
            (
                Budget { answer_tokens: Some(500), tokens: Some(1_000), ..Budget::default() },
                100,
                Ok((Some(300), None)),
            ),
            (
                Budget { time: Some(Duration::from_secs(10)), ..Budget::default() },
                1,
                Ok((None, Some(6))),
            ),
            (
                Budget { time: Some(Duration::from_secs(4)), ..Budget::default() },
                1,
                Err(ExhaustedBudget::Time),
            ),
        ];
        for (budget, question, expected) in rows {
            let found = limits(budget, used, question)
                .map(|limits| (limits.output_tokens, limits.timeout.map(|left| left.as_secs())));
            assert_eq!(found, expected, "{budget:?}");
        }
    }

    #[test]
    fn an_answer_is_asked_for_as_often_as_the_budget_pays_for() {
        let used = BudgetUse { tokens: 500, cost: 1_000, time: Duration::ZERO };
        let of = |tokens, cost| Budget {
            answer_tokens: Some(100),
            tokens,
            cost,
            time: None,
            transport_retries: 0,
        };
        let rows = [
            (of(None, None), None),
            // A request has 50 tokens, and its answer 100.
            (of(Some(700), None), Some(1)),
            (of(Some(799), None), Some(1)),
            (of(Some(800), None), Some(2)),
            (of(Some(2_000), None), Some(10)),
            // An input token costs 1, an output token 4.
            (of(None, Some(1_900)), Some(2)),
            (of(None, Some(1_899)), Some(1)),
            (of(Some(2_000), Some(1_899)), Some(1)),
        ];
        for (budget, expected) in rows {
            assert_eq!(limits(budget, used, 50).unwrap().answers, expected, "{budget:?}");
        }
    }

    #[test]
    fn money_is_counted_in_whole_millionths_and_never_too_low() {
        let price = Price { input: 150_000, output: 600_000 };
        let usage = |input, output| Usage { input, output, estimated: false };
        for (usage, expected) in [
            (usage(0, 0), 0),
            (usage(1, 0), 1),
            (usage(1_000_000, 0), 150_000),
            (usage(1_000, 1_000), 750),
        ] {
            assert_eq!(price.of(&usage), expected, "{usage:?}");
        }
        let dear = Price { input: u64::MAX, output: u64::MAX };
        assert_eq!(dear.of(&usage(u64::MAX, u64::MAX)), u64::MAX);
        assert_eq!(Price::default().affordable(0, 5), 0);
        assert_eq!(Price::default().affordable(1, 5), u64::MAX);
    }

    #[test]
    fn families_are_counted_apart() {
        // S3-01: several mechanisms at different levels, each with a limit of its own.
        let retries = Retries { total: 3, parsing: 2, validation: 1 };
        let mut made = RetryCounts::default();
        made.count(Family::Parsing);
        made.count(Family::Transport);
        made.count(Family::Parsing);
        assert!(!made.allows(Family::Parsing, &retries, 1));
        assert!(made.allows(Family::Validation, &retries, 1) && !made.is_last(&retries));
        assert!(!made.allows(Family::Transport, &retries, 1));
        made.count(Family::Validation);
        assert!(made.is_last(&retries));
        assert_eq!(made.total(), 3);
    }

    #[test]
    fn the_most_retries_are_those_that_both_kinds_allow() {
        for (total, parsing, validation, expected) in
            [(2, 2, 2, 2), (3, 2, 1, 3), (4, 0, 4, 4), (4, 1, 0, 1), (2, 0, 0, 0), (0, 4, 4, 0)]
        {
            let retries = Retries { total, parsing, validation };
            assert_eq!(retries.most(), expected, "{retries:?}");
        }
    }
}
