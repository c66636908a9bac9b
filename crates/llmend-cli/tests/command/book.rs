//! README.md and the book: every console example is run, and every command can be typed.

use std::path::{Path, PathBuf};
use std::{fs, iter};

use llmend::json::{Class, Policy};

use crate::config::Place;
use crate::process::{Run, command, finish, root, run};

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// README.md and the pages of the book, each with its path.
fn pages() -> Vec<(PathBuf, String)> {
    let mut found = vec![PathBuf::from("README.md")];
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder of the book") {
            let entry = entry.expect("an entry");
            let path = folder.join(entry.file_name());
            if entry.file_type().expect("its type").is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.into_iter().map(|path| (path.clone(), read(path))).collect()
}

/// The code blocks of `text`, each with its tag.
fn blocks(text: &str) -> Vec<(String, Vec<String>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String, Vec<String>)> = None;
    for line in text.lines() {
        open = match open {
            None => {
                let fence: String = line.chars().take_while(|c| matches!(c, '`' | '~')).collect();
                let tag = line[fence.len()..].to_owned();
                (fence.len() >= 3).then(|| (fence, tag, Vec::new()))
            }
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
    assert!(open.is_none(), "unclosed code block");
    blocks
}

/// The commands of README.md that a clone is enough for: the ones that install a release are above them.
fn typed_in_a_clone() -> Vec<String> {
    let commands = typed(&read("README.md")).into_iter();
    commands.skip_while(|line| !line.starts_with("cargo run ")).collect()
}

/// The commands of the blocks tagged `sh`, without their comments.
fn typed(text: &str) -> Vec<String> {
    let shell = blocks(text).into_iter().filter(|(tag, _)| tag == "sh");
    let lines = shell.flat_map(|(_, lines)| lines);
    lines.map(|line| line.split(" # ").next().unwrap_or_default().trim().to_owned()).collect()
}

/// Splits a command line into words, of which some are quoted with `'`.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

fn run_in_root(arguments: &str) -> Run {
    let mut command = command("");
    let child = command.args(words(arguments)).current_dir(root()).spawn().expect("it starts");
    finish(child, b"")
}

/// A line without the seconds at its end, which only a slow run has.
fn untimed(line: &str) -> &str {
    let time = line.rsplit_once("; ").filter(|(_, time)| {
        time.strip_suffix(" s").is_some_and(|count| count.parse::<f32>().is_ok())
    });
    time.map_or(line, |(line, _)| line)
}

#[test]
fn console_examples_are_what_a_run_prints() {
    let mut examples = 0;
    for (path, text) in pages() {
        for (_, lines) in blocks(&text).into_iter().filter(|(tag, _)| tag == "console") {
            let (typed, printed) = lines.split_first().expect("a command");
            let Some(typed) = typed.strip_prefix("$ llmend ") else { continue };
            let (arguments, cut) = match typed.split_once(" | head") {
                Some((arguments, _)) => (arguments, Some(printed.len())),
                None => (typed, None),
            };
            let merged = arguments.strip_suffix(" 2>&1");
            let run = run_in_root(merged.unwrap_or(arguments));
            // A person sees both streams, except where one goes through a pipe.
            let shown = match (cut, merged) {
                (Some(_), None) => run.stdout,
                _ => run.stderr + &run.stdout,
            };
            let shown: Vec<&str> = shown.lines().map(|line| untimed(line.trim_end())).collect();
            let shown = &shown[..cut.unwrap_or(shown.len()).min(shown.len())];
            assert_eq!(shown, printed, "{}: {typed}", path.display());
            examples += 1;
        }
    }
    assert!(examples >= 6, "{examples}");
}

#[test]
fn quoted_answers_are_the_files_beside_them() {
    for (page, answer) in [
        ("README.md", "booking.txt"),
        ("docs/guide/schemas.md", "ticket.txt"),
        ("docs/guide/calls.md", "calls/json.txt"),
    ] {
        let answer = read(Path::new("examples/answers").join(answer));
        let answer: Vec<&str> = answer.lines().map(str::trim_end).collect();
        let quoted = blocks(&read(page)).into_iter().find(|(tag, _)| tag == "text");
        assert_eq!(quoted.expect("an answer").1, answer, "{page}");
    }
}

#[test]
fn the_recorded_retry_is_as_short_as_the_guide_says() {
    // S2-35: the first answer is invalid, the retry is valid.
    let record = read("examples/replay/trip.jsonl");
    let second = record.lines().nth(1).and_then(|line| serde_json::from_str(line).ok());
    let second: serde_json::Value = second.expect("a second answer");
    let bytes = second["response"]["text"].as_str().map_or(0, str::len);
    assert!(read("docs/guide/asking.md").contains(&format!("the model wrote {bytes} bytes")));
}

#[test]
fn the_first_command_does_the_main_job() {
    let first = typed_in_a_clone().into_iter().next().expect("a command");
    let arguments = first
        .strip_prefix("cargo run -p llmend-cli --no-default-features -- ")
        .unwrap_or_else(|| panic!("{first}"));
    assert_eq!(run_in_root(arguments).expect(0).json()["steps"].as_array().map(Vec::len), Some(4));
}

#[test]
fn the_readme_leads_with_how_to_install() {
    let commands = typed(&read("README.md"));
    let lines =
        ["pip install llmend", "npm i llmend", "cargo add llmend", "cargo install llmend-cli"];
    assert_eq!(commands[..lines.len()], lines);
}

#[test]
fn the_checks_run_the_readme_commands() {
    let checks = read(".ci/run");
    let commands = typed_in_a_clone();
    for typed in [commands.first(), commands.last()].into_iter().flatten() {
        assert!(checks.lines().any(|line| line.ends_with(typed)), "{typed} is not in .ci/run");
    }
    assert_eq!(commands.last().map(String::as_str), Some("cargo xtask test"));
}

#[test]
fn every_command_can_be_typed() {
    let mut ours = 0;
    for (path, text) in pages() {
        for line in typed(&text) {
            // Behind a pipe, if there is one.
            let line = line.rsplit(" | ").next().unwrap_or_default();
            if line.starts_with("llmend ") {
                let words =
                    words(line).into_iter().take_while(|word| !["<", ">"].contains(&&**word));
                if let Err(error) = llmend_cli::command().try_get_matches_from(words) {
                    panic!("{}: {line}: {error}", path.display());
                }
                ours += 1;
            }
            if let Some((_, rest)) = line.split_once(" -p llmend-") {
                let name = rest.split(' ').next().unwrap_or_default();
                let folders = [format!("crates/llmend-{name}"), name.to_owned()];
                let is_there = |folder: &String| root().join(folder).join("Cargo.toml").exists();
                assert!(folders.iter().any(is_there), "{line}");
            }
        }
    }
    assert!(ours >= 20, "{ours}");
}

#[test]
fn every_file_of_settings_is_accepted() {
    let mut files = 0;
    for (path, text) in pages() {
        for (_, lines) in blocks(&text).into_iter().filter(|(tag, _)| tag == "toml") {
            let place = Place::new(&lines.join("\n"), "");
            let file = place.path("own/llmend/llmend.toml");
            let is_gateway = lines.iter().any(|line| line.starts_with("[gateway.upstreams"));
            let check = format!("serve --check --config {}", file.display());
            for arguments in iter::once("config").chain(is_gateway.then_some(&*check)) {
                let run = place.run(arguments, &[("OPENAI_API_KEY", "k")], "");
                assert_eq!(run.code, Some(0), "{}: {arguments}: {run:#?}", path.display());
            }
            files += 1;
        }
    }
    assert!(files >= 7, "{files}");
}

#[test]
fn every_policy_and_class_is_explained() {
    let has_row = |page: &str, name: &str| {
        read(page).lines().any(|line| line.starts_with(&format!("| `{name}`")))
    };
    for class in Class::ALL.map(Class::as_str) {
        assert!(has_row("README.md", class), "{class}");
    }
    for policy in Policy::ALL.map(Policy::as_str) {
        assert!(has_row("docs/guide/repair.md", policy), "{policy}");
    }
}

#[test]
fn every_flag_is_one_of_the_command() {
    let help = "repair,stream,batch,calls,plan,ask,assist,workflow draw,serve,patch"
        .split(',')
        .map(|name| run(&format!("{name} --help"), "").expect(0).stdout)
        .collect::<String>();
    for (path, text) in pages() {
        if path.starts_with("docs/guide/python") || path.starts_with("docs/reference") {
            continue;
        }
        // A flag in a sentence, not in a block: `--no-rule`.
        let prose = text.split('`').filter(|code| code.starts_with("--") && !code.contains(' '));
        for flag in prose.filter(|flag| *flag != "--ask") {
            let is_there =
                help.contains(&format!("{flag} ")) || help.contains(&format!("{flag}\n"));
            assert!(is_there, "{flag} in {}", path.display());
        }
    }
}

#[test]
fn results_are_published_with_their_date() {
    // S2-34: how many texts of each set are read correctly, beside the peers.
    let results = read("docs/reference/results.md");
    assert!(results.contains("was measured on 2026-"), "the date");
    let benchmark = read("docs/reference/benchmark.md");
    assert!(benchmark.contains("Measured on 2026-"), "the date");
    for (page, name, rows) in
        [(&benchmark, "bench", 40), (&results, "ratios", 8), (&read("README.md"), "score", 5)]
    {
        let start = page.split(&format!("<!-- figures: {name} -->\n")).nth(1).expect(name);
        let table = start.split("<!-- end of figures -->").next().expect(name);
        assert!(table.lines().any(|line| line.starts_with("| llmend")), "{table}");
        assert!(table.lines().filter(|line| line.starts_with("| ")).count() > rows, "{table}");
    }
}
