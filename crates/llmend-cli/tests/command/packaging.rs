//! The files in packaging/: their commands can be typed, and the container is as closed as its pages say.

use std::fs;

use crate::process::{Scratch, root, run};

fn read(name: &str) -> String {
    let path = root().join("packaging").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Fails unless `words` are a command line of llmend.
fn assert_typed(words: &[&str]) {
    if let Err(error) = llmend_cli::command().try_get_matches_from(words) {
        panic!("{words:?}: {error}");
    }
}

/// The lines of a Containerfile, each as a whole, without comments.
fn instructions(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let whole = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    whole.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn the_commands_of_the_container_can_be_typed() {
    let instructions = instructions(&read("Containerfile"));
    let words = |start: &str| -> Vec<String> {
        let line = instructions.iter().rfind(|line| line.starts_with(start)).expect(start);
        let list = &line[line.find('[').expect("a list")..];
        serde_json::from_str(list).unwrap_or_else(|error| panic!("{list}: {error}"))
    };
    let (entry, mut command) = (words("ENTRYPOINT"), words("CMD"));
    assert_eq!(entry, ["/usr/bin/llmend"]);
    command.insert(0, entry[0].clone());
    let probe = words("HEALTHCHECK");
    assert!(probe.contains(&"--probe".to_owned()), "{probe:?}");
    for typed in [&command, &probe] {
        assert_typed(&typed.iter().map(String::as_str).collect::<Vec<_>>());
        // The configuration that is served is the one that is asked for.
        assert!(typed.contains(&"/etc/llmend/llmend.toml".to_owned()), "{typed:?}");
    }
}

#[test]
fn the_container_runs_without_rights_and_is_built_with_our_rust() {
    let instructions = instructions(&read("Containerfile"));
    let last = instructions.iter().rposition(|line| line.starts_with("FROM ")).expect("a stage");
    assert!(instructions[last].contains("distroless/static"), "{}", instructions[last]);
    assert!(instructions[last..].iter().any(|line| line == "USER 65532:65532"));
    assert!(!instructions[last..].iter().any(|line| line.starts_with("RUN ")));
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let rust = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let rust = format!("library/rust:{}-", rust.expect("a version").trim_matches('"'));
    assert!(instructions.iter().any(|line| line.contains(&rust)), "{rust}");
    for line in instructions.iter().filter(|line| line.starts_with("FROM ")) {
        assert!(!line.contains("latest"), "{line}");
    }

    let compose = read("compose.yaml");
    for line in [
        format!("image: ghcr.io/llmend/llmend:{}", env!("CARGO_PKG_VERSION")).as_str(),
        "read_only: true",
        "cap_drop: [ALL]",
        "security_opt: [\"no-new-privileges:true\"]",
        "- \"127.0.0.1:8787:8787\"",
        "- ./llmend.toml:/etc/llmend/llmend.toml:ro",
    ] {
        assert!(compose.lines().any(|found| found.trim() == line), "{line}");
    }
}

#[test]
fn the_configuration_of_the_container_asks_for_a_key_and_takes_one() {
    let scratch = Scratch::new();
    let text = read("llmend.toml");
    let path = scratch.file("as-it-is.toml", &text);
    let said = run(&format!("serve --check --config {}", path.display()), "").expect(1).stderr;
    assert!(said.contains("gateway.keys[0].sha256") && said.contains("sha256sum"), "{said}");
    let with_key = text.replace("the hash of your key goes here", &"a".repeat(64));
    let path = scratch.file("with-a-key.toml", &with_key);
    let said = run(&format!("serve --check --config {}", path.display()), "").expect(0).stderr;
    assert!(said.contains("upstreams 1"), "{said}");
}

#[test]
fn the_service_starts_what_it_checks() {
    let text = read("llmend.service");
    let line = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)).expect(key);
        line.split_whitespace().collect::<Vec<_>>()
    };
    let (before, start) = (line("ExecStartPre="), line("ExecStart="));
    assert_typed(&before);
    assert_typed(&start);
    assert_eq!(before, [&start[..], &["--check"]].concat());
}
