//! `llmend completions`: shell completions.

use clap_complete::Shell;

use crate::{exit::Exit, presentation::finish, render::Color};

const EXAMPLES: &str = "\
Examples:
  llmend completions bash > ~/.local/share/bash-completion/completions/llmend
  llmend completions zsh > ~/.zfunc/_llmend
  llmend completions fish > ~/.config/fish/completions/llmend.fish
  llmend completions powershell >> $PROFILE";

/// Write shell completions to standard output
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the subcommand.
pub(crate) fn run(
    arguments: &CompletionsArguments,
    mut command: clap::Command,
    color: Color,
) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "llmend", &mut script);
    finish(&String::from_utf8_lossy(&script), color)
}
