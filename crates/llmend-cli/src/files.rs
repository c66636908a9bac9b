//! Schemas, catalogs and other JSON files that configure the command.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use llmend::json::{Diagnostic, ErrorKind, Node, Options, Policy, Rule, parse_with};

use crate::{
    exit::Exit,
    input::{decode, lossy, too_long, unreadable},
    outcome::Failure,
    output::eprint_block,
    render::{
        Color, Named,
        explain::{refusal, warnings},
    },
};

/// The maximum length of such a file in bytes.
const MAX_BYTES: usize = 64 << 20;

/// A file that could not be loaded.
pub(crate) struct Unusable {
    pub(crate) name: String,
    /// The text of the file as far as it was read; the failure's spans refer to it.
    pub(crate) text: String,
    pub(crate) failure: Failure,
}

impl Unusable {
    /// Returns the name and the text of the file.
    pub(crate) fn named(&self) -> Named<'_> {
        Named { name: &self.name, text: &self.text }
    }

    /// Prints the failure. Returns the exit status.
    pub(crate) fn print(&self, color: Color) -> Exit {
        eprint_block(&refusal(self.named(), &self.failure, color));
        self.failure.exit
    }
}

/// Loads `what` from the file at `path` in strict JSON. Prints warnings, such as of a duplicate key.
///
/// A file that cannot be read is an input failure; one with other contents is a usage error.
pub(crate) fn load<T>(
    path: &Path,
    what: &str,
    color: Color,
    read: impl FnOnce(Node<'_>) -> Result<T, Box<Diagnostic>>,
) -> Result<T, Box<Unusable>> {
    let name = path.display().to_string();
    let unusable = |failure: Failure, text: &str| {
        Box::new(Unusable { name: name.clone(), text: text.to_owned(), failure })
    };
    let bytes = bytes(path).map_err(|error| unusable(unreadable(&name, &error), ""))?;
    if bytes.len() > MAX_BYTES {
        let failure = Failure { exit: Exit::Usage, hint: None, ..too_long(MAX_BYTES) };
        return Err(unusable(failure, ""));
    }
    let text = decode(&bytes).map_err(|failure| {
        let text = lossy(&bytes, &failure);
        unusable(Failure { exit: Exit::Usage, ..failure }, &text)
    })?;
    let (value, findings) = strict(text, what, read)
        .map_err(|problem| unusable(Failure::new(Exit::Usage, vec![*problem]), text))?;
    eprint_block(&warnings(Named { name: &name, text }, &findings, color));
    Ok(value)
}

/// Reads at most one byte more than the limit.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
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
    // Some editors start every file with a byte order mark.
    options.rules = options.rules.with(Rule::OddWhitespace);
    options.max_bytes = MAX_BYTES;
    let parsed = parse_with(text, &options).map_err(|error| {
        let reason = match error.kind() {
            ErrorKind::Refused(rule) => format!("it needs the rule `{rule}`"),
            _ => error.message(),
        };
        Box::new(Diagnostic {
            message: format!("the {what} is not strict JSON: {reason}"),
            help: Some(format!("Write the {what} as strict JSON.")),
            ..Diagnostic::from(&error)
        })
    })?;
    let value = read(parsed.value.root())?;
    Ok((value, parsed.report.diagnostics))
}
