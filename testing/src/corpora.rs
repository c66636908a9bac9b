//! All corpora, by name.

use std::path::Path;

use crate::case::Case;
use crate::structural::{self, Corpus};
use crate::{corpus, damage, faults, surroundings, unescaped, valid};

/// The corpora that `all` stands for.
pub const ALL: &[&str] = &["dev", "defects", "damage", "unescaped", "valid"];

/// How many texts the generators make.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Seed of the generators.
    pub seed: u64,
    /// Texts of a generator; of each kind, where a generator has kinds of equal weight.
    pub count: usize,
    /// Valid documents.
    pub valid: usize,
}

/// Returns the cases of the corpora that `names` lists, separated by commas.
///
/// # Errors
/// When there is no such corpus, or a file cannot be read.
pub fn named(names: &str, size: Size) -> Result<Vec<Case>, String> {
    let each =
        names.split(',').flat_map(|name| if name == "all" { ALL.to_vec() } else { vec![name] });
    let parts: Result<Vec<Vec<Case>>, String> = each.map(|name| one(name, size)).collect();
    Ok(parts?.into_iter().flatten().collect())
}

fn one(name: &str, Size { seed, count, valid }: Size) -> Result<Vec<Case>, String> {
    Ok(match name {
        "dev" => corpus::dev(),
        "defects" => corpus::defects(),
        "damage" => damage::cases(seed, count),
        "unescaped" => unescaped::cases(seed, count),
        "faults" => faults::cases(seed, count),
        "surroundings" => surroundings::cases(seed, count),
        "records" => structural::cases(Corpus::Records, seed, count),
        "nested" => structural::cases(Corpus::Nested, seed, count),
        "valid" => valid::cases(seed, valid),
        file if Path::new(file).extension().is_some_and(|ext| ext == "jsonl") => {
            let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
            corpus::load(&text)
        }
        _ => return Err(format!("no corpus is called {name}")),
    })
}

#[cfg(test)]
mod tests {
    use super::{Size, named};

    #[test]
    fn corpora_are_found_by_name() {
        let size = Size { seed: 1, count: 2, valid: 3 };
        for (names, count) in [("damage", 2), ("valid", 3), ("damage,valid", 5), ("records", 60)] {
            assert_eq!(named(names, size).unwrap().len(), count, "{names}");
        }
        assert!(named("damages", size).is_err());
        assert!(named("none.jsonl", size).is_err());
    }
}
