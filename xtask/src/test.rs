//! The command that runs every test and adds up the totals.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Arguments for `cargo test`: a filter, `--package NAME`, `-- --nocapture`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

pub(crate) fn run(root: &Path, arguments: &Arguments) -> Result<()> {
    let start = Instant::now();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.arg("test");
    // A package that is named takes the place of the workspace.
    if !arguments.rest.iter().any(|word| word == "-p" || word.starts_with("--package")) {
        // With what a user of the library can switch on, so that its tests run as well.
        let features = "llmend/schemars,llmend-cli/otlp,xtask/engine";
        cargo.args(["--workspace", "--features", features]);
    }
    // All of them run, so that one visit shows every failure.
    cargo.arg("--no-fail-fast").args(&arguments.rest);
    let mut child =
        cargo.current_dir(root).stdout(Stdio::piped()).spawn().context("run cargo test")?;
    let output = child.stdout.take().context("the output of cargo test")?;
    let totals = pass_on(BufReader::new(output), &mut std::io::stdout().lock())?;
    let status = child.wait().context("wait for cargo test")?;
    println!("\n{totals} in {}", seconds(start.elapsed()));
    if !status.success() || totals.failed > 0 {
        bail!("tests failed");
    }
    Ok(())
}

/// The totals of all test programs.
#[derive(Debug, Default, PartialEq, Eq)]
struct Totals {
    programs: usize,
    passed: usize,
    failed: usize,
    ignored: usize,
}

impl Totals {
    /// Adds a closing line: `test result: ok. 3 passed; 0 failed; 0 ignored; …`.
    fn add(&mut self, line: &str) {
        let Some((_, counts)) =
            line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        self.programs += 1;
        for count in counts.split(';') {
            let Some((number, word)) = count.trim().split_once(' ') else { continue };
            let number = number.parse().unwrap_or(0);
            match word {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { programs, passed, failed, ignored } = self;
        write!(f, "{passed} passed; {failed} failed; {ignored} ignored; {programs} test programs")
    }
}

fn pass_on(mut from: impl BufRead, to: &mut impl Write) -> Result<Totals> {
    let mut totals = Totals::default();
    let mut line = Vec::new();
    // Bytes, since a test may print what is not UTF-8.
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        totals.add(&String::from_utf8_lossy(&line));
        line.clear();
    }
    to.flush()?;
    Ok(totals)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::{Totals, pass_on};

    #[test]
    fn closing_lines_are_added_up_and_everything_is_passed_on() {
        let output = b"running 2 tests\ntest a ... ok\n\xff\n\
            test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\n\
            test result: FAILED. 3 passed; 1 failed; 4 ignored; 0 measured; 0 filtered out; finished in 1.20s";
        let mut copy = Vec::new();
        let totals = pass_on(&output[..], &mut copy).unwrap();
        assert_eq!(copy, output);
        assert_eq!(totals, Totals { programs: 2, passed: 5, failed: 1, ignored: 4 });
        assert_eq!(totals.to_string(), "5 passed; 1 failed; 4 ignored; 2 test programs");
    }

    #[test]
    fn other_lines_count_for_nothing() {
        for line in ["", "test result", "test result: ok", "a test result: ok. 1 passed; 0 failed"]
        {
            let mut totals = Totals::default();
            totals.add(line);
            assert_eq!(totals, Totals::default(), "{line}");
        }
    }
}
