//! The ready-made answers, with their ranges.

use llmend::answers::{
    Answer, AnswerError, Divergent, FileAction, Reflection, TaskResult, TaskStatus, Tree, read,
};

fn codes<T: Answer + std::fmt::Debug>(answer: &str) -> Vec<String> {
    match read::<T>(answer) {
        Err(AnswerError::Unfit { diagnostics, .. }) => diagnostics
            .iter()
            .map(|row| format!("{} {}", row.code, row.path.as_deref().unwrap_or_default()))
            .collect(),
        other => panic!("{answer}: {other:?}"),
    }
}

#[test]
fn the_three_answers_of_a_reasoning_server_are_read() {
    // S4-17: three typed responses; S4-06: a plain block.
    let divergent = read::<Divergent>(
        "```\n{'perspectives': [{'thought': 'x', 'novelty': '0.5', 'viability': 1}], 'synthesis': 'y'}\n```",
    )
    .unwrap();
    assert_eq!(divergent.value.perspectives[0].assumptions_challenged, None);
    assert_eq!(divergent.coercions.len(), 1);
    let tree = read::<Tree>(
        r#"Here: {"branches": [{"thought": "a", "confidence": 0.5, "rationale": "b"}], "recommended_branch": "0"}"#,
    )
    .unwrap();
    assert_eq!(tree.value.recommended_branch, 0);
    let reflection = read::<Reflection>(
        r#"{"analysis": "a", "strengths": "clear", "weaknesses": [], "recommendations": [], "confidence": 1}"#,
    )
    .unwrap();
    assert_eq!(reflection.value.strengths, ["clear"]);
}

#[test]
fn ranges_are_checked() {
    assert_eq!(
        codes::<Divergent>(
            r#"{"perspectives": [{"thought": "x", "novelty": 1.5, "viability": -1}], "synthesis": "y"}"#
        ),
        ["schema/range /perspectives/0/novelty", "schema/range /perspectives/0/viability"]
    );
    assert_eq!(
        codes::<Divergent>(r#"{"perspectives": [], "synthesis": "y"}"#),
        ["schema/length /perspectives"]
    );
    assert_eq!(
        codes::<Tree>(
            r#"{"branches": [{"thought": "a", "confidence": 0.5, "rationale": "b"}], "recommended_branch": 1}"#
        ),
        ["answer/branch /recommended_branch"]
    );
    assert_eq!(
        codes::<Reflection>(
            r#"{"analysis": "a", "strengths": [], "weaknesses": [], "recommendations": [], "confidence": 0, "quality_score": 2}"#
        ),
        ["schema/range /quality_score"]
    );
}

#[test]
fn a_status_is_never_assumed() {
    let result = read::<TaskResult>(
        "{status: 'In Progress', changes: [{path: 'src/a.py', action: 'Modify'}], notes: 'half'}",
    )
    .unwrap()
    .value;
    assert_eq!(result.status, TaskStatus::InProgress);
    assert_eq!((result.changes[0].action, result.tests_passed), (FileAction::Modify, None));
    assert_eq!(codes::<TaskResult>(r#"{"notes": "all completed"}"#), ["schema/required "]);
    assert_eq!(codes::<TaskResult>(r#"{"status": "not completed"}"#), ["schema/enum /status"]);
}

#[test]
fn messages_name_the_answer_and_the_stage() {
    // S4-15: extraction and fitting have different messages; S4-16: the messages name the mode.
    let refusal = read::<Tree>("I apologize, but I cannot do that.").unwrap_err().to_string();
    assert!(refusal.starts_with("cannot extract the tree answer: "), "{refusal}");
    // S4-21: and they show the text.
    assert!(refusal.contains("I apologize"), "{refusal}");
    let unfit = read::<Reflection>(r#"{"analysis": "a"}"#).unwrap_err().to_string();
    assert!(unfit.starts_with("invalid reflection answer: "), "{unfit}");
}
