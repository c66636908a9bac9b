//! Why a connection failed, in plain words.

use std::error::Error;
use std::io;

/// What the innermost errors of connections say, and what it means.
const KNOWN: [(&str, &str); 12] = [
    ("connection refused", "nothing listens there"),
    ("connection reset", "the connection was reset"),
    ("broken pipe", "the connection was closed"),
    ("no route to host", "there is no route to the host"),
    ("network is unreachable", "the network is unreachable"),
    ("failed to lookup address", "the name of the host cannot be resolved"),
    ("no such host", "the name of the host cannot be resolved"),
    ("invalid peer certificate", "its certificate is not accepted"),
    ("corrupt message", "it does not speak TLS; try http://"),
    ("connection closed before message completed", "it sent no answer"),
    ("before message length reached", "the answer ended early"),
    ("unexpected eof", "the answer ended early"),
];

/// Returns the reason of an error of the HTTP client: the innermost one, which the others wrap.
pub(crate) fn reason(error: &(dyn Error + 'static)) -> String {
    let innermost = innermost(error);
    let said = innermost.to_string();
    let lower = said.to_ascii_lowercase();
    match KNOWN.iter().find(|(part, _)| lower.contains(part)) {
        // The kind of a certificate's fault says what to do.
        Some(("invalid peer certificate", meaning)) => {
            let detail = said.split_once(": ").map_or("", |(_, detail)| detail);
            format!("{meaning} ({detail})")
        }
        Some((_, meaning)) => (*meaning).to_owned(),
        None => said.split(" (os error").next().unwrap_or_default().to_owned(),
    }
}

/// Returns the last error of a chain, also where one is inside of an error of input or output.
fn innermost<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    let mut error = error;
    loop {
        let inside = error.downcast_ref::<io::Error>().and_then(|error| error.get_ref());
        let inside = inside.map(|error| error as &(dyn Error + 'static));
        match inside.or_else(|| error.source()) {
            Some(next) => error = next,
            None => return error,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::io;

    use super::reason;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Link {
        text: &'static str,
        source: Option<Box<dyn Error + Send + Sync>>,
    }

    /// Wraps an error as the HTTP client does.
    fn wrapped(source: impl Into<Box<dyn Error + Send + Sync>>) -> Link {
        let inner = Link { text: "client error (Connect)", source: Some(source.into()) };
        Link { text: "error sending request", source: Some(inner.into()) }
    }

    #[test]
    fn the_innermost_error_is_said_in_plain_words() {
        let certificate = io::Error::other("invalid peer certificate: UnknownIssuer");
        let rows: [(Link, &str); 7] = [
            (wrapped(io::Error::from_raw_os_error(111)), "nothing listens there"),
            (
                wrapped("failed to lookup address information: Name or service not known"),
                "the name of the host cannot be resolved",
            ),
            (wrapped(certificate), "its certificate is not accepted (UnknownIssuer)"),
            (
                wrapped("received corrupt message of type InvalidContentType"),
                "it does not speak TLS; try http://",
            ),
            (wrapped("connection closed before message completed"), "it sent no answer"),
            (wrapped("end of file before message length reached"), "the answer ended early"),
            (wrapped("Something else (os error 7)"), "Something else"),
        ];
        for (error, expected) in rows {
            assert_eq!(reason(&error), expected);
        }
    }
}
