//! Reads an answer into a type whose schema says what is meant, and tells what was changed.
//!
//! ```sh
//! cargo run -p llmend --features schemars --example fit_a_type < examples/answers/ticket.txt
//! ```

use std::io::{self, Read, Write};

use schemars::JsonSchema;
use serde::Deserialize;

/// What is wanted of the model.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Ticket {
    title: String,
    priority: Priority,
    /// Hours, if somebody has estimated them.
    estimate: Option<f64>,
    labels: Vec<String>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Priority {
    Low,
    Normal,
    VeryHigh,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut answer = String::new();
    io::stdin().read_to_string(&mut answer)?;
    tell(&answer, &mut io::stdout())?;
    Ok(())
}

fn tell(answer: &str, out: &mut impl Write) -> io::Result<()> {
    let outcome = match llmend::parse_as::<Ticket>(answer) {
        Ok(outcome) => outcome,
        Err(error) => {
            for row in error.diagnostics() {
                writeln!(
                    out,
                    "{} at {:?}: {}",
                    row.code,
                    row.path.unwrap_or_default(),
                    row.message
                )?;
            }
            return Ok(());
        }
    };
    for row in &outcome.coercions {
        writeln!(out, "{} at {}: {} became {}", row.kind.name(), row.path, row.before, row.after)?;
    }
    // A value that may lack something is not acted upon.
    match outcome.sure() {
        Ok(ticket) => writeln!(out, "{ticket:?}"),
        Err(unsure) => writeln!(out, "Not sure: {unsure}"),
    }
}

#[cfg(test)]
mod tests {
    use super::tell;

    fn told(answer: &str) -> String {
        let mut out = Vec::new();
        tell(answer, &mut out).expect("a vector takes all");
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn every_change_is_reported_and_then_the_ticket() {
        let told = told(include_str!("../../../examples/answers/ticket.txt"));
        let mut lines: Vec<&str> = told.lines().collect();
        assert_eq!(
            lines.pop(),
            Some(
                "Ticket { title: \"Export fails for file names of 200 characters\", priority: VeryHigh, \
                 estimate: Some(6.5), labels: [\"export\"] }"
            ),
            "{told}"
        );
        assert!(lines.contains(&"number-from-text at /estimate: \"6.5\" became 6.5"), "{told}");
        assert!(
            lines.contains(&"enum-spelling at /priority: \"Very High\" became \"very_high\""),
            "{told}"
        );
    }

    #[test]
    fn violations_are_reported_all_at_once() {
        let told = told("{'title': 'x', 'priority': 'whatever', 'labels': [{}]}");
        assert_eq!(told.lines().count(), 2, "{told}");
        assert!(told.contains("\"/priority\"") && told.contains("\"/labels/0\""), "{told}");
    }

    #[test]
    fn a_ticket_that_was_cut_off_is_not_acted_upon() {
        let told = told("{'title': 'x', 'priority': 'low', 'labels': ['a', 'b");
        assert!(told.contains("Not sure: answer cut off"), "{told}");
    }
}
