//! Files that replace llmend's prompts.

use std::{
    fs,
    path::{Path, PathBuf},
};

use llmend::{
    config::{Configuration, Source},
    prompts::{self, BadPrompt},
};

use crate::exit::UsageError;

/// Replaces llmend's prompts by those in the folder that the settings name.
pub(crate) fn replace(found: &Configuration) -> Result<(), UsageError> {
    let Some(folder) = &found.settings.prompts else { return Ok(()) };
    let folder = match found.source("prompts") {
        Source::UserFile { file, .. } | Source::ProjectFile { file, .. } => {
            Path::new(file).parent().unwrap_or(Path::new("")).join(folder)
        }
        _ => PathBuf::from(folder),
    };
    let bad = |error: &dyn std::fmt::Display| UsageError(format!("{}: {error}", folder.display()));
    let mut texts = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| bad(&error))? {
        let path = entry.map_err(|error| bad(&error))?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let is_prompt = path.extension().is_some_and(|end| end == "md") && name != "README";
        if is_prompt {
            texts.push((name.to_owned(), fs::read_to_string(&path).map_err(|error| bad(&error))?));
        }
    }
    match prompts::replace(texts) {
        // Several parts of one command may ask for them.
        Ok(()) | Err(BadPrompt::Again) => Ok(()),
        Err(error) => Err(bad(&error)),
    }
}
