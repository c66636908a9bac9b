//! README.md: what it shows is what comes out, and what it tells people to type can be typed.

use std::fs;

use llmend::json::{Class, Policy};

use crate::process::{command, finish, root, run};

/// README.md.
fn readme() -> String {
    read("README.md")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The blocks of code in `text`, each with its tag.
fn blocks(text: &str) -> Vec<(String, Vec<String>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, String, Vec<String>)> = None;
    for line in text.lines() {
        open = match open {
            None => ["```", "~~~"]
                .into_iter()
                .find_map(|fence| Some((fence, line.strip_prefix(fence)?.to_owned(), Vec::new()))),
            Some((fence, tag, lines)) if line == fence => {
                blocks.push((tag, lines));
                None
            }
            Some((fence, tag, mut lines)) => {
                lines.push(line.to_owned());
                Some((fence, tag, lines))
            }
        };
    }
    assert!(open.is_none(), "a block is left open");
    blocks
}

/// Every line of README.md that is a command, without its comment.
fn commands() -> Vec<String> {
    let shell = blocks(&readme()).into_iter().filter(|(tag, _)| tag == "sh");
    let lines = shell.flat_map(|(_, lines)| lines);
    lines.map(|line| line.split(" # ").next().unwrap_or_default().trim().to_owned()).collect()
}

/// The lines of `text` without the blanks at their ends, which README.md does not show.
fn trimmed(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

#[test]
fn the_picture_is_what_a_run_shows() {
    let blocks = blocks(&readme());
    let of_tag = |wanted: &str| {
        let found = blocks.iter().find(|(tag, _)| tag == wanted);
        found.map(|(_, lines)| lines.clone()).unwrap_or_default()
    };
    let answer = "examples/answers/booking.txt";
    assert_eq!(trimmed(&read(answer)), of_tag("text"));
    let shown = of_tag("console");
    let (typed, printed) = shown.split_first().expect("a command and what it prints");
    let arguments = typed.strip_prefix("$ llmend ").expect("a command");
    assert_eq!(arguments, format!("repair --explain {answer}"));
    let run = finish(command(arguments).current_dir(root()).spawn().expect("it starts"), b"");
    let run = run.expect(0);
    assert_eq!([trimmed(&run.stderr), trimmed(&run.stdout)].concat(), printed);
}

#[test]
fn the_stream_is_what_a_run_shows() {
    let blocks = blocks(&readme());
    let shown = blocks.iter().filter(|(tag, _)| tag == "console").nth(1).expect("a second picture");
    let (typed, printed) = shown.1.split_first().expect("a command and what it prints");
    let arguments =
        typed.strip_prefix("$ llmend ").and_then(|line| line.strip_suffix(" | head -n 2"));
    let arguments = arguments.unwrap_or_else(|| panic!("{typed}"));
    let run = finish(command(arguments).current_dir(root()).spawn().expect("it starts"), b"");
    let lines = run.expect(0).stdout;
    assert_eq!(lines.lines().take(2).collect::<Vec<_>>(), printed);
}

#[test]
fn what_a_schema_does_and_what_is_drawn_is_what_a_run_shows() {
    let blocks = blocks(&readme());
    let answer = blocks.iter().filter(|(tag, _)| tag == "text").nth(1).expect("a second answer");
    assert_eq!(trimmed(&read("examples/answers/ticket.txt")), answer.1);
    let shown: Vec<_> = blocks.iter().filter(|(tag, _)| tag == "console").skip(2).take(3).collect();
    assert_eq!(shown.len(), 3);
    // A value that fits, one that does not, and a drawing.
    for ((_, lines), code) in shown.into_iter().zip([0, 1, 0]) {
        let (typed, printed) = lines.split_first().expect("a command and what it prints");
        let arguments = typed.strip_prefix("$ llmend ").expect("a command");
        let arguments = arguments.split(" 2>&1 | head").next().unwrap_or_default();
        let run = finish(command(arguments).current_dir(root()).spawn().expect("it starts"), b"");
        let run = run.expect(code);
        let said = [trimmed(&run.stderr), trimmed(&run.stdout)].concat();
        assert_eq!(said.get(..printed.len()).unwrap_or_default(), printed);
    }
}

#[test]
fn the_question_to_a_recorded_model_is_what_a_run_shows() {
    let blocks = blocks(&readme());
    let pictures = blocks.iter().filter(|(tag, _)| tag == "console");
    let shown = pictures.map(|(_, lines)| lines).find(|lines| lines[0].contains(" --ask "));
    let (typed, printed) = shown.and_then(|lines| lines.split_first()).expect("a picture");
    let typed = typed.strip_prefix("$ llmend ").expect("a command");
    let (arguments, objective) = typed.split_once('\'').expect("an objective in quotes");
    let mut command = command(arguments);
    command.arg(objective.trim_end_matches('\'')).current_dir(root());
    let run = finish(command.spawn().expect("it starts"), b"").expect(0);
    assert_eq!([trimmed(&run.stderr), trimmed(&run.stdout)].concat(), printed);
    // S2-35: the first answer is invalid, the retry is valid. The second one is as short as is said.
    let record = read("examples/replay/trip.jsonl");
    let second = record.lines().nth(1).and_then(|line| serde_json::from_str(line).ok());
    let second: serde_json::Value = second.expect("a second answer");
    let bytes = second["response"]["text"].as_str().map(str::len);
    assert!(readme().contains(&format!("the model wrote {} bytes", bytes.unwrap_or_default())));
}

#[test]
fn the_first_command_does_the_main_job() {
    let first = commands().into_iter().next().expect("a command");
    let arguments =
        first.strip_prefix("cargo run -q -p llmend-cli -- ").unwrap_or_else(|| panic!("{first}"));
    let run = finish(command(arguments).current_dir(root()).spawn().expect("it starts"), b"");
    assert_eq!(run.expect(0).json()["steps"].as_array().map(Vec::len), Some(4));
}

#[test]
fn the_checks_run_both_commands() {
    let checks = read(".ci/run");
    for typed in commands().iter().take(2) {
        assert!(checks.lines().any(|line| line.ends_with(typed)), "{typed} is not in .ci/run");
    }
}

#[test]
fn every_command_can_be_typed() {
    let commands = commands();
    let ours: Vec<&String> = commands.iter().filter(|line| line.starts_with("llmend ")).collect();
    assert!(ours.len() >= 5, "{commands:?}");
    for typed in ours {
        let words = typed.split_whitespace().take_while(|word| *word != "<");
        if let Err(error) = llmend_cli::command().try_get_matches_from(words) {
            panic!("{typed}: {error}");
        }
    }
    for (typed, path) in [
        ("-p llmend-cli ", "crates/llmend-cli/Cargo.toml"),
        ("-p llmend-testing ", "testing/Cargo.toml"),
        ("-p llmend-benches ", "benches/Cargo.toml"),
    ] {
        assert!(commands.iter().any(|line| line.contains(typed)), "{typed}");
        let name = typed.trim_start_matches("-p ").trim();
        assert!(read(path).contains(&format!("name = \"{name}\"")), "{path}");
    }
}

#[test]
fn every_policy_and_class_is_explained() {
    let readme = readme();
    for name in Policy::ALL.map(Policy::as_str).into_iter().chain(Class::ALL.map(Class::as_str)) {
        assert!(readme.lines().any(|line| line.starts_with(&format!("| `{name}`"))), "{name}");
    }
}

#[test]
fn every_flag_is_one_of_the_command() {
    // A flag in a sentence, not in a block: `--no-rule`.
    let readme = readme();
    let flags = readme.split('`').filter(|code| code.starts_with("--") && !code.contains(' '));
    let help = ["repair --help", "stream --help", "batch --help", "plan --help", "ask --help"]
        .map(|of| run(of, "").expect(0).stdout)
        .concat();
    for flag in flags {
        assert!(help.contains(&format!("{flag} ")), "{flag}");
    }
}

#[test]
fn what_is_measured_is_published_with_its_date() {
    // S2-34: how many texts of which set are read as they should be, beside the peers.
    let readme = readme();
    assert!(readme.contains("All figures are of 2026-"), "the date");
    for (name, rows) in [("score", 5), ("ratios", 8)] {
        let start = readme.split(&format!("<!-- figures: {name} -->\n")).nth(1).expect(name);
        let table = start.split("<!-- end of figures -->").next().expect(name);
        let ours = table.lines().filter(|line| line.starts_with("| llmend")).count();
        assert!(ours >= 1, "{table}");
        assert!(table.lines().filter(|line| line.starts_with("| ")).count() > rows, "{table}");
    }
}
