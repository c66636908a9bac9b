//! Recognition of paths however they are written.
//!
//! Servers differ in how they read escapes, slashes, dots and capitals. A path that is refused has
//! to be refused in every spelling.

/// The paths whose responses are inspected.
const INSPECTED: [&str; 3] = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

/// Returns the inspected path that some server may take `path` for. It is below `/v1`, which a base
/// URL may repeat.
pub(crate) fn inspected_path(path: &str) -> Option<&'static str> {
    let plain = plain(path);
    let plain = plain.iter().skip_while(|part| *part == "v1");
    let is_meant = |known: &&str| plain.clone().map(String::as_str).eq(known.split('/').skip(2));
    INSPECTED.into_iter().find(|known| is_meant(known))
}

/// Returns a path below `/v1` as the most permissive server reads it.
pub(crate) fn plain_path(path: &str) -> String {
    let parts = plain(path).into_iter().skip_while(|part| part == "v1");
    parts.fold(String::new(), |all, part| all + "/" + &part)
}

/// Whether some server may take a segment for `.` or `..`.
pub(crate) fn has_dots(path: &str) -> bool {
    parts(&unescaped(path)).any(|part| matches!(without_parameters(part), "." | ".."))
}

/// Returns the segments of a path as the most permissive server reads them.
fn plain(path: &str) -> Vec<String> {
    let path = unescaped(path).to_lowercase();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let is_blank = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '.';
    let parts = parts(path).map(|part| without_parameters(part).trim_matches(is_blank));
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\'])
}

fn without_parameters(part: &str) -> &str {
    part.split(';').next().unwrap_or_default()
}

/// Resolves all escapes of a path, nested ones too.
fn unescaped(path: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(path.len());
    for byte in path.bytes() {
        bytes.push(byte);
        while let [.., b'%', high, low] = *bytes.as_slice()
            && let (Some(high), Some(low)) = (digit(high), digit(low))
        {
            bytes.truncate(bytes.len() - 3);
            bytes.push(high * 16 + low);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::{has_dots, inspected_path};

    #[test]
    fn an_inspected_path_is_recognized_in_every_spelling() {
        let rows = [
            ("/chat/completions", Some("/v1/chat/completions")),
            ("//chat//completions/", Some("/v1/chat/completions")),
            ("/chat/%63ompletions", Some("/v1/chat/completions")),
            ("/chat/%2563ompletions", Some("/v1/chat/completions")),
            ("/chat/%%363ompletions", Some("/v1/chat/completions")),
            ("/chat%2Fcompletions", Some("/v1/chat/completions")),
            ("/chat\\completions", Some("/v1/chat/completions")),
            ("/Chat/Completions", Some("/v1/chat/completions")),
            ("/chat/./completions", Some("/v1/chat/completions")),
            ("/chat/completions.", Some("/v1/chat/completions")),
            ("/chat/completions%20", Some("/v1/chat/completions")),
            ("/chat/completions%00", Some("/v1/chat/completions")),
            ("/chat;a=b/completions;c", Some("/v1/chat/completions")),
            ("/chat/completions%3Fx", Some("/v1/chat/completions")),
            ("/v1/chat/completions", Some("/v1/chat/completions")),
            ("/%76%31/responses", Some("/v1/responses")),
            ("/mess%61ges", Some("/v1/messages")),
            ("/messages/batches", None),
            ("/messages/count_tokens", None),
            ("/responses/resp_1/cancel", None),
            ("/chat/completions/x", None),
            ("/chat", None),
            ("/completions", None),
            ("/files/100%", None),
            ("/files/%zz", None),
            ("/v1", None),
            ("", None),
        ];
        for (path, expected) in rows {
            assert_eq!(inspected_path(path), expected, "{path}");
        }
    }

    #[test]
    fn dot_segments_are_recognized_in_every_spelling() {
        for path in ["a/../b", "a/%2e%2E/b", "a/%252e./b", "a/..;/b", "a%2f..", "a\\..\\b", "./a"] {
            assert!(has_dots(path), "{path}");
        }
        for path in ["a/b", "a/b.c", "a/...", "a;..", "%2f"] {
            assert!(!has_dots(path), "{path}");
        }
    }
}
