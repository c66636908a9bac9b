//! Acts on each step of a plan as soon as it is written, while the model is still at the next.
//!
//! ```sh
//! some-model < prompt.txt | cargo run -p llmend --example plan_steps
//! ```

use std::io::{self, Read, Write};

use llmend::{Choice, Options, json::StreamOf};

/// What is needed of a step; whatever else it holds is left aside.
#[derive(serde::Deserialize)]
struct Step {
    title: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::stdout();
    let mut steps = steps();
    let mut buffer = [0; 4096];
    loop {
        // A pipe gives what has arrived, and does not wait for more.
        let length = io::stdin().read(&mut buffer)?;
        if length == 0 {
            break;
        }
        steps.push(&buffer[..length]);
        act_on(std::iter::from_fn(|| steps.next_item()), &mut out)?;
    }
    // Only the end tells whether all is well: the text may break off, or hold no plan at all.
    let (rest, parsed) = steps.finish()?;
    act_on(rest, &mut out)?;
    writeln!(out, "The text was {}.", parsed.report.status.as_str())?;
    Ok(())
}

/// The steps of a plan that is the first value in the text: of the best one, nothing would be known
/// before the end.
fn steps() -> StreamOf<Step> {
    StreamOf::new(Options { choice: Choice::First, ..Options::default() }, "/steps")
}

fn act_on(
    steps: impl IntoIterator<Item = Result<Step, llmend::json::Error>>,
    out: &mut impl Write,
) -> io::Result<()> {
    for step in steps {
        match step {
            Ok(step) => writeln!(out, "Do this: {}", step.title)?,
            Err(error) => writeln!(out, "This is no step: {error}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{act_on, steps};

    const ANSWER: &str = include_str!("../../../examples/answers/openmanus-plan.txt");

    #[test]
    fn a_step_is_acted_on_while_the_next_is_being_written() {
        let mut steps = steps();
        let mut out = Vec::new();
        let mut seen = Vec::new();
        for (at, byte) in ANSWER.bytes().enumerate() {
            steps.push(&[byte]);
            let before = out.len();
            act_on(std::iter::from_fn(|| steps.next_item()), &mut out).expect("a vector takes all");
            if out.len() > before {
                seen.push(&ANSWER[..=at]);
            }
        }
        let told = "Do this: Collect the notices\nDo this: Sort them by trail\n";
        assert_eq!(String::from_utf8_lossy(&out), told);
        assert!(seen[0].contains("Collect the notices") && !seen[0].contains("Sort them"));
        let (rest, parsed) = steps.finish().expect("there is a plan");
        assert!(rest.is_empty());
        assert_eq!(parsed.value.root().get("steps").map(llmend::Node::len), Some(2));
    }

    #[test]
    fn what_is_no_step_does_not_keep_the_others_back() {
        let mut steps = steps();
        let mut out = Vec::new();
        steps.push(b"{'steps': [{'title': 'one'}, {'name': 'two'}, {'title': 'three'}, {");
        act_on(std::iter::from_fn(|| steps.next_item()), &mut out).expect("a vector takes all");
        let told = String::from_utf8_lossy(&out);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!((lines[0], lines[2]), ("Do this: one", "Do this: three"));
        assert!(lines[1].starts_with("This is no step: "), "{told}");
    }
}
