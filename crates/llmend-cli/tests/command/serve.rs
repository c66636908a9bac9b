//! `llmend serve` says what is wrong with its configuration, and answers until it is asked to stop.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process;

use crate::process::{Run, Scratch, command, run};

fn checked(config: &str, flags: &str) -> Run {
    let scratch = Scratch::new();
    let path = scratch.file("llmend.toml", config);
    run(&format!("serve --check --config {} {flags}", path.display()), "")
}

#[test]
fn a_configuration_is_tested_without_being_served() {
    let sound = "[gateway.upstreams.a]\nbase_url = \"http://127.0.0.1:1/v1\"\n";
    let said = checked(sound, "").expect(0).stderr;
    assert!(said.contains("configuration valid: upstreams 1"), "{said}");
    let said = checked(&format!("[gateway]\nlisen = 1\n{sound}"), "").expect(1).stderr;
    assert!(said.contains("did you mean `listen`?"), "{said}");
    let models = "[headers]\nx-team = \"seven\"\n[models.\"openai:m\"]\nprice = \"1/2 EUR\"\noutput_limit = 9\n";
    let said = checked(&format!("{models}{sound}"), "").expect(0).stderr;
    assert!(said.contains("upstreams 1, routes 0, models 1"), "{said}");
    for (models, expected) in [
        ("[models.m]\npirce = \"1/2\"\n", "models.m: unknown setting `pirce`; did you mean price?"),
        (
            "[models.m]\noutput_limit = \"many\"\n",
            "models.m: invalid value \"many\" for `output_limit`",
        ),
        ("[headers]\nhost = \"x\"\n", "headers.host: the gateway sets this header itself"),
        ("[model.m]\nprice = \"1/2\"\n", "unknown section `[model]`"),
    ] {
        let said = checked(&format!("{models}{sound}"), "").expect(1).stderr;
        assert!(said.contains(expected), "{said}");
    }
    let said = checked(sound, "--listen 0.0.0.0:80").expect(1).stderr;
    assert!(said.contains("there are no client keys"), "{said}");
    let said = run("serve --config /no/such/file", "").expect(3).stderr;
    assert!(said.contains("/no/such/file"), "{said}");
    let said = run("serve", "").expect(2).stderr;
    assert!(said.contains("--upstream URL"), "{said}");
}

#[test]
fn a_journal_that_cannot_be_opened_is_reported_and_nothing_is_left_of_one_that_can() {
    let sound = "[gateway.upstreams.a]\nbase_url = \"http://127.0.0.1:1/v1\"\n";
    let scratch = Scratch::new();
    let config = scratch.file("llmend.toml", sound);
    let foreign = scratch.file("foreign.db", "no journal");
    let new = config.with_file_name("new.db");
    let nowhere = config.with_file_name("no-folder").join("a.db");
    for (journal, code, word) in [
        (&new, 0, "configuration valid"),
        (&foreign, 3, "not a journal of llmend"),
        (&nowhere, 3, "cannot open the journal"),
    ] {
        let command =
            format!("serve --check --config {} --journal {}", config.display(), journal.display());
        let said = run(&command, "").expect(code).stderr;
        assert!(said.contains(word), "{said}");
    }
    assert!(!new.exists());
    assert_eq!(std::fs::read_to_string(foreign).unwrap(), "no journal");
}

#[cfg(unix)]
#[test]
fn it_answers_until_it_is_asked_to_stop() {
    let mut child =
        command("serve --listen 127.0.0.1:0 --upstream http://127.0.0.1:1/v1").spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    let address = said.trim().trim_start_matches("llmend: serving http://").trim_end_matches("/v1");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"ok\""), "{answer}");
    // What it listens on is asked of a configuration too, without what else stands in it.
    let scratch = Scratch::new();
    let port = address.rsplit(':').next().unwrap();
    let config = scratch.file("llmend.toml", format!("[gateway]\nlisten = \"0.0.0.0:{port}\"\n"));
    let by_file = format!("serve --probe --config {}", config.display());
    let by_flag = format!("serve --probe --listen {address}");
    for probe in [&by_file, &by_flag] {
        run(probe, "").expect(0);
    }
    let asked = process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(asked.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    for probe in [&by_file, &by_flag] {
        let said = run(probe, "").expect(1).stderr;
        assert!(said.contains(&format!("http://{address}/healthz: ")), "{said}");
    }
}

#[test]
fn who_answers_something_else_is_not_alive() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let answering = std::thread::spawn(move || {
        for answer in ["HTTP/1.1 503 Service Unavailable\r\n\r\n", "SSH-2.0-OpenSSH\r\n"] {
            let (mut stream, _) = server.accept().unwrap();
            // To its end, since who closes a connection with something unread resets it.
            let head = BufReader::new(&stream).lines().map_while(Result::ok);
            let head: Vec<String> = head.take_while(|line| !line.is_empty()).collect();
            assert!(head[0].starts_with("GET /healthz "), "{head:?}");
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    for found in ["found `503`", "found `SSH-2.0-OpenSSH`"] {
        let said = run(&format!("serve --probe --listen {address}"), "").expect(1).stderr;
        assert!(said.contains(found), "{said}");
    }
    answering.join().unwrap();
}

#[test]
fn prompts_are_replaced_for_the_gateway_too() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path().join("mine")).expect("a folder");
    scratch.file("mine/retry-full.md", "Once more, with <<nothing>>.\n");
    let config =
        "prompts = \"mine\"\n[gateway.upstreams.a]\nbase_url = \"http://127.0.0.1:1/v1\"\n";
    let path = scratch.file("llmend.toml", config);
    let said = run(&format!("serve --check --config {}", path.display()), "").expect(2).stderr;
    assert!(said.contains("retry-full") && said.contains("<<nothing>>"), "{said}");
}
