//! What does a file hold that is told to the command, and is no answer of a model?

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use llmend::json::{Diagnostic, ErrorKind, Node, Options, Policy, Rule, parse_with};

use crate::{
    exit::{Exit, Failure},
    input::{decode, lossy, too_long, unreadable},
    output::say_block,
    render::{
        Colour, Named,
        explain::{refusal, warnings},
    },
};

/// Most bytes of such a file.
const MOST_BYTES: usize = 64 << 20;

/// What a file was to hold could not be had.
pub(crate) struct Unusable {
    pub(crate) name: String,
    /// What was read of the file's text, in which the failure has its place.
    pub(crate) text: String,
    pub(crate) failure: Failure,
}

impl Unusable {
    /// The file.
    pub(crate) fn named(&self) -> Named<'_> {
        Named { name: &self.name, text: &self.text }
    }

    /// Says why, for who writes no report.
    pub(crate) fn say(&self, colour: Colour) -> Exit {
        say_block(&refusal(self.named(), &self.failure, colour));
        self.failure.exit
    }
}

/// Reads the file at `path`, which holds `what`, in strict JSON. What is doubtful about it, such as a
/// key that stands twice, is said.
///
/// A file that cannot be read is a failure of the input; one that holds something else is a misuse
/// of the command.
pub(crate) fn load<T>(
    path: &Path,
    what: &str,
    colour: Colour,
    read: impl FnOnce(Node<'_>) -> Result<T, Box<Diagnostic>>,
) -> Result<T, Box<Unusable>> {
    let name = path.display().to_string();
    let unusable = |failure: Failure, text: &str| {
        Box::new(Unusable { name: name.clone(), text: text.to_owned(), failure })
    };
    let bytes = bytes(path).map_err(|error| unusable(unreadable(&name, &error), ""))?;
    if bytes.len() > MOST_BYTES {
        let failure = Failure { exit: Exit::Usage, hint: None, ..too_long(MOST_BYTES) };
        return Err(unusable(failure, ""));
    }
    let text = decode(&bytes).map_err(|failure| {
        let text = lossy(&bytes, &failure);
        unusable(Failure { exit: Exit::Usage, ..failure }, &text)
    })?;
    let (value, doubts) = strict(text, what, read)
        .map_err(|problem| unusable(Failure::new(Exit::Usage, vec![*problem]), text))?;
    say_block(&warnings(Named { name: &name, text }, &doubts, colour));
    Ok(value)
}

/// The bytes of a file, and of a file that is too long one more than may be.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let most = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn strict<T>(
    text: &str,
    what: &str,
    read: impl FnOnce(Node<'_>) -> Result<T, Box<Diagnostic>>,
) -> Result<(T, Vec<Diagnostic>), Box<Diagnostic>> {
    let mut options = Options::policy(Policy::Strict);
    // Some editors begin every file with a byte order mark.
    options.rules = options.rules.with(Rule::OddWhitespace);
    options.max_bytes = MOST_BYTES;
    let parsed = parse_with(text, &options).map_err(|error| {
        let reason = match error.kind() {
            ErrorKind::Refused(rule) => format!("the rule `{rule}` would have to mend this"),
            _ => error.message(),
        };
        Box::new(Diagnostic {
            message: format!("the {what} is not JSON: {reason}"),
            help: Some(format!("A {what} has to be strict JSON: it is not mended.")),
            ..Diagnostic::from(&error)
        })
    })?;
    let value = read(parsed.value.root())?;
    Ok((value, parsed.report.diagnostics))
}
