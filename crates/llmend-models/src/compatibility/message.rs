//! The words of an error, without its codes.

use serde_json::Value;

/// Members that hold codes and names.
const CODES: [&str; 9] =
    ["code", "error_code", "id", "model", "param", "request_id", "status", "status_code", "type"];

/// Returns the texts in the body of an error, without numbers and codes, which would look like limits: JSON
/// inside of a text too, as proxies pass it on. A body of another form is a text as a whole.
pub(super) fn of(body: &str) -> String {
    let mut texts = Vec::new();
    collect(&Value::from(body), &mut texts);
    texts.join("\n")
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => collect(&inner, texts),
            _ => texts.push(text.clone()),
        },
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => {
            let is_text = |(name, _): &(&String, _)| !CODES.contains(&name.as_str());
            members.iter().filter(is_text).for_each(|(_, value)| collect(value, texts));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn codes_are_no_part_of_a_message() {
        for (body, expected) in [
            (
                r#"{"object":"error","message":"too large","type":"x","param":null,"code":400}"#,
                "too large\nerror",
            ),
            (r#"{"error":{"message":"at most 5","code":"3051"}}"#, "at most 5"),
            (r#"{"error":"model m has 5"}"#, "model m has 5"),
            (
                r#"{"detail":[{"loc":["body","max_tokens"],"msg":"less than 5","input":9}]}"#,
                "body\nmax_tokens\nless than 5",
            ),
            (
                r#"{"error":{"message":"failed","metadata":{"raw":"{\"message\":\"at most 5\",\"code\":400}"}}}"#,
                "failed\nat most 5",
            ),
            ("plain 400", "plain 400"),
            ("", ""),
        ] {
            assert_eq!(of(body), expected, "{body}");
        }
    }
}
