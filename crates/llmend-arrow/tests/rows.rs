//! What becomes of a column, whatever stands in its rows.

use std::{num::NonZero, sync::Arc};

use arrow_array::{
    Array, BinaryArray, BinaryViewArray, DictionaryArray, Int64Array, LargeBinaryArray,
    LargeStringArray, NullArray, StringArray, StringViewArray, StructArray,
    cast::AsArray,
    types::{Int8Type, Int64Type, UInt32Type},
};
use llmend::{FitOptions, Schema, fit_with, repair_with};
use llmend_arrow::{Columns, Job, Row, Texts};

const ANSWERS: [Option<&str>; 8] = [
    Some("{\"a\": 1}"),
    Some("Sure:\n```json\n{'a': 1,}\n```"),
    Some("I cannot help with that."),
    None,
    Some(""),
    Some("é日 {'a': \"x\", 'b': [1, 2"),
    Some("{\"a\": \"1\"}"),
    Some("{a: [1, 2]}"),
];

fn repaired(job: &Job, array: &dyn Array) -> StructArray {
    job.repair(&Texts::of(array).expect("texts")).expect("few")
}

fn text(rows: &StructArray, column: &str, at: usize) -> Option<String> {
    let column = rows.column_by_name(column).expect(column).as_string::<i32>();
    column.is_valid(at).then(|| column.value(at).to_owned())
}

#[test]
fn a_row_says_what_the_library_says_of_its_text() {
    let rows = repaired(&Job::default(), &StringArray::from(ANSWERS.to_vec()));
    assert_eq!(rows.len(), ANSWERS.len());
    for (at, answer) in ANSWERS.iter().enumerate() {
        let Some(answer) = answer else {
            assert!(rows.is_null(at));
            continue;
        };
        assert!(rows.is_valid(at));
        let errors = rows.column_by_name("error").unwrap().as_struct();
        match repair_with(answer, &FitOptions::default().text) {
            Ok(made) => {
                assert_eq!(text(&rows, "value", at).as_deref(), Some(&*made.text));
                assert_eq!(text(&rows, "status", at).as_deref(), Some(made.report.status.as_str()));
                let class = made.report.class.map(|class| class.as_str().to_owned());
                assert_eq!(text(&rows, "class", at), class);
                let cut = rows.column_by_name("truncated").unwrap().as_boolean().value(at);
                assert_eq!(cut, made.report.truncated(), "{answer}");
                let repairs = rows.column_by_name("repairs").unwrap().as_list::<i32>().value(at);
                assert_eq!(repairs.len(), made.report.repairs.len(), "{answer}");
                assert!(errors.is_null(at));
            }
            Err(error) => {
                assert_eq!(text(&rows, "value", at), None);
                assert_eq!(text(&rows, "status", at).as_deref(), Some("refused"));
                assert_eq!(text(errors, "code", at).as_deref(), Some(error.code()));
            }
        }
    }
}

#[test]
fn places_are_counted_in_characters() {
    let answer = "é日 {'a': 1}";
    let rows = repaired(&Job::default(), &StringArray::from(vec![answer]));
    let repairs = rows.column_by_name("repairs").unwrap().as_list::<i32>().value(0);
    let starts: &Int64Array =
        repairs.as_struct().column_by_name("start").unwrap().as_primitive::<Int64Type>();
    let made = repair_with(answer, &FitOptions::default().text).unwrap();
    let expected = made.report.repairs.iter().map(|it| answer[..it.span.start].chars().count());
    let expected: Vec<i64> = expected.map(|count| i64::try_from(count).unwrap()).collect();
    assert!(expected[0] < i64::try_from(made.report.repairs[0].span.start).unwrap());
    assert_eq!(starts.values().to_vec(), expected);
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let schema = Schema::from_text(
        r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}"#,
    );
    let schema = schema.expect("a schema");
    let job = Job { schema: Some(schema.clone()), ..Job::default() };
    let rows = repaired(&job, &StringArray::from(ANSWERS.to_vec()));
    assert_eq!(text(&rows, "status", 6).as_deref(), Some("coerced"));
    assert_eq!(text(&rows, "value", 6).as_deref(), Some("{\"a\": 1}"));
    assert_eq!(text(&rows, "status", 5).as_deref(), Some("refused"));
    let unfit = fit_with(ANSWERS[5].unwrap(), &schema, &FitOptions::default()).unwrap();
    let errors = rows.column_by_name("error").unwrap().as_struct();
    assert_eq!(text(errors, "code", 5).as_deref(), Some(unfit.violations[0].code));
    assert!(!text(errors, "message", 5).unwrap().is_empty());
}

#[test]
fn each_kind_of_texts_and_each_number_of_threads_gives_the_same() {
    let many: Vec<_> = ANSWERS.iter().cycle().take(1000).copied().collect();
    let expected = repaired(&Job::default(), &StringArray::from(many.clone()));
    for threads in [1, 2, 3, 7, 2000] {
        let job = Job { threads: NonZero::new(threads).unwrap(), ..Job::default() };
        assert_eq!(repaired(&job, &StringArray::from(many.clone())), expected, "{threads}");
        assert_eq!(repaired(&job, &LargeStringArray::from(many.clone())), expected);
        assert_eq!(repaired(&job, &StringViewArray::from(many.clone())), expected);
    }
    let bytes: Vec<_> = many.iter().map(|text| text.map(str::as_bytes)).collect();
    assert_eq!(repaired(&Job::default(), &BinaryArray::from(bytes.clone())), expected);
    assert_eq!(repaired(&Job::default(), &LargeBinaryArray::from(bytes.clone())), expected);
    assert_eq!(repaired(&Job::default(), &BinaryViewArray::from(bytes)), expected);
    let named: DictionaryArray<UInt32Type> = many.iter().copied().collect();
    assert_eq!(repaired(&Job::default(), &named), expected);
    assert_eq!(repaired(&Job::default(), &named.slice(3, 500)), expected.slice(3, 500));
    // A slice of an array begins somewhere else.
    let sliced = StringArray::from(many).slice(3, 500);
    assert_eq!(repaired(&Job::default(), &sliced), expected.slice(3, 500));
}

#[test]
fn an_empty_column_and_another_type_are_no_surprise() {
    let rows = repaired(&Job::default(), &StringArray::from(Vec::<Option<&str>>::new()));
    assert!(rows.is_empty());
    let error = Texts::of(&Int64Array::from(vec![1])).unwrap_err();
    assert_eq!(error.to_string(), "expected a column of string, binary or null, found Int64");
    let numbers =
        DictionaryArray::<Int8Type>::new(vec![0].into(), Arc::new(Int64Array::from(vec![1])));
    assert!(!Texts::are(numbers.data_type()) && Texts::of(&numbers).is_err());
}

#[test]
fn a_column_that_happens_to_be_all_null_has_rows() {
    let expected = repaired(&Job::default(), &StringArray::new_null(3));
    assert_eq!(expected.null_count(), 3);
    assert_eq!(repaired(&Job::default(), &NullArray::new(3)), expected);
    let nulls: Vec<Option<&str>> = vec![None; 3];
    let named: DictionaryArray<Int8Type> = nulls.into_iter().collect();
    assert_eq!(repaired(&Job::default(), &named), expected);
    let of_nulls = DictionaryArray::<Int8Type>::new(vec![0; 3].into(), Arc::new(NullArray::new(1)));
    assert!(Texts::are(of_nulls.data_type()));
    assert_eq!(repaired(&Job::default(), &of_nulls), expected);
}

#[test]
fn what_is_no_utf_8_is_a_row_that_says_so() {
    let answers: Vec<&[u8]> =
        vec![b"{'a': 1,}", b"\xff[1\xc3", "é\u{20}".as_bytes(), b"{\"\xc3\xa9\": \"caf\xe9\"}"];
    let rows = repaired(&Job::default(), &BinaryArray::from(answers));
    assert_eq!(text(&rows, "value", 0).as_deref(), Some("{\"a\": 1}"));
    let errors = rows.column_by_name("error").unwrap().as_struct();
    assert!(errors.is_null(0));
    let codes: Vec<_> = (1..4).filter_map(|at| text(errors, "code", at)).collect();
    assert_eq!(codes, ["input/utf8", "extract/no-json", "input/utf8"]);
    for (at, place) in [(1, 0), (3, 10)] {
        assert_eq!(text(&rows, "value", at), None);
        assert_eq!(text(&rows, "status", at).as_deref(), Some("refused"));
        assert_eq!(text(errors, "message", at).as_deref(), Some("invalid UTF-8"));
        let start = errors.column_by_name("start").unwrap().as_primitive::<Int64Type>();
        assert_eq!(start.value(at), place);
    }
}

#[test]
fn somebody_looks_up_after_so_many_rows_or_bytes() {
    let answers =
        StringArray::from(vec![Some("1234"), None, Some("12"), Some("123456789"), Some("1")]);
    let texts = Texts::of(&answers).unwrap();
    assert_eq!(texts.some(0, 3, 100), 0..3);
    assert_eq!(texts.some(3, 3, 100), 3..5);
    assert_eq!(texts.some(0, 9, 5), 0..2);
    assert_eq!(texts.some(2, 9, 5), 2..3);
    assert_eq!(texts.some(3, 9, 5), 3..4);
    assert_eq!(texts.some(4, 9, 0), 4..5);
}

#[test]
fn columns_grow_by_parts() {
    let answers = StringArray::from(ANSWERS.to_vec());
    let texts = Texts::of(&answers).unwrap();
    let mut columns = Columns::new();
    let job = Job::default();
    job.extend(&mut columns, &texts, 0..3).unwrap();
    columns.push(Some(Row::of("{}", &job.options, None))).unwrap();
    job.extend(&mut columns, &texts, 3..texts.len()).unwrap();
    let rows = columns.finish().unwrap();
    let whole = job.repair(&texts).unwrap();
    assert_eq!(rows.slice(0, 3), whole.slice(0, 3));
    assert_eq!(rows.slice(4, 5), whole.slice(3, 5));
}
