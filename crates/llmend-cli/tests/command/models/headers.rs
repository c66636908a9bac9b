//! Secrets in the headers of the settings.

use llmend_model_server::{Form, ModelServer};

use super::place;

const PLANTED: &str = "planted-in-a-header";

#[test]
fn a_secret_in_a_header_is_shown_nowhere_and_known_of() {
    for (header, value, help) in [
        (
            "authorization",
            "Bearer planted-in-a-header",
            "The key is that in the header `authorization`",
        ),
        (
            "x-proxy-key",
            PLANTED,
            "No key was sent besides what the settings put into `x-proxy-key`. ",
        ),
    ] {
        let own =
            format!("[headers]\n{header} = \"{value}\"\nuser-agent = \"mine/1.0-of-the-house\"\n");
        let place = place(&own, "");
        let said = format!("Incorrect API key {PLANTED} of mine/1.0-of-the-house");
        let server = ModelServer::scripted([Form::OpenAi.error(401, &said).into()]);
        let ask = format!(
            "ask --schema s.json --record r.jsonl --report json --model openai+{}/v1:m {PLANTED}?",
            server.url()
        );
        let run = place.run(&ask, &[], "").expect(3);
        assert_eq!(server.requests()[0].header(header), Some(value));
        let record = place.read("project/deep/inside/r.jsonl");
        for (what, text) in [("stderr", &run.stderr), ("stdout", &run.stdout), ("record", &record)]
        {
            assert!(!text.contains(PLANTED), "{header}: {what}: {text}");
            assert!(text.contains("[REDACTED]"), "{header}: {what}: {text}");
        }
        // What is no secret stays, since the message may be about it.
        assert!(run.stderr.contains("of mine/1.0-of-the-house"), "{}", run.stderr);
        assert!(run.stderr.contains(help), "{help}: {}", run.stderr);
        let shown = place.run(&format!("{ask} --dry-run"), &[], "").expect(0).stdout;
        assert!(shown.contains(&format!("{header}: [hidden]\n")), "{shown}");
    }
}
