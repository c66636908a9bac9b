//! A build without features: what it does, and what it says of the rest.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_llmend"));
    command.args(arguments).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    command.output().expect("it starts")
}

#[test]
fn every_build_repairs_and_plans() {
    for arguments in [
        ["repair", "examples/answers/booking.txt"],
        ["plan", "examples/answers/planner.txt"],
        ["stream", "examples/answers/booking.txt"],
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(!output.stdout.is_empty(), "{output:?}");
    }
}

#[test]
fn what_a_build_lacks_is_named_with_its_feature() {
    for (arguments, name, feature, built) in [
        (["serve", "--check"], "serve", "gateway", cfg!(feature = "gateway")),
        (["report", "x.db"], "report", "gateway", cfg!(feature = "gateway")),
        (["ask", "x"], "ask", "models", cfg!(feature = "models")),
        (["plan", "--ask=x"], "--ask", "models", cfg!(feature = "models")),
        (["batch", "--column=x"], "--column", "table", cfg!(feature = "table")),
    ] {
        let output = run(&arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let told =
            format!("this build of llmend has no `{name}`; build it with the feature `{feature}`");
        assert_eq!(said.contains(&told), !built, "{said}");
        if !built {
            assert_eq!(output.status.code(), Some(2), "{said}");
        }
    }
}
