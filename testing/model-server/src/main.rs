//! A scripted server as a program: `llmend-model-server FILE` serves the scenarios of a file until
//! its input ends, and prints its URL.

use std::io::{Read, Write};
use std::process::ExitCode;

use llmend_model_server::Scenarios;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "llmend-model-server: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let file = std::env::args().nth(1).ok_or("name a file of scenarios")?;
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let scenarios = Scenarios::from_json(&text).map_err(|error| format!("{file}: {error}"))?;
    let server = scenarios.serve();
    writeln!(std::io::stdout(), "{}", server.url()).map_err(|error| error.to_string())?;
    // The parent process holds the other end, so this process ends with it.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    Ok(())
}
