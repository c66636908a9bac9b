//! Wrong coercions that other libraries make, one readable file each.
//!
//! A file has `why` (what others do), `schema`, and the answer: as JSON in `answer`, or as it was
//! written in `text`. It ends with the expected `value` and the names of its `coercions`, or with
//! the paths of its `violations`. `options` are those of the command.

#![cfg(feature = "llmend")]

use std::fs;
use std::path::Path;

use llmend_schema::{Options, Schema, coerce};
use llmend_testing::data::Data;
use llmend_testing::schema::check;

/// What a file says.
struct Fixture {
    schema: serde_json::Value,
    text: String,
    options: Options,
    wanted: Wanted,
}

enum Wanted {
    Value(Data, Vec<String>),
    Violations(Vec<String>),
}

fn texts(data: &Data) -> Vec<String> {
    match data {
        Data::List(items) => {
            items.iter().map(|item| item.as_text().expect("a string").to_owned()).collect()
        }
        _ => panic!("no list of strings"),
    }
}

impl Fixture {
    fn read(text: &str) -> Self {
        let data = Data::read(text).expect("strict JSON");
        let Data::Map(members) = &data else { panic!("no object") };
        for (key, _) in members {
            let known =
                ["why", "schema", "options", "answer", "text", "value", "coercions", "violations"];
            assert!(known.contains(&key.as_str()), "{key}");
        }
        assert!(data.get("why").and_then(Data::as_text).is_some_and(|why| why.ends_with('.')));
        let schema = data.get("schema").expect("a schema").write();
        let answer = || data.get("answer").expect("an answer").write();
        Self {
            schema: serde_json::from_str(&schema).expect("a schema"),
            text: data.get("text").and_then(Data::as_text).map_or_else(answer, str::to_owned),
            options: data.get("options").map(options).unwrap_or_default(),
            wanted: match (data.get("value"), data.get("violations")) {
                (Some(value), None) => {
                    let names = data.get("coercions").expect("coercions, or none");
                    Wanted::Value(value.clone(), texts(names))
                }
                (None, Some(paths)) => Wanted::Violations(texts(paths)),
                _ => panic!("either a value or violations"),
            },
        }
    }

    fn check(&self) -> Result<(), String> {
        let schema = Schema::new(&self.schema).map_err(|error| error.to_string())?;
        let parsed = llmend_json::parse(&self.text).map_err(|error| error.to_string())?;
        let coerced = coerce(&parsed.value, &schema, &self.options);
        let found = Data::read(&coerced.value.to_string())?;
        let made: Vec<&str> = coerced.coercions.iter().map(|row| row.kind.name()).collect();
        let paths: Vec<&str> = coerced.violations.iter().map(|row| row.path.as_str()).collect();
        match &self.wanted {
            Wanted::Value(value, names) => {
                if !paths.is_empty() {
                    return Err(format!("violations at {paths:?}"));
                }
                if made != *names {
                    return Err(format!("coercions {made:?} instead of {names:?}"));
                }
                // What nobody touched has kept even its spelling.
                let is_right = if names.is_empty() { found == *value } else { found.same(value) };
                if is_right {
                    Ok(())
                } else {
                    Err(format!("{} instead of {}", found.write(), value.write()))
                }
            }
            Wanted::Violations(_) if paths.is_empty() => {
                Err(format!("a success with {made:?}: {}", found.write()))
            }
            Wanted::Violations(wanted) => {
                check::always(&self.schema, &parsed.value.to_string(), &coerced)?;
                match wanted.iter().find(|wanted| !paths.contains(&wanted.as_str())) {
                    Some(path) => Err(format!("no violation at {path:?}, but at {paths:?}")),
                    None => Ok(()),
                }
            }
        }
    }
}

fn options(data: &Data) -> Options {
    let Data::Map(members) = data else { panic!("no object") };
    let mut options = Options::default();
    for (name, choice) in members {
        let choice = choice.as_text().expect("a choice");
        match name.as_str() {
            "on_bad_item" => options.on_bad_item = choice.parse().expect("a choice"),
            "on_extra" => options.on_extra = choice.parse().expect("a choice"),
            "units" => options.units = choice.parse().expect("a choice"),
            other => panic!("no option {other}"),
        }
    }
    options
}

#[test]
fn wrong_coercions_of_others() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schema");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the folder of fixtures")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(files.len() >= 80, "{} fixtures", files.len());
    let failed: Vec<String> = files
        .iter()
        .filter_map(|path| {
            let text = fs::read_to_string(path).expect("a text");
            let why = Fixture::read(&text).check().err()?;
            Some(format!("{}: {why}", path.file_stem()?.display()))
        })
        .collect();
    assert!(failed.is_empty(), "{} of {} fail\n{}", failed.len(), files.len(), failed.join("\n"));
}
