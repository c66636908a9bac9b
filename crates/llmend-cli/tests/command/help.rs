//! Help, version, completions and manual pages.

use crate::process::{Scratch, run};

fn check(arguments: &str) -> String {
    let run = run(arguments, "").expect(0);
    assert_eq!(run.stderr, "");
    run.stdout
}

#[test]
fn every_command_explains_itself_with_examples() {
    for name in [
        "",
        "repair",
        "batch",
        "stream",
        "validate",
        "calls",
        "plan",
        "ask",
        "assist",
        "workflow",
        "workflow check",
        "workflow convert",
        "workflow draw",
        "workflow diff",
        "patch",
        "serve",
        "report",
        "rules",
        "coercions",
        "checks",
        "notations",
        "prompts",
        "config",
        "completions",
        "man",
    ] {
        let help = check(&format!("{name} --help"));
        assert!(help.contains("\nExamples:\n  llmend "), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 110), "{help}");
        insta::assert_snapshot!(
            format!(
                "help_{}",
                if name.is_empty() { "llmend".into() } else { name.replace(' ', "_") }
            ),
            help
        );
    }
}

#[test]
fn the_version_is_the_crates() {
    assert_eq!(check("--version"), format!("llmend {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_know_commands_policies_and_rules() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = check(&format!("completions {shell}"));
        // Two of the shells are told of options, but not of their values.
        let values: &[&str] = if matches!(shell, "powershell" | "elvish") {
            &[]
        } else {
            &["conservative", "trailing-comma"]
        };
        for word in
            ["repair", "batch", "stream", "no-rule", "validate", "on-bad-item", "bridge", "catalog"]
                .iter()
                .chain(values)
        {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert!(run("completions fsh", "").expect(2).stderr.contains("fish"));
}

#[test]
fn each_command_has_a_manual_page() {
    let scratch = Scratch::new();
    let folder = scratch.path().join("share/man1");
    run(&format!("man {}", folder.display()), "").expect(0);
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a page");
    for command in llmend_cli::command().get_subcommands() {
        assert!(page(&format!("llmend-{}.1", command.get_name())).contains("\n.TH "));
    }
    assert!(page("llmend-repair.1").contains("explain"));
    assert!(page("llmend.1").contains("Exit status"));
    let file = scratch.file("taken", "");
    assert!(run(&format!("man {}", file.display()), "").expect(3).stderr.contains("taken"));
}

#[test]
fn every_command_stands_in_the_changelog_and_every_limit_on_its_page() {
    // S2-37: entries of the changelog and of the documentation for all that there is.
    let page = |name: &str| {
        std::fs::read_to_string(crate::process::root().join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let (changelog, settings) = (page("CHANGELOG.md"), page("docs/reference/settings.md"));
    for command in
        llmend_cli::command().get_subcommands().filter(|command| command.get_name() != "help")
    {
        let name = command.get_name();
        let is_told = [format!("`llmend {name}`"), format!("`{name}`"), format!("`{name} ")];
        assert!(
            is_told.iter().any(|form| changelog.contains(form)),
            "{name} is not in the changelog"
        );
    }
    for preset in llmend::asking::Preset::ALL {
        assert!(settings.contains(preset.as_str()) && changelog.contains("as presets"), "{preset}");
    }
    for name in ["max-json-retries", "escalate", "budget-cost", "price", "autonomous"] {
        let flag = format!("--{name}");
        assert!(changelog.contains(&flag), "{flag} is not in the changelog");
    }
}

#[test]
fn a_usage_error_has_no_more_blank_lines_than_those_of_flags() {
    for (arguments, expected) in [
        ("plan --model ollama:m", "error: model options require '--ask'\n\nUsage: "),
        (
            "batch in.jsonl --output out.jsonl",
            "'--output' requires '--column' or '--ask'\n\nUsage: ",
        ),
        (
            "assist --session /no/such/folder/s.json --model ollama:m Hi",
            "s.json: there is no folder /no/such/folder\n\nUsage: ",
        ),
        ("repair --no-such-flag", "unexpected argument '--no-such-flag' found\n\n"),
    ] {
        let said = run(arguments, "").expect(2).stderr;
        assert!(said.contains(expected) && !said.contains("\n\n\n"), "{arguments}: {said}");
    }
}
