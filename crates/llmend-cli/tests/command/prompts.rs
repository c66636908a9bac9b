//! `llmend prompts`: the list, and the words of one.

use llmend::prompts;

use crate::process::run;

#[test]
fn the_list_has_a_line_for_each_prompt() {
    let table = run("prompts", "").expect(0).stdout;
    let names: Vec<&str> =
        table.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    let expected: Vec<&str> = prompts::ALL.iter().map(|prompt| prompt.name).collect();
    assert_eq!(names, expected);
    assert!(table.lines().all(|line| line.chars().count() <= 140), "{table}");
}

#[test]
fn one_prompt_is_shown_with_its_version_and_its_words() {
    for prompt in prompts::ALL {
        let shown = run(&format!("prompts {}", prompt.name), "").expect(0).stdout;
        let head = format!("{}, version {}, ", prompt.name, prompt.version);
        assert!(shown.starts_with(&head) && shown.ends_with(prompt.text), "{shown}");
    }
    let rows = run("prompts json-only --json", "").expect(0).json();
    assert_eq!(rows[0]["text"], prompts::JSON_ONLY.text);
    assert_eq!(rows[0]["place"], "system");
}

#[test]
fn a_prompt_that_is_not_there_is_a_misuse() {
    let near = run("prompts json-onyl", "").expect(2).stderr;
    assert!(near.contains("did you mean 'json-only'?"), "{near}");
    let far = run("prompts poem", "").expect(2).stderr;
    assert!(far.contains("run `llmend prompts` to list them"), "{far}");
}

#[test]
fn each_provider_has_its_notes() {
    // S1-39
    let rows = run("prompts --providers --json", "").expect(0).json();
    let mode = |name: &str| {
        let rows = rows.as_array().expect("an array");
        let row = rows.iter().find(|row| row["provider"] == name);
        row.unwrap_or_else(|| panic!("{name}"))["json_mode"].clone()
    };
    for (name, expected) in
        [("openai", "json_object"), ("groq", "json_object"), ("gemini", "responseMimeType")]
    {
        assert!(mode(name).as_str().is_some_and(|mode| mode.contains(expected)), "{name}");
    }
    assert!(mode("anthropic").as_str().is_some_and(|mode| mode.contains("output_config")));
    let shown = run("prompts --providers", "").expect(0).stdout;
    assert!(shown.contains("\nanthropic\n  JSON mode  output_config"), "{shown}");
}
