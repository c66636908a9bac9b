//! The files of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A text file of the repository.
pub(crate) struct File {
    /// From the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn is_rust(&self) -> bool {
        has_extension(&self.path, "rs")
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// Every text file of the repository, sorted by path.
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
}

impl Tree {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let mut files = Vec::new();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let entries =
                fs::read_dir(&folder).with_context(|| format!("list {}", folder.display()))?;
            for entry in entries {
                let entry = entry?;
                let (path, kind) = (entry.path(), entry.file_type()?);
                if is_foreign(&path) {
                    // In a linked work tree, `.git` is a file.
                } else if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file()
                    && let Ok(text) = String::from_utf8(
                        fs::read(&path).with_context(|| format!("read {}", path.display()))?,
                    )
                {
                    files.push(File { path: relative(root, &path), text });
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { files })
    }

    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }
}

pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// The folder of the workspace that this program was built from.
pub(crate) fn root() -> Result<PathBuf> {
    let manifest_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest_folder.parent().context("xtask has no parent folder")?;
    Ok(root.to_path_buf())
}

/// Whether tools wrote it: caches and build output.
fn is_foreign(path: &Path) -> bool {
    const NAMES: [&str; 7] =
        [".git", "target", "node_modules", ".venv", "__pycache__", ".pytest_cache", ".mypy_cache"];
    let name = path.file_name().unwrap_or_default();
    NAMES.iter().any(|foreign| name == *foreign) || path.join("CACHEDIR.TAG").exists()
}

fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::{Tree, root};

    #[test]
    fn reads_sources_and_leaves_build_output_alone() {
        let tree = Tree::read(&root().unwrap()).unwrap();
        assert!(
            tree.file("xtask/src/tree.rs").is_some_and(|file| file.text.contains("reads_sources"))
        );
        assert!(tree.file("Cargo.toml").is_some());
        assert!(tree.files.is_sorted_by(|a, b| a.path < b.path));
        assert!(tree.files.iter().all(|file| !file.path.starts_with(".git/")));
        assert!(tree.files.iter().all(|file| !file.path.contains("target/")));
    }
}
