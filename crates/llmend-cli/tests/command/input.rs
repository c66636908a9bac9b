//! Input that is no text, too much, or not there; output that nobody takes.

use std::{
    fs::File,
    io::{Read, Write},
    process::Stdio,
    thread,
};

use crate::process::{Run, Scratch, command, finish, run};

/// Standard output, but for the report of a refusal, which is the end of every stream.
fn value_of(run: &Run) -> &str {
    if run.stdout.starts_with(r#"{"final":{"status":"refused","json":null,"#) {
        return "";
    }
    &run.stdout
}

#[test]
fn a_file_or_a_dash_or_nothing() {
    let scratch = Scratch::new();
    let path = scratch.file("answer.txt", "{'a': 1}");
    let file = run(&format!("repair --quiet {}", path.display()), "").expect(0);
    assert_eq!(file.stdout, "{\"a\": 1}\n");
    assert_eq!(run("repair --quiet -", "{'a': 1}").expect(0).stdout, file.stdout);
    assert_eq!(run("repair --quiet", "{'a': 1}").expect(0).stdout, file.stdout);
}

#[test]
fn what_cannot_be_read_is_named() {
    let scratch = Scratch::new();
    for (path, code) in [
        (scratch.path().join("none"), "input/not-found"),
        (scratch.path().into(), "input/directory"),
    ] {
        for subcommand in ["repair", "batch", "stream", "plan", "workflow check"] {
            let run = run(&format!("{subcommand} {}", path.display()), "").expect(3);
            assert_eq!(value_of(&run), "");
            assert!(run.stderr.contains(code), "{}", run.stderr);
            assert!(run.stderr.contains(&path.display().to_string()), "{}", run.stderr);
        }
    }
}

#[test]
fn an_empty_text_is_refused_as_such() {
    for text in ["", " \n\t\n"] {
        let run = run("repair", text).expect(1);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains("error[extract/empty]"), "{}", run.stderr);
    }
}

#[test]
fn bytes_that_are_not_text_are_refused_with_their_place() {
    let invalid = run("repair", b"{\"a\": \"\xff\xfe\"}").expect(1);
    assert!(invalid.stderr.contains("error[input/utf8]"), "{}", invalid.stderr);
    assert!(invalid.stderr.contains("<stdin>:1:8"), "{}", invalid.stderr);
    let binary: Vec<u8> = (0..=255).cycle().take(4096).collect();
    let refused = run("repair --report json", &binary).expect(1);
    assert_eq!(refused.json()["error"]["code"], "input/utf8");
    let wide: Vec<u8> =
        b"\xff\xfe".iter().copied().chain("[1]".bytes().flat_map(|byte| [byte, 0])).collect();
    let refused = run("repair", &wide).expect(1);
    assert!(refused.stderr.contains("UTF-16"), "{}", refused.stderr);
}

#[test]
fn binary_that_happens_to_be_text_reaches_no_terminal_raw() {
    let run = run("repair --explain", "\0\u{1}\u{1b}[2Jnothing\u{7f}\u{9b}").expect(1);
    let raw = |c: char| c.is_control() && c != '\n';
    assert!(!run.stderr.contains(raw), "{:?}", run.stderr);
}

#[test]
fn a_text_beyond_the_limit_is_not_read_to_its_end() {
    // An input without an end: the command stops reading at the limit.
    let mut child = command("repair --max-bytes 100000")
        .stdin(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let feeder = thread::spawn(move || {
        let mut sent = 0_u64;
        while pipe.write_all(&[b'['; 4096]).is_ok() {
            sent += 4096;
        }
        sent
    });
    let run = finish(child, b"").expect(1);
    assert!(run.stderr.contains("error[limit/bytes]"), "{}", run.stderr);
    // What was sent beyond it is what a pipe holds.
    assert!(feeder.join().expect("the feeder ends") < 10_000_000);
}

#[test]
fn a_gigabyte_is_refused_by_its_size() {
    let scratch = Scratch::new();
    let path = scratch.file("huge.json", "");
    File::options()
        .write(true)
        .open(&path)
        .and_then(|file| file.set_len(1 << 30))
        .expect("a sparse file");
    let run = run(&format!("repair {}", path.display()), "").expect(1);
    assert!(run.stderr.contains("error[limit/bytes]"), "{}", run.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let text = format!("[{}1,]", "\"some text\", ".repeat(100_000));
    let line = format!("{}\n", serde_json::Value::String(text.clone()));
    let batch = line.repeat(8);
    for (arguments, stdin) in [
        ("repair", text.as_str()),
        ("repair --report json", &text),
        ("batch", &batch),
        ("stream", &text),
        ("stream --chunk 4", &text),
        ("rules", ""),
        ("--help", ""),
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let child = command(arguments)
            .stdin(Stdio::piped())
            .stdout(writer)
            .spawn()
            .expect("the command starts");
        let run = finish(child, stdin.as_bytes());
        assert!(
            !run.stderr.contains("error") && !run.stderr.contains("panicked"),
            "{arguments}: {}",
            run.stderr
        );
        assert_eq!(run.code, Some(if arguments == "--help" { 0 } else { 3 }), "{arguments}");
    }
}

#[test]
fn a_reader_that_stops_early_ends_the_batch() {
    let mut child = command("batch").stdin(Stdio::piped()).spawn().expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    // Lines without an end: only the command can end this.
    let feeder = thread::spawn(move || while pipe.write_all(b"\"[1,]\"\n").is_ok() {});
    let mut first = [0; 64];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("the first objects come");
    assert!(first.starts_with(b"{\"line\":1,"), "{}", String::from_utf8_lossy(&first));
    let run = finish(child, b"").expect(3);
    assert_eq!(run.stderr, "");
    feeder.join().expect("the feeder ends");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    for arguments in
        ["repair", "repair --report json", "batch", "stream", "rules", "completions bash"]
    {
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        let child = command(arguments)
            .stdin(Stdio::piped())
            .stdout(full)
            .spawn()
            .expect("the command starts");
        let run = finish(child, b"\"[1,]\"\n").expect(3);
        assert!(
            run.stderr.contains("cannot write to standard output"),
            "{arguments}: {}",
            run.stderr
        );
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_breaks_off_is_an_error() {
    // Its first byte can be opened and not be read.
    for subcommand in ["repair", "plan", "batch", "stream"] {
        let run = run(&format!("{subcommand} /proc/self/mem"), "").expect(3);
        assert_eq!(value_of(&run), "");
        assert!(run.stderr.contains("error[input/failed]"), "{}", run.stderr);
    }
}

#[test]
fn nobody_listening_to_standard_error_changes_nothing() {
    let mut child =
        command("repair --explain").stdin(Stdio::piped()).spawn().expect("the command starts");
    drop(child.stderr.take());
    let run = finish(child, b"{'a': 1,}").expect(0);
    assert_eq!(run.stdout, "{\"a\": 1}\n");
}
