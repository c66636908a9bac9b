//! Runs of the command as a process.

use std::{
    env,
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// The variables beside the settings that change what the command does, and that a test sets only on
/// purpose.
const VARIABLES: [&str; 4] = ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "TERM"];

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The run, if it ended with `code`.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        self
    }

    /// Standard output, read as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Each line of standard output, read as JSON.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<serde_json::Value> {
        let read =
            |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.stdout.lines().map(read).collect()
    }
}

/// The command with `arguments`, separated by blanks, in an environment without our variables.
pub(crate) fn command(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_llmend"));
    command.args(arguments.split_whitespace());
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    for setting in llmend::config::SETTINGS {
        for variable in setting.variables {
            command.env_remove(variable);
        }
    }
    // Whoever runs the tests may have settings and sessions of their own.
    command.env("XDG_CONFIG_HOME", root().join("no-settings"));
    command.env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command with `arguments` on `stdin`.
pub(crate) fn run(arguments: &str, stdin: impl AsRef<[u8]>) -> Run {
    run_with(arguments, &[], stdin)
}

/// Runs the command with `arguments` and some variables set.
pub(crate) fn run_with(
    arguments: &str,
    variables: &[(&str, &str)],
    stdin: impl AsRef<[u8]>,
) -> Run {
    let child = command(arguments)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .spawn()
        .expect("the command starts");
    finish(child, stdin.as_ref())
}

/// Feeds `child` and waits for its end.
pub(crate) fn finish(mut child: Child, stdin: &[u8]) -> Run {
    let pipe = child.stdin.take();
    let stdin = stdin.to_vec();
    // The command may write before it has read everything, so both happen at once.
    let feeder = thread::spawn(move || {
        if let Some(mut pipe) = pipe {
            // It may also end before it has read everything.
            let _ = pipe.write_all(&stdin);
        }
    });
    let output = child.wait_with_output().expect("the command ends");
    feeder.join().expect("the feeder ends");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The directory of the example answers.
pub(crate) fn examples() -> PathBuf {
    root().join("examples/answers")
}

/// A directory of this test's own, gone when it is dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name =
            format!("llmend-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("the directory can be made");
        Self(path)
    }

    /// A file with `content`.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("the file can be written");
        path
    }

    /// The directory itself.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left over is in the system's directory for such things.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
