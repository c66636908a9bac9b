//! Acts on each step of a plan as soon as it is written, while the model is still at the next.
//!
//! ```sh
//! some-model < prompt.txt | cargo run -p llmend --example plan_steps
//! ```

use std::io::{self, Read, Write};

use llmend::{
    Choice, Options,
    json::{State, Stream, View},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::stdout();
    let mut stream = first();
    let mut done = 0;
    let mut buffer = [0; 4096];
    loop {
        // A pipe gives what has arrived, and does not wait for more.
        let length = io::stdin().read(&mut buffer)?;
        if length == 0 {
            break;
        }
        stream.push(&buffer[..length]);
        done = act_on_new_steps(&stream.view(), done, &mut out)?;
    }
    // Only the end tells whether all is well: the text may break off, or hold no plan at all.
    let parsed = stream.finish()?;
    writeln!(out, "{done} steps; the text was {}", parsed.report.status.as_str())?;
    Ok(())
}

/// A stream of which something can be seen before its end: the answer is the first value.
fn first() -> Stream {
    Stream::new(Options { choice: Choice::First, ..Options::default() })
}

/// Acts on each complete step behind the first `done`. How many there are now.
fn act_on_new_steps(view: &View<'_>, done: usize, out: &mut impl Write) -> io::Result<usize> {
    let steps = view.root().and_then(|root| root.get("steps"));
    let steps = steps.into_iter().flat_map(|steps| steps.items());
    let mut complete = done;
    for step in steps.skip(done).take_while(|step| view.state(*step) == State::Complete) {
        complete += 1;
        let title = step.get("title").and_then(|title| title.str()).unwrap_or("(no title)");
        writeln!(out, "step {complete}: {title}")?;
    }
    Ok(complete)
}

#[cfg(test)]
mod tests {
    use super::{act_on_new_steps, first};

    const ANSWER: &str = include_str!("../../../examples/answers/openmanus-plan.txt");

    #[test]
    fn a_step_is_acted_on_while_the_next_is_being_written() {
        let mut stream = first();
        let mut out = Vec::new();
        let mut done = 0;
        let mut seen = Vec::new();
        for (at, byte) in ANSWER.bytes().enumerate() {
            stream.push(&[byte]);
            let before = done;
            done = act_on_new_steps(&stream.view(), done, &mut out).expect("a vector takes all");
            if done > before {
                seen.push(&ANSWER[..=at]);
            }
        }
        assert_eq!(
            String::from_utf8_lossy(&out),
            "step 1: Collect the notices\nstep 2: Sort them by trail\n"
        );
        assert!(seen[0].contains("Collect the notices") && !seen[0].contains("Sort them"));
        let parsed = stream.finish().expect("there is a plan");
        assert_eq!(parsed.value.root().get("steps").map(|steps| steps.len()), Some(2));
    }
}
