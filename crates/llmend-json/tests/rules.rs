//! Does each rule of the table do what it says, alone, and nothing when it is off?

use llmend_json::{ErrorKind, Options, Policy, Rule, RuleSet, Search, repair_with};

/// Rules whose example shows the end of a text, which needs the closers as well.
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
        // Half a surrogate pair breaks off in a string.
        Rule::UnclosedInside => rules.with(Rule::MissingCloser),
        _ => rules,
    }
}

fn only(rules: RuleSet) -> Options {
    Options { rules, ..Options::policy(Policy::Lenient) }
}

#[test]
fn each_example_is_mended_by_its_rule() {
    for &rule in Rule::ALL {
        let (before, after) = rule.example();
        match repair_with(before, &only(helpers(rule))) {
            Ok(out) => {
                assert_eq!(out.text, after, "{rule}");
                assert!(out.report.repairs.iter().any(|repair| repair.rule == rule), "{rule}");
            }
            Err(error) => panic!("{rule}: {error}"),
        }
    }
}

#[test]
fn a_rule_that_is_off_never_appears() {
    for &rule in Rule::ALL {
        let (before, _) = rule.example();
        if let Ok(out) = repair_with(before, &only(RuleSet::all().without(rule))) {
            assert!(out.report.repairs.iter().all(|repair| repair.rule != rule), "{rule}");
        }
    }
}

#[test]
fn strict_refuses_each_example() {
    let strict = Options { search: Search::Off, ..Options::policy(Policy::Strict) };
    for &rule in Rule::ALL {
        let (before, _) = rule.example();
        let error = repair_with(before, &strict).expect_err(rule.name());
        if let ErrorKind::Refused(named) = error.kind() {
            let allowed = only(helpers(rule).with(named));
            assert!(repair_with(before, &allowed).is_ok(), "{rule}: {named} would not let it pass");
        }
    }
}
