//! The candidates of a text, without a choice among them.

use crate::{
    Candidate, Error, Options, Search,
    extract::{Scan, Surroundings},
    limits::check_size,
    options::Settings,
    parser::Window,
    value::keys::Keys,
};

/// All parts of a text that may be the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extraction {
    /// The candidates, in the order of the text.
    pub candidates: Vec<Candidate>,
}

/// Finds every candidate for a value in `text`.
///
/// ```
/// let text = "Not `{x}` but:\n```json\n{\"a\": 1}\n```";
/// let found = llmend_json::extract(text, &llmend_json::Options::default())?;
/// assert_eq!(found.candidates.len(), 1);
/// assert_eq!(found.candidates[0].span.of(text), "{\"a\": 1}");
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub fn extract(text: &str, options: &Options) -> Result<Extraction, Error> {
    check_size(text.len(), options)?;
    let window = Window::whole(text);
    let options = Options { search: Search::On, ..options.clone() };
    let mut scan = Scan::<Keys>::new(Settings::Borrowed(&options), 0);
    scan.run(&window).map_err(|stop| stop.into_error(text))?;
    if scan.found.is_empty() {
        return Err(scan.no_candidate(text));
    }
    let candidates = scan
        .found
        .iter()
        .map(|found| {
            found.candidate(Surroundings::of(&window, scan.beginning(), found.span), text.len())
        })
        .collect();
    Ok(Extraction { candidates })
}
