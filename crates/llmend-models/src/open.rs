//! Opening a model by its name.

use std::path::Path;

use llmend_model::ChatModel;
use secrecy::SecretString;

use crate::client::HttpOptions;
use crate::http::HttpModel;
use crate::key::Keys;
use crate::open_error::OpenError;
use crate::recorder::Recorder;
use crate::replay::Replay;
use crate::spec::ModelSpec;

/// Opens a model. Sends nothing, but reports a missing key.
///
/// ```
/// use llmend_models::{HttpOptions, Keys, open};
///
/// let keys = Keys::new(|name| (name == "GROQ_API_KEY").then(|| "planted".into()));
/// let model = open(&"groq:llama-3.3-70b".parse()?, &keys, &HttpOptions::default())?;
/// assert_eq!(model.name(), "groq:llama-3.3-70b");
///
/// let error = open(&"openai:gpt-4o".parse()?, &keys, &HttpOptions::default()).err().unwrap();
/// assert_eq!(error.to_string(), "openai needs a key: set the variable OPENAI_API_KEY");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(
    spec: &ModelSpec,
    keys: &Keys<'_>,
    options: &HttpOptions,
) -> Result<Box<dyn ChatModel>, OpenError> {
    open_with_key(spec, keys, options).map(|(model, _)| model)
}

/// Opens a model whose exchanges are recorded in a file without its key and headers. Overwrites the file.
pub fn open_recorded(
    spec: &ModelSpec,
    keys: &Keys<'_>,
    options: &HttpOptions,
    file: impl AsRef<Path>,
) -> Result<Recorder<Box<dyn ChatModel>>, OpenError> {
    let (model, key) = open_with_key(spec, keys, options)?;
    let file = file.as_ref();
    let mut recorder = Recorder::create(model, file)
        .map_err(|error| OpenError::Record { file: file.to_owned(), error })?;
    hide(&mut recorder, key, options);
    Ok(recorder)
}

/// Opens another model that records into the same file, without either key.
pub fn open_beside(
    recorder: &mut Recorder<Box<dyn ChatModel>>,
    spec: &ModelSpec,
    keys: &Keys<'_>,
    options: &HttpOptions,
) -> Result<Recorder<Box<dyn ChatModel>>, OpenError> {
    let (model, key) = open_with_key(spec, keys, options)?;
    hide(recorder, key, options);
    Ok(recorder.beside(model))
}

/// Hides what is sent with every request: the key, and what may be a secret in headers.
fn hide(
    recorder: &mut Recorder<Box<dyn ChatModel>>,
    key: Option<SecretString>,
    options: &HttpOptions,
) {
    if let Some(key) = key {
        recorder.hide(key);
    }
    for (name, value) in &options.headers {
        recorder.hide_header(name, value);
    }
}

/// Opens a model behind a server to preview its requests. `None` for a record. A missing key is no
/// error, and none is read.
pub fn open_preview(
    spec: &ModelSpec,
    keys: &Keys<'_>,
    options: &HttpOptions,
) -> Result<Option<HttpModel>, OpenError> {
    let ModelSpec::Remote { provider, base_url, model } = spec else { return Ok(None) };
    let base_url = base_url.clone().map_or_else(|| keys.server(provider), Ok)?;
    let is_own = keys.is_own_server(provider, &base_url);
    let has_key = keys.is_named() || (is_own && !provider.key_names.is_empty());
    let key = has_key.then(|| SecretString::from("hidden"));
    HttpModel::new(spec.to_string(), *provider, base_url, model, key, options.clone()).map(Some)
}

type Opened = (Box<dyn ChatModel>, Option<SecretString>);

fn open_with_key(
    spec: &ModelSpec,
    keys: &Keys<'_>,
    options: &HttpOptions,
) -> Result<Opened, OpenError> {
    match spec {
        ModelSpec::Replay { file } => Ok((Box::new(Replay::open(file)?), None)),
        ModelSpec::Remote { provider, base_url, model } => {
            let base_url = match base_url {
                Some(url) => url.clone(),
                None => keys.server(provider)?,
            };
            let key = keys.for_server(provider, &base_url)?;
            let name = spec.to_string();
            let options = options.clone();
            let model = HttpModel::new(name, *provider, base_url, model, key.clone(), options)?;
            Ok((Box::new(model), key))
        }
    }
}
