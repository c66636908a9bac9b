//! Each rule of the table, enabled alone and disabled.

use llmend_json::{ErrorKind, OnBadItem, Options, Policy, Rule, RuleSet, repair_with};

/// Rules whose examples are cut off and need closing brackets as well.
fn helpers(rule: Rule) -> RuleSet {
    let cut = [
        Rule::CutString,
        Rule::CutLiteral,
        Rule::CutNumber,
        Rule::CutEscape,
        Rule::CutMember,
        Rule::CutRepetition,
    ];
    let mut rules = RuleSet::NONE.with(rule);
    if cut.contains(&rule) {
        rules = rules.with(Rule::MissingCloser).with(Rule::CutString);
    }
    match rule {
        // Half a surrogate pair is cut off in a string.
        Rule::UnclosedInside => rules.with(Rule::MissingCloser),
        _ => rules,
    }
}

fn only(rules: RuleSet) -> Options {
    Options { rules, ..Options::policy(Policy::Lenient) }
}

/// Returns the options with which a rule can act.
fn asking_for(rule: Rule, options: Options) -> Options {
    let drops = rule == Rule::UnreadableItem;
    let on_bad_item = if drops { OnBadItem::Drop } else { OnBadItem::Fail };
    Options { on_bad_item, ..options }
}

#[test]
fn each_example_is_repaired_by_its_rule() {
    for &rule in Rule::ALL {
        let (before, after) = rule.example();
        match repair_with(before, &asking_for(rule, only(helpers(rule)))) {
            Ok(out) => {
                assert_eq!(out.text, after, "{rule}");
                assert!(out.report.repairs.iter().any(|repair| repair.rule == rule), "{rule}");
            }
            Err(error) => panic!("{rule}: {error}"),
        }
    }
}

#[test]
fn disabled_rules_are_never_applied() {
    for &rule in Rule::ALL {
        let (before, _) = rule.example();
        let options = asking_for(rule, only(RuleSet::all().without(rule)));
        if let Ok(out) = repair_with(before, &options) {
            assert!(out.report.repairs.iter().all(|repair| repair.rule != rule), "{rule}");
        }
    }
}

/// Returns the errors of an example under the policies `strict` and `extract`.
///
/// Both name the rule, with a few exceptions: without extraction, a text that needs brackets around
/// it is refused for its first token; in a text that is cut off, the open string comes first; and no
/// rule computes an expression.
fn refusals(rule: Rule) -> [ErrorKind; 2] {
    use ErrorKind::{Ambiguous, Expression, Refused, Unexpected};
    let named = Refused(rule);
    match rule {
        Rule::MissingBraces | Rule::MissingOpener => [Ambiguous, named],
        Rule::MissingBrackets
        | Rule::SeveralDocuments
        | Rule::EntityDocument
        | Rule::LinePrefix
        | Rule::EventStream
        | Rule::YamlDocument => [Unexpected, named],
        Rule::EscapedDocument => [Refused(Rule::EscapedQuotes), named],
        Rule::Difference => [Refused(Rule::Bullet), named],
        Rule::MissingDecoding => [Refused(Rule::StrayText), named],
        Rule::CsvDocument => [Refused(Rule::InnerQuotes), named],
        Rule::CutEscape | Rule::CutRepetition => [Refused(Rule::CutString); 2],
        // The inner braces are a value, and one brace is left over.
        Rule::DoubledBraces => [named, Refused(Rule::StrayCloser)],
        Rule::ExpressionAsText | Rule::UnreadableItem => [Expression; 2],
        _ => [named; 2],
    }
}

#[test]
fn strict_refuses_each_example_and_names_its_rule() {
    for &rule in Rule::ALL {
        let (before, _) = rule.example();
        let kinds = [Policy::Strict, Policy::Extract].map(|policy| {
            repair_with(before, &Options::policy(policy)).expect_err(rule.name()).kind()
        });
        assert_eq!(kinds, refusals(rule), "{rule}");
    }
}

#[test]
fn without_the_rule_its_example_is_refused() {
    for &rule in Rule::ALL {
        let (before, after) = rule.example();
        match (rule, repair_with(before, &only(RuleSet::all().without(rule)))) {
            (Rule::ExpressionAsText, Err(error)) => {
                assert_eq!(error.kind(), ErrorKind::Expression);
            }
            // Another rule reads the item.
            (Rule::UnreadableItem, Ok(out)) => assert_eq!(out.text, "[1, \"2 * 3\", 4]"),
            // The inner braces are the value, and the outer ones surround it.
            (Rule::DoubledBraces, Ok(out)) => assert_eq!(out.text, after),
            (_, Err(error)) => assert_eq!(error.kind(), ErrorKind::Refused(rule), "{rule}"),
            (_, Ok(out)) => panic!("{rule}: {before} becomes {} without it", out.text),
        }
    }
}

/// A row of `rules.jsonl`: the result of a text that needs the rule, or of a trap in which the rule
/// must not be applied.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Fixture {
    rule: String,
    text: Option<String>,
    trap: Option<String>,
    json: Option<String>,
}

#[test]
fn each_rule_has_three_fixtures_and_one_is_a_trap() {
    let mut found = vec![(0, 0); Rule::ALL.len()];
    for line in include_str!("rules.jsonl").lines() {
        let row: Fixture = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let rule: Rule = row.rule.parse().unwrap_or_else(|e| panic!("{e}: {line}"));
        let text = row.text.as_ref().xor(row.trap.as_ref()).expect("a text or a trap");
        let out = repair_with(text, &asking_for(rule, Options::policy(Policy::Lenient))).ok();
        assert_eq!(out.as_ref().map(|out| out.text.as_ref()), row.json.as_deref(), "{line}");
        let acts =
            out.is_some_and(|out| out.report.repairs.iter().any(|repair| repair.rule == rule));
        assert_eq!(acts, row.text.is_some(), "{line}");
        let (texts, traps) = &mut found[rule as usize];
        *if row.trap.is_some() { traps } else { texts } += 1;
    }
    for (rule, (texts, traps)) in Rule::ALL.iter().zip(found) {
        assert!(texts >= 2 && traps >= 1, "{rule}: {texts} texts and {traps} traps");
    }
}
