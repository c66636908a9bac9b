//! Prompts of the caller in place of llmend's own.

use std::{collections::BTreeMap, sync::OnceLock};

use llmend_json::nearest;

use super::{ALL, PromptTemplate, file, named};

/// The texts in place of those of the same names, for the whole process.
static REPLACED: OnceLock<BTreeMap<&'static str, String>> = OnceLock::new();

/// The reason why a text cannot replace a prompt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadPrompt {
    /// There is no such prompt.
    #[error("unknown prompt `{name}`{}", meant(.nearest.as_deref()))]
    Unknown {
        /// The name.
        name: String,
        /// The prompt that was probably meant.
        nearest: Option<String>,
    },
    /// The text has a placeholder that the prompt does not fill.
    #[error("prompt `{name}` has no placeholder <<{slot}>>; expected {}", listed(.known))]
    UnknownSlot {
        /// The name of the prompt.
        name: String,
        /// The placeholder.
        slot: String,
        /// The placeholders that it fills.
        known: Vec<&'static str>,
    },
    /// The text lacks a placeholder, so that the model would not be told what stands there.
    #[error("prompt `{name}` lacks the placeholder <<{slot}>>")]
    MissingSlot {
        /// The name of the prompt.
        name: String,
        /// The placeholder.
        slot: &'static str,
    },
    /// Prompts were replaced before.
    #[error("the prompts of this process are already replaced")]
    Again,
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}

fn listed(known: &[&str]) -> String {
    match known {
        [] => "none".to_owned(),
        known => known.iter().map(|slot| format!("<<{slot}>>")).collect::<Vec<_>>().join(", "),
    }
}

/// Replaces prompts by these texts, by name, for the whole process. Each text has to have the
/// placeholders of the prompt, and no others. Fails without replacing any, and if prompts were
/// replaced before.
///
/// ```
/// use llmend::prompts::{BadPrompt, replace};
///
/// let text = "The task fails unless this answer can be read.";
/// let error = replace([("last-attemt".to_owned(), text.to_owned())]).unwrap_err();
/// assert_eq!(error.to_string(), "unknown prompt `last-attemt`; did you mean `last-attempt`?");
/// replace([("last-attempt".to_owned(), text.to_owned())])?;
/// assert_eq!(llmend::prompts::named("last-attempt").unwrap().text_in_use(), text);
/// # Ok::<(), BadPrompt>(())
/// ```
pub fn replace(texts: impl IntoIterator<Item = (String, String)>) -> Result<(), BadPrompt> {
    let checked: Result<BTreeMap<_, _>, _> =
        texts.into_iter().map(|(name, text)| Ok((checked(&name, &text)?, text))).collect();
    REPLACED.set(checked?).map_err(|_| BadPrompt::Again)
}

/// Returns the name of the prompt that a text may replace.
fn checked(name: &str, text: &str) -> Result<&'static str, BadPrompt> {
    let Some(prompt) = named(name) else {
        let nearest = nearest(name, ALL.iter().map(|prompt| prompt.name)).map(str::to_owned);
        return Err(BadPrompt::Unknown { name: name.to_owned(), nearest });
    };
    let known = prompt.slots();
    let mut missing = known.clone();
    for piece in file::pieces(text) {
        let file::Piece::Slot(slot) = piece else { continue };
        if !known.contains(&slot) {
            let (name, slot) = (name.to_owned(), slot.to_owned());
            return Err(BadPrompt::UnknownSlot { name, slot, known });
        }
        missing.retain(|other| *other != slot);
    }
    match missing.first() {
        Some(slot) => Err(BadPrompt::MissingSlot { name: name.to_owned(), slot }),
        None => Ok(prompt.name),
    }
}

impl PromptTemplate {
    /// Returns the text that is used: that of the caller, if there is one ([`replace`]).
    #[must_use]
    pub fn text_in_use(&self) -> &'static str {
        let replaced = REPLACED.get().and_then(|replaced| replaced.get(self.name));
        replaced.map_or(self.text, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::checked;

    #[test]
    fn a_text_has_the_placeholders_of_its_prompt() {
        let rows = [
            ("json-schema", "<<schema>> as in <<example>>", Ok("json-schema")),
            ("json-schema", "<<schema>>", Err("lacks the placeholder <<example>>")),
            (
                "json-schema",
                "<<schema>> <<example>> <<exmple>>",
                Err("has no placeholder <<exmple>>; expected <<schema>>, <<example>>"),
            ),
            (
                "mistakes",
                "Make none, and no <<more>>.",
                Err("no placeholder <<more>>; expected none"),
            ),
            ("mistake", "", Err("did you mean `mistakes`?")),
            ("zebra", "", Err("unknown prompt `zebra`")),
        ];
        for (name, text, expected) in rows {
            match (checked(name, text), expected) {
                (Err(error), Err(part)) => {
                    assert!(error.to_string().contains(part), "{name}: {error}");
                }
                (found, expected) => assert_eq!(found.ok(), expected.ok(), "{name}: {text}"),
            }
        }
    }
}
