//! `llmend completions`: how does a shell complete the command?

use clap_complete::Shell;

use crate::{answer::finish, exit::Exit, render::Colour};

const EXAMPLES: &str = "\
Examples:
  llmend completions bash > ~/.local/share/bash-completion/completions/llmend
  llmend completions zsh > ~/.zfunc/_llmend
  llmend completions fish > ~/.config/fish/completions/llmend.fish
  llmend completions powershell >> $PROFILE";

/// Write a shell's completions to standard output
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::command(), "llmend", &mut script);
    finish(&String::from_utf8_lossy(&script), colour)
}
