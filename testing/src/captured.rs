//! Answers in captured streams: any text, in pieces, as the events in which an API sends it.

use crate::random::Random;

/// Number of formats.
pub const FORMATS: usize = 6;

/// Longest piece, in characters.
const PIECE: usize = 12;

/// Returns the capture of a stream that sends `answer`, in one of the formats.
pub fn text(seed: u64, format: usize, answer: &str) -> String {
    let mut random = Random::new(seed);
    let mut rest: Vec<char> = answer.chars().collect();
    let mut out = String::new();
    let mut count = 0;
    while !rest.is_empty() {
        let length = (1 + random.below(PIECE)).min(rest.len());
        let piece: String = rest.drain(..length).collect();
        let escaped = serde_json::Value::from(piece).to_string();
        out.push_str(&event(format, count, &escaped));
        count += 1;
    }
    match format {
        0 => out + "data: [DONE]\n",
        5 => out + "{\"model\":\"m\",\"message\":{\"content\":\"\"},\"done\":true}\n",
        _ => out,
    }
}

/// Returns the event with the JSON string `piece`.
fn event(format: usize, count: usize, piece: &str) -> String {
    match format {
        0 => {
            format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{piece}}}}}]}}\n\n")
        }
        1 => format!(
            "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"delta\":{piece}}}\n\n"
        ),
        2 => format!(
            "event: content_block_delta\r\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":{piece}}}}}\r\n\r\n"
        ),
        3 => format!(
            "data: {{\"candidates\": [{{\"content\": {{\"parts\": [{{\"text\": {piece}}}]}}}}]}}\n\n"
        ),
        4 => format!(
            "2026-02-03T04:{:02}:{:02}Z data: {{\"choices\":[{{\"delta\":{{\"content\":{piece}}}}}]}}\n",
            count / 60 % 60,
            count % 60
        ),
        _ => format!("{{\"model\":\"m\",\"message\":{{\"content\":{piece}}},\"done\":false}}\n"),
    }
}
