//! `llmend config`, and what the settings do to the other commands.

use std::{fs, process::Command};

use crate::process::{Run, Scratch, command, finish};

/// A folder with an own file and a project, in which the command is run.
pub(crate) struct Place {
    root: Scratch,
}

impl Place {
    pub(crate) fn new(own: &str, project: &str) -> Self {
        let place = Self { root: Scratch::new() };
        place.write("own/llmend/llmend.toml", own);
        place.write("project/llmend.toml", project);
        fs::create_dir_all(place.root.path().join("project/deep/inside")).expect("a folder");
        place
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
        if !text.is_empty() {
            fs::write(path, text).expect("it is written");
        }
    }

    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        self.root.path().join(path)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("it is there")
    }

    /// Runs the command with arguments that may have spaces.
    pub(crate) fn run_with(&self, arguments: &[&str]) -> Run {
        let mut command = command("");
        command.args(arguments);
        self.run_command(command, &[], "")
    }

    pub(crate) fn run(&self, arguments: &str, variables: &[(&str, &str)], stdin: &str) -> Run {
        self.run_command(command(arguments), variables, stdin)
    }

    fn run_command(&self, mut command: Command, variables: &[(&str, &str)], stdin: &str) -> Run {
        command.current_dir(self.root.path().join("project/deep/inside"));
        command.env("XDG_CONFIG_HOME", self.root.path().join("own"));
        command.envs(variables.iter().copied());
        command.stdin(std::process::Stdio::piped());
        finish(command.spawn().expect("it starts"), stdin.as_bytes())
    }
}

/// Names of variables, with what they hold.
type Variables<'a> = &'a [(&'a str, &'a str)];

/// The value and the source of a setting in what `config` shows.
fn row(shown: &str, name: &str) -> (String, String) {
    let line = shown.lines().find(|line| line.split_whitespace().next() == Some(name));
    let mut cells = line.unwrap_or_else(|| panic!("{name}: {shown}")).split_whitespace().skip(1);
    let mut next = || cells.next().unwrap_or_default().to_owned();
    (next(), next())
}

#[test]
fn each_value_is_shown_with_the_place_that_gave_it() {
    let place = Place::new(
        "retry_max = 1\npreset = \"anton\"\nbase_url = \"http://127.0.0.1:1/v1\"\n",
        "# ours\nretry_max = 2\nbudget_tokens = 2_000\n",
    );
    let shown = place.run("config", &[("LLMEND_DEADLINE", "30")], "").expect(0).stdout;
    let (value, from) = row(&shown, "retry_max");
    assert_eq!(value, "2");
    assert!(from.ends_with("project/llmend.toml:2"), "{from}");
    let (value, from) = row(&shown, "preset");
    assert_eq!(value, "anton");
    assert!(from.ends_with("own/llmend/llmend.toml:2"), "{from}");
    assert_eq!(row(&shown, "base_url").0, "http://127.0.0.1:1/v1");
    assert_eq!(row(&shown, "budget_tokens").0, "2000");
    assert_eq!(row(&shown, "deadline"), ("30".to_owned(), "LLMEND_DEADLINE".to_owned()));
    assert_eq!(row(&shown, "repair"), ("on".to_owned(), "default".to_owned()));
    assert_eq!(row(&shown, "model"), ("-".to_owned(), "default".to_owned()));

    let rows = place.run("config --json", &[("LLMEND_RETRY_MAX", "5")], "").expect(0).json();
    let rows = rows.as_array().expect("an array");
    let row = rows.iter().find(|row| row["name"] == "retry_max").expect("a row");
    assert_eq!(row["value"], "5");
    assert_eq!(row["source"]["from"], "environment");
    assert_eq!(row["source"]["variable"], "LLMEND_RETRY_MAX");
    assert_eq!(row["flag"], "max-json-retries");
    let all = place.run("config --all", &[], "").expect(0).stdout;
    assert!(all.contains("accepts   a whole number from 0 to 100"), "{all}");
}

#[test]
fn what_cannot_be_used_is_an_error_at_start() {
    // S1-31: nothing is silently taken for something else.
    let rows: [(&str, &str, Variables<'_>, &str); 9] = [
        (
            "",
            "retry_mx = 1\n",
            &[],
            "llmend.toml:1: unknown setting `retry_mx`; did you mean retry_max?",
        ),
        (
            "",
            "\nretry_max = \"two\"\n",
            &[],
            "llmend.toml:2: invalid value \"two\" for `retry_max`: expected",
        ),
        ("", "retry_max = [1]\n", &[], "invalid value for `retry_max`: expected a whole number"),
        ("", "[retry]\nmax = 1\n", &[], "unknown setting `retry`"),
        ("", "base_url = \"http://evil.example\"\n", &[], "a project file may not set `base_url`"),
        ("", "record = \"/tmp/x\"\n", &[], "a project file may not set `record`"),
        ("", "retry_max =\n", &[], "line 1: "),
        ("preset = \"gomindd\"", "", &[], "expected standard, gomind"),
        (
            "",
            "",
            &[("LLMEND_RETRY_MAXX", "1")],
            "unknown environment variable LLMEND_RETRY_MAXX; did you mean LLMEND_RETRY_MAX?",
        ),
    ];
    for (own, project, variables, expected) in rows {
        let place = Place::new(own, project);
        // Every command that reads settings, whether it needs that one or not.
        for arguments in ["config", "repair"] {
            let run = place.run(arguments, variables, "{}").expect(2);
            assert_eq!(run.stdout, "");
            assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
        }
    }
}

#[test]
fn unknown_variables_are_warned_of() {
    let place = Place::new("", "");
    let run = place.run("repair", &[("LLMEND_COLOUR", "1")], "{}").expect(0);
    let expected = "llmend: warning: unknown environment variable LLMEND_COLOUR";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    let listed = "`llmend config` lists the settings";
    for (name, advice) in [
        ("PROJECT", listed),
        ("PREFIX", listed),
        ("HOME", listed),
        ("MODE", "did you mean LLMEND_MODEL?"),
        ("PRICES", "did you mean LLMEND_PRICE?"),
    ] {
        let run = place.run("repair", &[(&format!("LLMEND_{name}"), "x")], "{}").expect(0);
        let expected = format!("warning: unknown environment variable LLMEND_{name}; {advice}");
        assert!(run.stderr.contains(&expected), "{}", run.stderr);
    }
    let run = place.run("repair", &[("LLMEND_ENGINE", "wasm")], "{}").expect(0);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    let run = place.run("repair", &[("RUST_LOG", "llmend=much=more")], "{}").expect(0);
    assert!(run.stderr.contains("warning: RUST_LOG is not used: "), "{}", run.stderr);
    for (name, meant) in
        [("MODLE", "MODEL"), ("PROMPT", "PROMPTS"), ("BUDGET_TOKNE", "BUDGET_TOKENS")]
    {
        let run = place.run("repair", &[(&format!("LLMEND_{name}"), "x")], "{}").expect(2);
        assert!(run.stderr.contains(&format!("did you mean LLMEND_{meant}?")), "{}", run.stderr);
    }
    let injected = [
        ("LLMEND_PORT", "tcp://10.0.0.7:8080"),
        ("LLMEND_SERVICE_HOST", "10.0.0.7"),
        ("LLMEND_PORT_8080_TCP_ADDR", "10.0.0.7"),
    ];
    let run = place.run("repair", &injected, "{}").expect(0);
    assert!(!run.stderr.contains("unknown"), "{}", run.stderr);
}

#[test]
fn a_file_can_switch_repair_off() {
    let place = Place::new("", "repair = false\n");
    let run = place.run("repair", &[], "{'a': 1}").expect(1);
    assert!(
        run.stderr.contains("disabled by ") && run.stderr.contains("llmend.toml:1"),
        "{}",
        run.stderr
    );
    place.run("repair", &[("LLMEND_REPAIR", "1")], "{'a': 1}").expect(0);
}

#[test]
fn the_nearest_file_upwards_is_the_projects_and_the_own_one_is_not() {
    let place = Place::new("base_url = \"http://127.0.0.1:1\"\n", "retry_max = 1\n");
    place.write("project/deep/llmend.toml", "retry_max = 2\n");
    let shown = place.run("config", &[], "").expect(0).stdout;
    assert_eq!(row(&shown, "retry_max").0, "2");
    // In the own folder, the own file is no project's.
    let mut inside = command("config");
    inside.current_dir(place.root.path().join("own/llmend"));
    inside.env("XDG_CONFIG_HOME", place.root.path().join("own"));
    let shown = finish(inside.spawn().expect("it starts"), b"").expect(0).stdout;
    assert_eq!(row(&shown, "base_url").0, "http://127.0.0.1:1");
}

#[test]
fn the_part_of_the_gateway_is_left_to_it() {
    let place = Place::new("", "retry_max = 2\n[gateway]\nlisten = \"127.0.0.1:0\"\n");
    let shown = place.run("config", &[], "").expect(0).stdout;
    assert_eq!(row(&shown, "retry_max").0, "2");
    let said = Place::new("", "[gatewy]\n").run("config", &[], "").expect(2).stderr;
    assert!(said.contains("gatewy"), "{said}");
}

#[test]
fn a_file_sets_what_counts_for_one_model() {
    let scratch = Scratch::new();
    let file = "retry_max = 1\nprice = \"9/9\"\n[models.\"openai:m\"]\nprice = \"1/2\"\n\
                [models.other]\nretry_max = 7\n[models.m]\nanswer_tokens = 50\n";
    scratch.file("llmend.toml", file);
    let config = |model: &str| {
        let mut command = command("config --json");
        command.current_dir(scratch.path()).env("LLMEND_MODEL", model);
        finish(command.spawn().expect("it starts"), b"").expect(0).json()
    };
    let value = |rows: &serde_json::Value, name: &str| {
        let rows = rows.as_array().expect("rows").iter();
        rows.clone().find(|row| row["name"] == name).expect("a setting")["value"].clone()
    };
    let found = config("openai:m");
    assert_eq!(value(&found, "price"), "1/2");
    assert_eq!(value(&found, "answer_tokens"), "50");
    assert_eq!(value(&found, "retry_max"), "1");
    assert_eq!(value(&config("ollama:other"), "retry_max"), "7");
    assert_eq!(value(&config("openai:x"), "price"), "9/9");
    for (file, expected) in [
        ("[models.a]\nmodel = \"b\"\n", "the section of a model may not set `model`"),
        ("models = 3\n", "expected a table for each model"),
        ("[models.b]\nnum_ctx = -4\n", "llmend.toml:2: invalid value \"-4\" for `num_ctx`"),
        ("retry_max = 1\nretry_max = 2\n", "set it once"),
        ("model = \"openai:a\"\n[models.a]\npriec = \"1/2\"\n", "did you mean price?"),
    ] {
        scratch.file("llmend.toml", file);
        let mut command = command("config");
        command.current_dir(scratch.path());
        let run = finish(command.spawn().expect("it starts"), b"").expect(2);
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
    }
}

#[test]
fn the_sections_of_models_are_shown_and_one_with_almost_the_name_of_a_model_is_warned_of() {
    let place = Place::new("model = \"ollama:qwen3\"\n[models.qwen3]\ntemperature = 0.2\n", "");
    let shown = place.run("config", &[], "").expect(0).stdout;
    let line = shown.lines().find(|line| line.starts_with("[qwen3] temperature")).expect(&shown);
    assert!(line.contains("0.2") && line.contains("llmend.toml:3"), "{line}");
    let rows = place.run("config --json", &[], "").expect(0).json();
    let last = rows.as_array().and_then(|rows| rows.last()).expect("rows");
    assert_eq!((&last["model"], &last["name"]), (&"qwen3".into(), &"temperature".into()));
    // A section, and whether its name is taken for that of the model.
    for (section, is_meant) in [
        ("qwne3", true),
        ("ollama:qwne3", true),
        ("qwen3", false),
        ("ollama:qwen3", false),
        ("qwen2", false),
        ("llama3", false),
        ("gpt-4o", false),
    ] {
        let own = format!("[models.\"{section}\"]\ntemperature = 0.2\n");
        let place = Place::new(&own, "");
        place.write("project/deep/inside/s.json", "{}");
        let ask = "ask --schema s.json --model ollama:qwen3 --dry-run Hi";
        let run = place.run(ask, &[], "").expect(0);
        assert_eq!(
            run.stderr.contains("did you mean [models.\"qwen3\"]"),
            is_meant,
            "{section}: {}",
            run.stderr
        );
    }
}
