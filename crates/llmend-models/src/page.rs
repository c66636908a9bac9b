//! Pages of proxies and web servers in the place of an error.

/// Returns the title of a page, or another text as it is.
pub(crate) fn plain(body: &str) -> String {
    title(body).unwrap_or_else(|| body.to_owned())
}

/// Returns the title of an HTML page, or else its first heading.
fn title(body: &str) -> Option<String> {
    let lower = body.to_ascii_lowercase();
    let is_page = lower.starts_with("<!doctype html") || lower.starts_with("<html");
    let text = |name: &str| {
        let start = lower.find(&format!("<{name}"))?;
        let from = start + lower.get(start..)?.find('>')? + 1;
        let to = from + lower.get(from..)?.find(&format!("</{name}"))?;
        let text = body.get(from..to)?.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty() && !text.contains('<')).then_some(text)
    };
    text("title").or_else(|| text("h1")).filter(|_| is_page)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_page_is_shown_as_its_title() {
        for (body, expected) in [
            (
                "<html>\r\n<head><title>502 Bad\n Gateway</title></head><body><h1>x</h1></body></html>",
                "502 Bad Gateway",
            ),
            ("<!DOCTYPE html><HTML><TITLE lang=en>Log in</TITLE>", "Log in"),
            ("<html><body><center><h1>504</h1></center>", "504"),
            // Nothing that could be shown instead.
            ("<html><title></title>", "<html><title></title>"),
            ("<html><title>a", "<html><title>a"),
            ("<html><title><b>a</b></title>", "<html><title><b>a</b></title>"),
            ("the <title>a</title> is missing", "the <title>a</title> is missing"),
            ("404 page not found", "404 page not found"),
        ] {
            assert_eq!(plain(body), expected);
        }
    }
}
