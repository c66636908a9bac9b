//! Lists of rules, policies, coercions and dialects.

use llmend::json::Rule;
use llmend::{CoercionKind, Dialect, Policy};
use serde_json::{Value, json};

/// Returns `rules`, `policies`, `coercions` and `dialects`: `GET /v1/rules`.
pub fn rules() -> Value {
    let rule = |rule: &Rule| {
        let (before, after) = rule.example();
        json!({
            "name": rule.name(),
            "class": rule.class(),
            "doc": rule.doc(),
            "before": before,
            "after": after,
        })
    };
    let policy = |policy: Policy| {
        let rules: Vec<&str> = policy.rules().iter().map(Rule::name).collect();
        json!({"name": policy.as_str(), "doc": policy.doc(), "rules": rules})
    };
    let coercion = |kind: &CoercionKind| json!({"name": kind.name(), "doc": kind.doc()});
    json!({
        "rules": Rule::ALL.iter().map(rule).collect::<Value>(),
        "policies": Policy::ALL.map(policy),
        "policy": Policy::default().as_str(),
        "coercions": CoercionKind::ALL.iter().map(coercion).collect::<Value>(),
        "dialects": Dialect::ALL.map(Dialect::as_str),
    })
}
