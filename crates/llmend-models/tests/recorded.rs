//! Recorded answers of each dialect, sent by a server: what a call makes of them.
//!
//! The fixtures are those of the dialects. Each is sent twice, as the answer to a plain call and to a
//! streaming one; a snapshot for each dialect has one line for either.

mod rig;

use std::fs;
use std::path::Path;

use llmend_model::{ChatError, ChatModel, ChatResponse};
use llmend_model_server::{Form, Reply};
use rig::{model, request, server};

const DIALECTS: [(Form, &str); 4] = [
    (Form::OpenAi, "openai-chat"),
    (Form::Anthropic, "anthropic"),
    (Form::Gemini, "gemini"),
    (Form::Ollama, "ollama"),
];

fn line(result: &Result<ChatResponse, ChatError>) -> String {
    match result {
        Ok(response) => {
            let usage = response.usage.map(|usage| (usage.input, usage.output, usage.estimated));
            format!("{:?} {:?} {usage:?}", response.answer(), response.finish)
        }
        Err(error) => {
            format!("{} {:?} left {:?}", error.kind.code(), error.message, error.answer())
        }
    }
}

#[tokio::test]
async fn recorded_answers_say_what_their_snapshot_says() {
    for (form, dialect) in DIALECTS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(dialect);
        let mut files: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let mut lines = Vec::new();
        for file in files {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let body = fs::read(&file).unwrap();
            let reply = || {
                let chunk = llmend_model_server::Step::Send(body.clone());
                Reply::status(200).then(chunk)
            };
            // Whoever is busy is asked once more, and says the same.
            let server = server((0..8).map(|_| reply().into()));
            let model = model(&server, form);
            let mut told = String::new();
            let streamed =
                model.stream(&request(), &mut |event| told += &rig::told(&[event])).await;
            lines.push(format!("{name} stream: {}", line(&streamed)));
            if let Ok(response) = &streamed {
                let calls = response.tool_calls.iter().map(|call| call.arguments.as_str());
                let whole = [response.text.as_str()].into_iter().chain(calls);
                // Pieces of text and of calls may come in turn.
                assert_eq!(told.len(), whole.map(str::len).sum::<usize>(), "{name}");
            }
            let whole = model.call(&request()).await;
            lines.push(format!("{name} whole: {}", line(&whole)));
        }
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("recorded-{dialect}"), lines.join("\n"));
        });
    }
}
