//! Each provider: what it is sent, and what is made of what it answers.

mod rig;

use llmend_model::{ChatErrorKind, ChatModel, Finish, Message, Output, Shape, Usage};
use llmend_model_server::{Answer, Form, ModelServer, Reply, Seen};
use rig::{FORMS, SCHEMA, model, request, server, shaped, told};
use serde_json::{Value, json};

#[tokio::test]
async fn a_whole_answer_and_a_stream_say_the_same() {
    // S2-29: whoever the provider is.
    for (form, ..) in FORMS {
        let server = ModelServer::answering(|_| Answer::text("{'city': 'Oslo',}").into());
        let model = model(&server, form);
        let whole = model.call(&request()).await.unwrap();
        assert_eq!(whole.text, "{'city': 'Oslo',}", "{form:?}");
        assert_eq!(whole.finish, Finish::Stop, "{form:?}");
        assert_eq!(whole.usage, Some(Usage { input: 11, output: 7, estimated: false }), "{form:?}");
        assert_eq!(whole.model.as_deref(), Some("scripted"), "{form:?}");

        let mut events = Vec::new();
        let streamed = model.stream(&request(), &mut |event| events.push(event)).await.unwrap();
        assert_eq!(told(&events), whole.text, "{form:?}");
        assert!(events.len() > 1, "{form:?}: {events:?}");
        assert_eq!((streamed.text, streamed.finish), (whole.text, whole.finish), "{form:?}");
        assert_eq!(streamed.usage, whole.usage, "{form:?}");
        // On the wire, both are streams.
        assert!(server.requests().iter().all(Seen::asks_for_stream));
    }
}

#[tokio::test]
async fn tool_arguments_stay_text() {
    // S0-40: what a tool is called with is text, also where it is broken.
    for (form, ..) in FORMS {
        let broken = "{\"a\": 1,}";
        // Where a provider writes an object, broken text cannot come.
        let arguments = if form == Form::OpenAi { broken } else { "{\"a\":1.0}" };
        let server = ModelServer::answering(move |_| Answer::call("f", arguments).into());
        let model = model(&server, form);
        let whole = model.call(&request()).await.unwrap();
        let streamed = model.stream(&request(), &mut |_| {}).await.unwrap();
        for response in [whole, streamed] {
            assert_eq!(response.tool_calls.len(), 1, "{form:?}");
            assert_eq!(response.tool_calls[0].name, "f", "{form:?}");
            assert_eq!(response.answer(), arguments, "{form:?}");
        }
    }
    // Anthropic streams arguments as text, and there they may be broken.
    let server = server([Answer::call("f", "{\"a\": 1,}").into()]);
    let response = model(&server, Form::Anthropic).stream(&request(), &mut |_| {}).await.unwrap();
    assert_eq!(response.answer(), "{\"a\": 1,}");
}

#[tokio::test]
async fn an_answer_that_is_cut_off_says_so() {
    for (form, ..) in FORMS {
        let server = ModelServer::answering(|_| Answer::text("{\"a\": [1, 2").cut_off().into());
        let model = model(&server, form);
        let whole = model.call(&request()).await.unwrap();
        let streamed = model.stream(&request(), &mut |_| {}).await.unwrap();
        assert_eq!((whole.finish, streamed.finish), (Finish::Length, Finish::Length), "{form:?}");
    }
}

#[tokio::test]
async fn an_unknown_finish_reason_is_kept() {
    // Responses end with an event of one of four names, and none of another.
    for (form, ..) in FORMS.into_iter().filter(|(form, ..)| *form != Form::Responses) {
        let server = ModelServer::answering(|_| Answer::text("a").finish("tired").into());
        let model = model(&server, form);
        let other = Finish::Other("tired".to_owned());
        assert_eq!(model.call(&request()).await.unwrap().finish, other, "{form:?}");
        assert_eq!(model.stream(&request(), &mut |_| {}).await.unwrap().finish, other, "{form:?}");
    }
}

#[tokio::test]
async fn fields_may_be_missing_and_others_there() {
    let rows = [
        (Form::OpenAi, r#"{"choices":[{"message":{"content":"a"}}]}"#),
        (Form::OpenAi, r#"{"new":{},"choices":[{"message":{"content":"a","new":1},"new":[]}]}"#),
        (Form::OpenAi, r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"}]}}]}"#),
        (
            Form::Anthropic,
            r#"{"type":"message","content":[{"type":"text","text":"a"},{"type":"new"}]}"#,
        ),
        (
            Form::Gemini,
            r#"{"candidates":[{"content":{"parts":[{"text":"a"},{"new":1}]}}],"new":1}"#,
        ),
        (Form::Ollama, r#"{"message":{"content":"a","new":1},"done":true}"#),
    ];
    for (form, body) in rows {
        let server = server([Reply::json(200, body).into()]);
        let response = model(&server, form).call(&request()).await.unwrap();
        assert_eq!((response.text.as_str(), response.usage), ("a", None), "{body}");
        assert!(matches!(response.finish, Finish::Other(_) | Finish::Stop), "{body}");
    }
}

#[tokio::test]
async fn a_server_may_answer_whole_where_a_stream_was_asked_for() {
    for (form, ..) in FORMS {
        let server = server([Answer::text("hello").whole(form).into()]);
        let mut events = Vec::new();
        let response =
            model(&server, form).stream(&request(), &mut |event| events.push(event)).await.unwrap();
        assert_eq!(
            (told(&events).as_str(), response.text.as_str()),
            ("hello", "hello"),
            "{form:?}"
        );
    }
}

#[tokio::test]
async fn what_is_no_answer_is_an_error_that_keeps_it() {
    let rows = [
        ("", "no event"),
        ("<html>Bad gateway</html>", "<html>"),
        ("{}", "contains no answer"),
        ("{\"choices\": []}", "contains no answer"),
        ("{\"choices\": [{\"message\": {\"content\": \"a", "cannot be read"),
        ("{\"choices\": 1}", "cannot be read"),
        ("data: [DONE]\n\n", "contains no answer"),
    ];
    for (body, expected) in rows {
        let server = server([Reply::json(200, body).into()]);
        let error = model(&server, Form::OpenAi).call(&request()).await.unwrap_err();
        assert_eq!(error.kind, ChatErrorKind::Unreadable, "{body}: {error}");
        assert!(error.message.contains(expected), "{body}: {error}");
        assert_eq!(error.context.body.as_deref().unwrap_or_default(), body);
        assert_eq!(server.requests().len(), 1, "asked again: {body}");
    }
}

#[tokio::test]
async fn what_stands_behind_a_gap_is_not_joined_to_what_stands_before() {
    let piece = |text: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    };
    let gap = "data: {\"choices\":[{\"delta\":{\"content\":\"lost\n\n";
    let stream = piece("a") + gap + &piece("b") + "data: [DONE]\n\n";
    let server = server([Reply::events(stream).into()]);
    let mut events = Vec::new();
    let error = model(&server, Form::OpenAi)
        .stream(&request(), &mut |event| events.push(event))
        .await
        .unwrap_err();
    assert_eq!(error.kind, ChatErrorKind::Unreadable);
    assert_eq!((error.answer(), told(&events).as_str()), (Some("a"), "a"));
}

#[tokio::test]
async fn what_the_model_wrote_is_kept_where_the_server_could_not_read_it() {
    // llama.cpp, Ollama and Groq put it into an error.
    let rows = [
        (
            Form::OpenAi,
            500,
            r#"{"error":{"code":500,"message":"Failed to parse input at pos 0: {\"a\": 1,}","type":"server_error"}}"#,
        ),
        (
            Form::Ollama,
            500,
            r#"{"error":"error parsing tool call: raw='{\"a\": 1,}', err=invalid character '}'"}"#,
        ),
        (
            Form::OpenAi,
            400,
            r#"{"error":{"message":"Failed to generate JSON.","code":"json_validate_failed","failed_generation":"{\"a\": 1,}"}}"#,
        ),
        // In a stream that has begun well.
        (
            Form::Ollama,
            200,
            "{\"error\":\"error parsing tool call: raw='{\\\"a\\\": 1,}', err=unexpected\"}\n",
        ),
    ];
    for (form, status, body) in rows {
        let server = server([Reply::json(status, body).into()]);
        let error = model(&server, form).stream(&shaped(), &mut |_| {}).await.unwrap_err();
        assert_eq!(error.kind, ChatErrorKind::Unreadable, "{body}: {error}");
        assert_eq!(error.answer(), Some("{\"a\": 1,}"), "{body}");
        assert_eq!(error.context.body.as_deref().map(str::trim), Some(body.trim()));
        // The model's fault is not the connection's, and says nothing of what the server can do.
        assert_eq!(server.requests().len(), 1, "{body}");
    }
}

#[tokio::test]
async fn error_bodies_are_read_in_each_form() {
    for (form, ..) in FORMS {
        let server = server([form.error(400, "the moon is full").into()]);
        let error = model(&server, form).call(&request()).await.unwrap_err();
        assert_eq!(error.kind, ChatErrorKind::Request, "{form:?}");
        assert_eq!(error.message, "the moon is full", "{form:?}");
        assert_eq!(error.context.status, Some(400), "{form:?}");
        assert!(error.context.body.unwrap().contains("the moon is full"), "{form:?}");
        assert!(error.context.model.ends_with(":m"), "{form:?}");
    }
    // Gemini sends its error in an array where a stream was asked for; FastAPI has a form of its own.
    let rows = [
        (
            Form::Gemini,
            r#"[{"error":{"code":404,"message":"no such model","status":"NOT_FOUND"}}]"#,
            "no such model",
        ),
        (Form::OpenAi, r#"{"detail":"Not Found"}"#, "Not Found"),
        (Form::OpenAi, "", "Not Found"),
    ];
    for (form, body, expected) in rows {
        let server = server([Reply::json(404, body).into()]);
        let error = model(&server, form).stream(&request(), &mut |_| {}).await.unwrap_err();
        assert_eq!(error.kind, ChatErrorKind::NotFound, "{body}");
        assert!(error.message.contains(expected), "{body}: {error}");
    }
}

/// Where a request goes, and its body.
async fn sent(
    form: Form,
    output: Output,
    stream: bool,
    turns: Vec<Reply>,
) -> (String, Value, String) {
    let mut script: Vec<_> = turns.into_iter().map(Into::into).collect();
    if !stream {
        script.insert(0, form.error(400, "streaming is not supported by this model").into());
    }
    let count = script.len();
    script.push(Answer::text("{}").into());
    let server = server(script);
    let mut request = request();
    request.output = output;
    request.max_output_tokens = Some(300);
    request.temperature = Some(0.5);
    let model = model(&server, form);
    model.call(&request).await.unwrap();
    let seen = &server.requests()[count];
    assert_eq!(seen.method, "POST");
    assert_eq!(seen.header("content-type"), Some("application/json"));
    let place = format!("{}?{}", seen.path, seen.query);
    (place.trim_end_matches('?').to_owned(), seen.json(), seen.body.clone())
}

#[tokio::test]
async fn words_are_asked_for_in_each_form() {
    let system = json!({"role": "system", "content": "Be brief."});
    let user = json!({"role": "user", "content": "A city?"});
    let rows = [
        (
            Form::OpenAi,
            "/v1/chat/completions",
            json!({"model": "m", "messages": [system, user], "max_tokens": 300, "temperature": 0.5}),
        ),
        (
            Form::Responses,
            "/v1/responses",
            json!({"model": "m", "instructions": "Be brief.", "input": [user], "store": false,
                "max_output_tokens": 300, "temperature": 0.5}),
        ),
        (
            Form::Anthropic,
            "/v1/messages",
            json!({"model": "m", "system": "Be brief.", "messages": [user], "max_tokens": 300,
                "temperature": 0.5}),
        ),
        (
            Form::Gemini,
            "/v1beta/models/m:generateContent",
            json!({"systemInstruction": {"parts": [{"text": "Be brief."}]},
                "contents": [{"role": "user", "parts": [{"text": "A city?"}]}],
                "generationConfig": {"maxOutputTokens": 300, "temperature": 0.5}}),
        ),
        (
            Form::Ollama,
            "/api/chat",
            json!({"model": "m", "messages": [system, user], "stream": false,
                "options": {"num_predict": 300, "temperature": 0.5}}),
        ),
    ];
    for (form, path, body) in rows {
        let (place, found, _) = sent(form, Output::Text, false, Vec::new()).await;
        assert_eq!((place.as_str(), found), (path, body), "{form:?}");
    }
}

#[tokio::test]
async fn streams_are_asked_for_in_each_form() {
    for (form, expected) in [
        (Form::OpenAi, json!({"stream": true, "stream_options": {"include_usage": true}})),
        (Form::Anthropic, json!({"stream": true})),
        (Form::Gemini, json!({})),
        (Form::Ollama, json!({"stream": true})),
    ] {
        let (place, body, _) = sent(form, Output::Text, true, Vec::new()).await;
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&body[key], value, "{form:?}");
        }
        if form == Form::Gemini {
            assert_eq!(place, "/v1beta/models/m:streamGenerateContent?alt=sse");
        }
    }
}

#[tokio::test]
async fn a_schema_is_asked_for_in_the_best_way_of_each_form() {
    // S1-39: what each provider knows of JSON.
    let rows = [
        (Form::OpenAi, "/response_format/json_schema/schema"),
        (Form::Responses, "/text/format/schema"),
        (Form::Anthropic, "/tools/0/input_schema"),
        (Form::Gemini, "/generationConfig/responseJsonSchema"),
        (Form::Ollama, "/format"),
    ];
    for (form, pointer) in rows {
        let output = Output::Schema(Shape::new("city", SCHEMA));
        let (_, body, text) = sent(form, output, false, Vec::new()).await;
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        assert_eq!(body.pointer(pointer), Some(&schema), "{form:?}: {body}");
        // Its members stand in the order in which the model is to write them.
        assert!(text.contains(SCHEMA), "{form:?}: {text}");
        assert_eq!(text.matches(SCHEMA).count(), 1, "not in the prompt too: {text}");
    }
    let (_, body, _) = sent(Form::Anthropic, shaped().output, false, Vec::new()).await;
    assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "city"}));
    let (_, body, _) = sent(Form::Gemini, shaped().output, false, Vec::new()).await;
    assert_eq!(body["generationConfig"]["responseMimeType"], "application/json");
    let (_, body, _) = sent(Form::OpenAi, shaped().output, false, Vec::new()).await;
    assert_eq!(body["response_format"]["json_schema"]["strict"], false);
}

#[tokio::test]
async fn json_is_asked_for_in_each_form() {
    // S1-39: OpenAI's and Groq's `response_format`, Gemini's MIME type, nothing for Claude.
    let (_, body, _) = sent(Form::OpenAi, Output::Json, false, Vec::new()).await;
    assert_eq!(body["response_format"], json!({"type": "json_object"}));
    let (_, body, _) = sent(Form::Gemini, Output::Json, false, Vec::new()).await;
    assert_eq!(body["generationConfig"]["responseMimeType"], "application/json");
    let (_, body, _) = sent(Form::Ollama, Output::Json, false, Vec::new()).await;
    assert_eq!(body["format"], "json");
    let (_, body, _) = sent(Form::Anthropic, Output::Json, false, Vec::new()).await;
    assert!(body.get("tools").is_none());
    for (form, ..) in FORMS {
        // The prompt asks for JSON alone as well.
        let (.., text) = sent(form, Output::Json, false, Vec::new()).await;
        assert!(text.contains("one JSON object alone, without any other text"), "{form:?}: {text}");
    }
}

#[tokio::test]
async fn a_tool_can_be_asked_for() {
    let output = || Output::Tool(Shape::new("plan", SCHEMA));
    let (_, body, _) = sent(Form::OpenAi, output(), false, Vec::new()).await;
    assert_eq!(body["tools"][0]["function"]["name"], "plan");
    assert_eq!(body["tool_choice"], json!({"type": "function", "function": {"name": "plan"}}));
    let (_, body, _) = sent(Form::Gemini, output(), false, Vec::new()).await;
    assert_eq!(body["tools"][0]["functionDeclarations"][0]["name"], "plan");
    let config = json!({"mode": "ANY", "allowedFunctionNames": ["plan"]});
    assert_eq!(body["toolConfig"]["functionCallingConfig"], config);
    // Ollama cannot be told to call a tool, and has a schema instead.
    let (_, body, _) = sent(Form::Ollama, output(), false, Vec::new()).await;
    assert!(body.get("tools").is_none() && body["format"].is_object());
}

#[tokio::test]
async fn an_earlier_answer_is_sent_as_the_models() {
    for (form, ..) in FORMS {
        let server = server([Answer::text("{}").into()]);
        let mut request = request();
        request.messages.extend([Message::assistant("{bad"), Message::user("Again.")]);
        model(&server, form).call(&request).await.unwrap();
        let body = server.requests()[0].json();
        let keys = ["messages", "contents", "input"];
        let turns = keys.iter().find_map(|key| body.get(key)?.as_array()).unwrap();
        let roles: Vec<_> = turns.iter().map(|turn| turn["role"].as_str().unwrap()).collect();
        let theirs = if form == Form::Gemini { "model" } else { "assistant" };
        assert_eq!(roles[roles.len() - 3..], ["user", theirs, "user"], "{form:?}");
        assert!(turns[turns.len() - 2].to_string().contains("{bad"), "{form:?}");
    }
}

#[tokio::test]
async fn a_schema_that_is_not_json_is_never_sent() {
    let server = server([]);
    let mut request = request();
    request.output = Output::Schema(Shape::new("city", "{'a'}"));
    let error = model(&server, Form::OpenAi).call(&request).await.unwrap_err();
    assert_eq!(error.kind, ChatErrorKind::Request);
    assert!(error.message.contains("the schema of the answer is not JSON"), "{error}");
    assert!(server.requests().is_empty());
}
