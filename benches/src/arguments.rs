//! Command-line arguments.

use std::path::PathBuf;

use crate::measure::Effort;

/// Arguments of the benchmarks after `--`.
#[derive(Debug, Clone)]
pub struct Arguments {
    /// Measurement effort. None without `--bench`, which Cargo passes for `cargo bench` but not for
    /// `cargo test --benches`: then answers are checked and nothing is timed.
    pub effort: Option<Effort>,
    /// Print only the table that the README quotes.
    pub markdown: bool,
    /// Describe each wrong or refused answer.
    pub why: bool,
    /// The interpreter with the Python peer.
    pub python: Option<PathBuf>,
    /// Words that select contestants, defects, kinds of hostile text or sizes, by a part of their
    /// names.
    pub only: Vec<String>,
}

impl Arguments {
    /// Parses the arguments of the process.
    pub fn read() -> Self {
        let mut arguments =
            Self { effort: None, markdown: false, why: false, python: None, only: Vec::new() };
        let mut bench = false;
        let mut quick = std::env::var_os("LLMEND_BENCH_QUICK").is_some_and(|value| value != "0");
        let mut given = std::env::args().skip(1);
        while let Some(argument) = given.next() {
            match argument.as_str() {
                "--bench" => bench = true,
                "--quick" => quick = true,
                "--why" => arguments.why = true,
                "--markdown" => arguments.markdown = true,
                "--python" => arguments.python = given.next().map(PathBuf::from),
                "--help" => {
                    println!("{USAGE}");
                    std::process::exit(0);
                }
                other if other.starts_with('-') => {
                    eprintln!("unknown flag {other}\n{USAGE}");
                    std::process::exit(2);
                }
                word => arguments.only.push(word.to_owned()),
            }
        }
        if bench {
            arguments.effort = Some(if quick { Effort::QUICK } else { Effort::FULL });
        }
        arguments
    }

    /// Returns the selected `names`; all of them if no word matches any.
    pub fn chosen<'a>(&self, names: &[&'a str]) -> Vec<&'a str> {
        let wanted = |name: &&&str| self.only.iter().any(|word| name.contains(word.as_str()));
        let chosen: Vec<_> = names.iter().filter(wanted).copied().collect();
        if chosen.is_empty() { names.to_vec() } else { chosen }
    }
}

const USAGE: &str = "\
cargo bench -p llmend-benches [--bench NAME] -- [--quick] [--markdown] [--why] [word…]

  --quick      fewer rounds (also LLMEND_BENCH_QUICK=1)
  --markdown   print the README's table and nothing else
  --why        say what is wrong with each wrong answer
  --python P   the interpreter that has baml-py (bench `schema`)
  word…        only the contestants, outputs, defects, kinds or sizes with that in their name:
               llmend, 'own value', 'inner quotes', '100 KB'";
