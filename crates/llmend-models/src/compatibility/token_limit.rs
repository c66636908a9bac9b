//! Token limits in refusals of a request that asked for too long an answer.

use super::{Lesson, TAKEN_BY_ALL};

/// What servers call the limit on an answer's length.
const NAMES: &[&str] = &[
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxoutputtokens",
    "maxtokens",
    "max_new_tokens",
    "num_predict",
    "model token limit",
    "maximum tokens",
    "max tokens",
    "completion tokens",
    "output tokens",
    "context length",
    "context window",
    "context limit",
];

/// What servers call the limit on question and answer together.
const CONTEXTS: &[&str] =
    &["context length", "context window", "context size", "context limit", "`inputs` tokens"];

/// What servers call the answer where they say that it is too long.
const ANSWERS: &[&str] = &[
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxoutputtokens",
    "maxtokens",
    "max_new_tokens",
    "num_predict",
    "model token limit",
    "completion",
    "output tokens",
];

/// Words behind the length of the question.
const QUESTIONS: &[&str] = &[
    "input tokens",
    "prompt tokens",
    "from the input",
    "in the messages",
    "in the prompt",
    "in your prompt",
    "of text input",
    "of input",
    "`inputs`",
    "+ ",
];

/// Words before the length of the question.
const BEFORE_QUESTIONS: &[&str] = &["prompt contains"];

/// Words before the length of question and requested answer together.
const TOTALS: &[&str] = &["requested", "requested:", "requested about", "a total of"];

/// Words behind the limit on question and answer together.
const BEHIND_CONTEXTS: &[&str] = &["maximum context length"];

/// Words before a number that is a code.
const BEFORE_CODES: &[&str] = &["code", "status"];

/// Words before the number of tokens that an account can pay for.
const AFFORDABLE: &[&str] = &["can only afford"];

/// Words before the tokens that an account may use at a time, in a message about a request that is larger.
const AT_A_TIME: &[&str] = &["tokens per min"];

/// Words that say that a limit itself is too much.
const EXCLUSIVE: &[&str] = &["exclusive", "lower than", "must be less than", "smaller than"];
/// Words that take it back.
const INCLUSIVE: &[&str] = &["or equal", "limit of"];

/// Words of `SGLang`, which in some versions refuses question and answer that fill the context.
const FULL_IS_TOO_MUCH: &str = "requested token count exceeds";

/// What servers say of a limit that is too much, without saying how much is not.
const TOO_MUCH: &[&str] = &[
    "too large",
    "too high",
    "too big",
    "too long",
    "too many",
    "exceed",
    "above",
    "greater than",
    "larger than",
    "longer than",
    "out of range",
    "reduce",
];

/// The least limit that is worth another request.
const LEAST: u64 = 16;

/// Returns the limit that a message of an account, in lower case, states in refusing `sent` output
/// tokens: what it can pay for, or may use at a time. None of them is one of the model.
pub(super) fn of_account(body: &str, sent: u32) -> Option<Lesson> {
    let numbers = numbers(body);
    let at_a_time = || {
        let at = AT_A_TIME.iter().find_map(|words| body.find(words))?;
        let limit = behind(body.get(at..)?, &self::numbers(body.get(at..)?), &["limit"])?;
        let total = numbers.iter().find(|number| number.is_total && number.value > limit)?;
        limit.checked_sub(total.value.checked_sub(u64::from(sent))?)
    };
    let room = behind(body, &numbers, AFFORDABLE).or_else(at_a_time)?;
    u32::try_from(room)
        .ok()
        .filter(|room| (LEAST..u64::from(sent)).contains(&u64::from(*room)))
        .map(Lesson::Room)
}

/// Returns the limit that `body`, in lower case, states in refusing `sent` output tokens.
///
/// A limit of the model is the largest number below the refused one. A limit on question and answer
/// together leaves what the question does not take. Without any number, a limit is tried that every
/// model takes, or else half of what was refused.
pub(super) fn of(body: &str, sent: u32) -> Option<Lesson> {
    let says = |words: &[&str]| words.iter().any(|word| body.contains(word));
    let sent = u64::from(sent);
    if !says(NAMES) {
        return unstated(body, sent, None);
    }
    let numbers = numbers(body);
    let fits = |limit: u64| u32::try_from(limit).ok().filter(|_| (LEAST..sent).contains(&limit));
    if says(CONTEXTS) {
        let before = numbers.iter().find(|number| number.is_context).map(|number| number.value);
        let context = before
            .or_else(|| behind(body, &numbers, &["> "]))
            .or_else(|| behind(body, &numbers, CONTEXTS));
        let question = question(&numbers, sent);
        if let (Some(question), Some(context)) = (question, context) {
            let room = context.checked_sub(question)?;
            let is_less = u64::from(body.contains(FULL_IS_TOO_MUCH));
            return fits(room.checked_sub(is_less)?).map(Lesson::Room);
        }
        if !says(&["max_tokens", "max_completion_tokens", "completion tokens", "output tokens"]) {
            return unstated(body, sent, context);
        }
    }
    let most = numbers.iter().map(|number| number.value).filter(|value| *value < sent).max();
    let Some(most) = most else {
        // The limit itself was sent, and is too much.
        let is_sent = says(EXCLUSIVE) && numbers.iter().any(|number| number.value == sent);
        let less = fits(sent - 1).filter(|_| is_sent).map(Lesson::OutputTokens);
        return less.or_else(|| unstated(body, sent, None));
    };
    let exclusive = says(EXCLUSIVE) && !says(INCLUSIVE);
    fits(most - u64::from(exclusive)).map(Lesson::OutputTokens)
}

/// Returns a limit to try if `body` refuses `sent` output tokens and states no limit for them.
fn unstated(body: &str, sent: u64, context: Option<u64>) -> Option<Lesson> {
    let says = |words: &[&str]| words.iter().any(|word| body.contains(word));
    if !(says(ANSWERS) && says(TOO_MUCH)) {
        return None;
    }
    let half = |limit: u64| limit / 2;
    let tried = u64::from(TAKEN_BY_ALL).min(half(sent)).min(context.map_or(u64::MAX, half));
    let tried = u32::try_from(tried).ok().filter(|_| tried >= LEAST)?;
    // What is refused because of the question says nothing about the next one.
    let is_context = CONTEXTS.iter().any(|word| body.contains(word)) || body.contains("messages");
    Some(if is_context { Lesson::Room(tried) } else { Lesson::OutputTokens(tried) })
}

/// Returns the length of the question: as stated, or what is left of that of question and answer.
fn question(numbers: &[Number], sent: u64) -> Option<u64> {
    let stated = numbers.iter().find(|number| number.is_question).map(|number| number.value);
    let total = || numbers.iter().find(|number| number.is_total && number.value > sent);
    stated.or_else(|| total().map(|number| number.value - sent))
}

/// A number in a message.
#[derive(Clone, Copy, Debug)]
struct Number {
    at: usize,
    value: u64,
    /// Whether it is the length of the question.
    is_question: bool,
    /// Whether it is that of question and answer together.
    is_total: bool,
    /// Whether it is the limit on both.
    is_context: bool,
}

/// Returns the whole numbers in `body`. Digits in a name, as in `gpt-4` or `max_tokens_2`, are none.
fn numbers(body: &str) -> Vec<Number> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = body.get(at..).and_then(|rest| rest.find(|c: char| c.is_ascii_digit()))
    {
        let start = at + start;
        let rest = body.get(start..).unwrap_or_default();
        let length = rest
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '_')))
            .unwrap_or(rest.len());
        let text = rest.get(..length).unwrap_or_default().trim_end_matches([',', '_']);
        at = start + length;
        let before = body.get(..start).unwrap_or_default();
        let after = rest.get(length..).unwrap_or_default();
        let in_name = before
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
            || after.starts_with(|c: char| c.is_alphabetic() || matches!(c, '-' | '_'));
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let Ok(value) = digits.parse() else { continue };
        let said = before.trim_end_matches([' ', ':', '"', '\'', '=']);
        if in_name || BEFORE_CODES.iter().any(|code| said.ends_with(code)) {
            continue;
        }
        let words = after.trim_start();
        let words = words.strip_prefix("tokens ").unwrap_or(words);
        let is_behind = |known: &[&str]| known.iter().any(|known| words.starts_with(known));
        let before = before.trim_end();
        let is_before = |known: &[&str]| known.iter().any(|known| before.ends_with(known));
        found.push(Number {
            at: start,
            value,
            is_question: is_behind(QUESTIONS) || is_before(BEFORE_QUESTIONS),
            is_total: is_before(TOTALS),
            is_context: is_behind(BEHIND_CONTEXTS),
        });
    }
    found
}

/// Returns the first number behind one of `words`.
fn behind(body: &str, numbers: &[Number], words: &[&str]) -> Option<u64> {
    let at = words.iter().filter_map(|word| body.find(word)).min()?;
    numbers.iter().find(|number| number.at > at).map(|number| number.value)
}

#[cfg(test)]
mod tests {
    use super::{Lesson, of, of_account};

    #[test]
    fn each_server_says_it_in_its_words() {
        use Lesson::{OutputTokens, Room};
        let rows = [
            (
                "max_tokens is too large: 83268. This model supports at most 16384 completion tokens, whereas you provided 83268.",
                Some(OutputTokens(16_384)),
            ),
            (
                "max_tokens: 83268 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022",
                Some(OutputTokens(8_192)),
            ),
            (
                "`max_tokens` must be less than or equal to `32768`, the maximum value for `max_tokens` is less than the `context_window` for this model",
                Some(OutputTokens(32_768)),
            ),
            (
                "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
                Some(OutputTokens(8_192)),
            ),
            (
                "Unable to submit request because it has a maxOutputTokens value of 83268 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.",
                Some(OutputTokens(65_536)),
            ),
            (
                "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.",
                Some(OutputTokens(4_096)),
            ),
            (
                "too many tokens: max tokens must be less than or equal to 4,000",
                Some(OutputTokens(4_000)),
            ),
            (
                "This model's maximum context length is 4097 tokens. However, you requested 83368 tokens (100 in the messages, 83268 in the completion). Please reduce the length of the messages or completion.",
                Some(Room(3_997)),
            ),
            (
                "'max_tokens' or 'max_completion_tokens' is too large: 83268. This model's maximum context length is 32768 tokens and your request has 120 input tokens (83268 > 32768 - 120).",
                Some(Room(32_648)),
            ),
            (
                "This endpoint's maximum context length is 65536 tokens. However, you requested about 83400 tokens (132 of text input, 83268 in the output).",
                Some(Room(65_404)),
            ),
            (
                "Requested token count exceeds the model's maximum context length of 64000 tokens. You requested a total of 91165 tokens: 7897 tokens from the input messages and 83268 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
                Some(Room(56_102)),
            ),
            (
                "This endpoint's maximum context length is 65536 tokens. However, you requested 83400 tokens. Please reduce the length.",
                Some(Room(65_404)),
            ),
            (
                "Your request exceeded model token limit, the context window of 65536 (requested: 83400)",
                Some(Room(65_404)),
            ),
            (
                "input length and `max_tokens` exceed context limit: 188240 + 83268 > 200000, decrease input length or `max_tokens` and try again",
                Some(Room(11_760)),
            ),
            (
                "Prompt contains 131 tokens and 0 draft tokens, too large for model with 32768 maximum context length with max_tokens 83268",
                Some(Room(32_637)),
            ),
            ("max_completion_tokens 83268 greater than 40960", Some(OutputTokens(40_960))),
            (
                "litellm.BadRequestError: Error code: 400 - {'message': 'max_tokens must be at most 8192', 'code': 3051}",
                Some(OutputTokens(8_192)),
            ),
            ("Error code: 400 - max_tokens is too large", Some(OutputTokens(4_096))),
            (
                "Malformed input request: #/maxTokens: 83268 is not less or equal to 8192, please reformat your input and try again.",
                Some(OutputTokens(8_192)),
            ),
            (
                "Invalid request: Your request exceeded model token limit: 8192",
                Some(OutputTokens(8_192)),
            ),
            // No number: what every model takes.
            ("max_tokens is too large", Some(OutputTokens(4_096))),
            ("max_completion_tokens exceeds the limit of this model", Some(OutputTokens(4_096))),
            ("Please reduce the length of the messages or completion.", Some(Room(4_096))),
            (
                "This model's maximum context length is 6000 tokens. Please reduce the completion.",
                Some(Room(3_000)),
            ),
            // The question alone is too long: no limit helps.
            (
                "The input (91709 tokens) is longer than the model's context length (40960 tokens).",
                None,
            ),
            ("prompt is too long: 213462 tokens > 200000 maximum", None),
            ("the request exceeds the available context size, try increasing it", None),
            (
                "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens.",
                None,
            ),
            ("max_tokens must be an integer", None),
            ("model gpt-4-32768 not found", None),
            ("Rate limit reached for output tokens per minute (OTPM): Limit 200000", None),
        ];
        for (body, expected) in rows {
            assert_eq!(of(&body.to_lowercase(), 83_268), expected, "{body}");
        }
    }

    #[test]
    fn a_limit_that_is_too_much_itself_is_lowered_by_one() {
        let body = "the maximum tokens you requested exceeds the model limit of 8192. try again with a maximum tokens value that is lower than 8192.";
        for (sent, expected) in [(9_000, 8_192), (8_192, 8_191)] {
            assert_eq!(of(body, sent), Some(Lesson::OutputTokens(expected)), "{sent}");
        }
    }

    #[test]
    fn an_account_takes_less_than_the_model() {
        for (body, expected) in [
            (
                "This request requires more credits, or fewer max_tokens. You requested up to 83268 tokens, but can only afford 2100. To increase, visit https://openrouter.ai/settings/credits",
                Some(2_100),
            ),
            (
                "Request too large for model `m` in organization `org_01abc` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 83368, please reduce your message size and try again.",
                Some(5_900),
            ),
            (
                "Request too large for gpt-4-32k in organization org-x on tokens per min (TPM): Limit 30000, Requested 83368. The input or output tokens must be reduced in order to run successfully.",
                Some(29_900),
            ),
            // The question alone is too large.
            ("Request too large on tokens per minute (TPM): Limit 6000, Requested 90000", None),
            // It would have had room at another time.
            (
                "Rate limit reached for m on tokens per min (TPM): Limit 90000, Used 80000, Requested 83368. Please try again in 2s.",
                None,
            ),
            (
                "Rate limit reached for m on requests per min (RPM): Limit 3, Used 3, Requested 1.",
                None,
            ),
            ("You can only afford 7 tokens", None),
            ("Insufficient credits", None),
        ] {
            let expected = expected.map(Lesson::Room);
            assert_eq!(of_account(&body.to_lowercase(), 83_268), expected, "{body}");
        }
    }

    #[test]
    fn without_a_number_half_is_tried_where_that_is_less() {
        for (sent, expected) in [(83_268, Some(4_096)), (4_096, Some(2_048)), (20, None)] {
            let expected = expected.map(Lesson::OutputTokens);
            assert_eq!(of("max_tokens is too large", sent), expected, "{sent}");
        }
    }
}
