//! `llmend batch --column`: a column of a Parquet file, by row group, and once whatever happens.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use arrow_array::{
    Array, ArrayRef, BinaryArray, Int32Array, RecordBatch, StringArray, StructArray, cast::AsArray,
    types::Int32Type,
};
use arrow_schema::{DataType, Field, Schema};
use parquet::{
    arrow::{
        ArrowWriter, ProjectionMask, arrow_reader::ParquetRecordBatchReaderBuilder,
        arrow_writer::ArrowWriterOptions,
    },
    basic::{Compression, LogicalType, Repetition, Type as Physical},
    file::{
        metadata::{KeyValue, RowGroupMetaData},
        properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder},
        reader::{FileReader, SerializedFileReader},
    },
    schema::types::{SchemaDescriptor, Type},
};
use serde_json::json;

use crate::process::{Run, Scratch, command, finish, run};

fn answer(n: i32) -> Option<String> {
    match n % 5 {
        0 => Some(format!("{{\"n\": {n}}}")),
        1 => Some(format!("Sure!\n```json\n{{'n': {n},}}\n```")),
        2 => Some("I cannot help with that.".to_owned()),
        3 => None,
        _ => Some(format!("é {{\"n\": [{n}, \"{}", "x".repeat(200))),
    }
}

/// A table with `rows` rows in groups of `each`.
fn table(scratch: &Scratch, name: &str, rows: i32, each: usize) -> PathBuf {
    written(scratch, name, rows, each, WriterProperties::builder())
}

fn written(
    scratch: &Scratch,
    name: &str,
    rows: i32,
    each: usize,
    properties: WriterPropertiesBuilder,
) -> PathBuf {
    let path = scratch.path().join(name);
    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int32, false),
        Field::new("answer", DataType::Utf8, true),
        Field::new("tag", DataType::Dictionary(DataType::Int8.into(), DataType::Utf8.into()), true),
    ]));
    let tags: arrow_array::DictionaryArray<arrow_array::types::Int8Type> =
        (0..rows).map(|n| (n % 3 > 0).then_some(if n % 2 == 0 { "even" } else { "odd" })).collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from_iter_values(0..rows)),
        Arc::new((0..rows).map(answer).collect::<StringArray>()),
        Arc::new(tags),
    ];
    let properties = properties
        .set_compression(Compression::ZSTD(parquet::basic::ZstdLevel::default()))
        .set_max_row_group_row_count(Some(each))
        .set_key_value_metadata(Some(vec![KeyValue::new("owner".to_owned(), "me".to_owned())]))
        .build();
    let file = File::create(&path).expect("a file");
    let mut writer =
        ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties)).expect("a writer");
    writer.write(&RecordBatch::try_new(schema, columns).expect("a table")).expect("rows");
    writer.close().expect("a footer");
    path
}

fn read(path: &Path) -> RecordBatch {
    let file = File::open(path).expect("it is there");
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("it is Parquet");
    let mut batches =
        builder.with_batch_size(1 << 20).build().expect("it can be read").map(Result::unwrap);
    batches.next().expect("rows")
}

fn rows(batch: &RecordBatch) -> &StructArray {
    batch.column_by_name("llmend").expect("the new column").as_struct()
}

fn text(rows: &StructArray, column: &str, at: usize) -> Option<String> {
    let column = rows.column_by_name(column).expect(column).as_string::<i32>();
    column.is_valid(at).then(|| column.value(at).to_owned())
}

fn batch(input: &Path, output: &Path, more: &str) -> Run {
    let (input, output) = (input.display(), output.display());
    run(&format!("batch {input} --column answer --output {output} {more}"), "")
}

/// Many writers say nothing of the pages of a file, as pyarrow does not.
#[test]
fn a_file_that_does_not_list_its_pages_gets_its_column_too() {
    let scratch = Scratch::new();
    let unlisted = WriterProperties::builder()
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    let listed = table(&scratch, "listed.parquet", 50, 20);
    let unlisted = written(&scratch, "unlisted.parquet", 50, 20, unlisted);
    let has_pages = |path: &Path| {
        let file = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let columns = file.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns);
        let mut indexed = columns.map(|column| column.offset_index_offset().is_some());
        let first = indexed.next().unwrap();
        assert!(indexed.all(|is_indexed| is_indexed == first), "{}", path.display());
        first
    };
    let mut outputs = Vec::new();
    for (input, expected) in [(listed, true), (unlisted, false)] {
        let output = input.with_extension("out");
        batch(&input, &output, "").expect(0);
        assert_eq!(has_pages(&input), expected);
        assert_eq!(has_pages(&output), expected);
        outputs.push(read(&output));
    }
    assert_eq!(outputs[0], outputs[1]);
}

#[test]
fn each_row_is_what_the_lines_of_a_log_would_be() {
    let scratch = Scratch::new();
    let input = table(&scratch, "in.parquet", 1000, 170);
    let output = scratch.path().join("out.parquet");
    let told = batch(&input, &output, "--jobs 3").expect(0);
    assert_eq!(told.stdout, "");
    assert!(
        told.stderr.starts_with(
            "llmend: 1,000 rows: 200 unchanged, 400 repaired, 200 refused, 200 unreadable"
        ),
        "{}",
        told.stderr
    );
    let (before, after) = (read(&input), read(&output));
    assert_eq!(after.num_rows(), 1000);
    for at in 0..3 {
        assert_eq!(before.column(at), after.column(at));
        assert_eq!(before.schema().field(at), after.schema().field(at));
    }
    let lines: String = (0..1000).map(|n| json!(answer(n)).to_string() + "\n").collect();
    let objects = run("batch", lines).expect(0).json_lines();
    let rows = rows(&after);
    for (at, object) in objects.iter().enumerate() {
        if answer(i32::try_from(at).unwrap()).is_none() {
            assert!(rows.is_null(at));
            continue;
        }
        assert_eq!(text(rows, "value", at).as_deref(), object["json"].as_str(), "{at}");
        assert_eq!(text(rows, "status", at).as_deref(), object["status"].as_str());
        assert_eq!(text(rows, "class", at).as_deref(), object["class"].as_str());
        let repairs = rows.column_by_name("repairs").unwrap().as_list::<i32>().value(at);
        assert_eq!(repairs.len(), object["repairs"].as_array().unwrap().len());
        let error = rows.column_by_name("error").unwrap().as_struct();
        assert_eq!(
            text(error, "code", at).filter(|_| error.is_valid(at)).as_deref(),
            object["error"]["code"].as_str()
        );
    }
    // What the file says of itself is kept, and so are its row groups.
    let file = SerializedFileReader::new(File::open(&output).unwrap()).unwrap();
    let told = file.metadata().file_metadata().key_value_metadata().unwrap();
    assert!(told.iter().any(|it| it.key == "owner" && it.value.as_deref() == Some("me")));
    let groups: Vec<i64> =
        file.metadata().row_groups().iter().map(RowGroupMetaData::num_rows).collect();
    assert_eq!(groups, [170, 170, 170, 170, 170, 150]);
    assert!(!scratch.path().join("out.parquet.parts").exists());
}

#[test]
fn the_number_of_threads_and_of_row_groups_changes_nothing() {
    let scratch = Scratch::new();
    let mut made = Vec::new();
    for (name, each, jobs) in [("a", 500, 1), ("b", 500, 16), ("c", 7, 4), ("d", 100_000, 3)] {
        let input = table(&scratch, &format!("{name}.parquet"), 500, each);
        let output = scratch.path().join(format!("{name}.out"));
        batch(&input, &output, &format!("--jobs {jobs} --quiet")).expect(0);
        made.push(read(&output));
    }
    let first = rows(&made[0]);
    for other in &made {
        assert_eq!(rows(other), first);
        let ids: &Int32Array = other.column(0).as_primitive::<Int32Type>();
        assert!(ids.values().iter().copied().eq(0..500));
    }
}

#[test]
fn a_run_that_was_killed_is_gone_on_with() {
    let scratch = Scratch::new();
    let input = table(&scratch, "in.parquet", 60_000, 500);
    let output = scratch.path().join("out.parquet");
    let arguments =
        format!("batch {} --column answer --output {} --jobs 1", input.display(), output.display());
    let parts = scratch.path().join("out.parquet.parts");
    let mut child = command(&arguments).spawn().expect("it starts");
    let is_part =
        |name: &std::ffi::OsStr| Path::new(name).extension().is_some_and(|it| it == "parquet");
    let whole = |folder: &Path| {
        let names = fs::read_dir(folder).into_iter().flatten().flatten();
        names.filter(|it| is_part(&it.file_name())).count()
    };
    let patience = Instant::now() + Duration::from_mins(1);
    while whole(&parts) < 3 {
        assert!(Instant::now() < patience, "nothing is done");
        thread::yield_now();
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert!(!output.exists());
    let done = whole(&parts);
    assert!((3..120).contains(&done), "{done}");
    let stamps = |folder: &Path| -> Vec<_> {
        let files = fs::read_dir(folder).unwrap().flatten();
        let mut files: Vec<_> = files
            .filter(|it| is_part(&it.file_name()))
            .map(|it| (it.file_name(), it.metadata().unwrap().modified().unwrap()))
            .collect();
        files.sort();
        files
    };
    let before = stamps(&parts);

    // Other work is not mixed with it, and two do not work at once.
    let other = batch(&input, &output, "--policy strict").expect(2);
    assert!(other.stderr.contains("belongs to a run with another input"), "{}", other.stderr);
    assert_eq!(stamps(&parts), before);

    let told = finish(command(&arguments).spawn().expect("it starts"), b"").expect(0);
    let part = format!("resumed after {done} row groups");
    assert!(told.stderr.contains(&part), "{}: {part}", told.stderr);
    assert!(told.stderr.contains("60,000 rows: 12,000 unchanged"), "{}", told.stderr);
    let after = read(&output);
    assert_eq!(after.num_rows(), 60_000);
    let ids: &Int32Array = after.column(0).as_primitive::<Int32Type>();
    assert!(ids.values().iter().copied().eq(0..60_000));
    assert!(!parts.exists());

    let fresh = scratch.path().join("fresh.parquet");
    batch(&input, &fresh, "").expect(0);
    assert_eq!(read(&fresh), after);
}

#[test]
fn an_output_is_never_overwritten() {
    let scratch = Scratch::new();
    let input = table(&scratch, "in.parquet", 10, 10);
    let output = scratch.file("out.parquet", "precious");
    let told = batch(&input, &output, "").expect(2);
    assert!(told.stderr.contains("already exists"), "{}", told.stderr);
    assert_eq!(fs::read_to_string(&output).unwrap(), "precious");
    assert!(!scratch.path().join("out.parquet.parts").exists());
}

#[test]
fn refusals_name_what_is_supported() {
    let scratch = Scratch::new();
    let input = table(&scratch, "in.parquet", 10, 10);
    let output = scratch.path().join("out.parquet");
    let text = scratch.file("log.jsonl", "{}\n");
    let list = scratch.file("list.json", "[]");
    let (input, output) = (input.display(), output.display());
    let (text, list) = (text.display(), list.display());
    for (arguments, code, part) in [
        (format!("{input} --column anser -o {output}"), 2, "Did you mean `answer`?"),
        (format!("{input} --column id -o {output}"), 2, "expected string or binary, found Int32"),
        (
            format!("{input} --column answer --into tag -o {output}"),
            2,
            "already has a column `tag`",
        ),
        (format!("{text} --column answer -o {output}"), 3, "as Parquet"),
        (format!("{input}.no --column answer -o {output}"), 3, "no such file"),
        (format!("{input} --column answer"), 2, "--output"),
        (format!("{input} -o {output}"), 2, "--column"),
        (format!("--column answer -o {output}"), 2, "requires a FILE"),
        (format!("{input} --column answer --field a -o {output}"), 2, "cannot be used with"),
        (format!("{input} --column answer -o /no/such/folder/out"), 3, "cannot write"),
        (
            format!("{input} --column answer -o {output} --schema {list}"),
            2,
            "invalid schema: expected object",
        ),
    ] {
        let told = run(&format!("batch {arguments}"), "").expect(code);
        assert!(told.stderr.contains(part), "{arguments}: {}", told.stderr);
        assert!(!Path::new(&output.to_string()).exists());
        assert!(!Path::new(&format!("{output}.parts")).exists(), "{arguments}");
    }
}

#[test]
fn values_are_made_to_fit_a_schema() {
    let scratch = Scratch::new();
    let input = table(&scratch, "in.parquet", 10, 10);
    let schema = scratch.file(
        "schema.json",
        r#"{"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]}"#,
    );
    let output = scratch.path().join("out.parquet");
    batch(&input, &output, &format!("--schema {} --into fitted", schema.display())).expect(0);
    let after = read(&output);
    let rows = after.column_by_name("fitted").expect("named so").as_struct();
    assert_eq!(text(rows, "value", 0).as_deref(), Some(r#"{"n": "0"}"#));
    assert_eq!(text(rows, "status", 0).as_deref(), Some("coerced"));
}

#[test]
fn an_empty_table_stays_one() {
    let scratch = Scratch::new();
    let input = table(&scratch, "in.parquet", 0, 10);
    let output = scratch.path().join("out.parquet");
    let told = batch(&input, &output, "").expect(0);
    assert!(told.stderr.starts_with("llmend: 0 rows"), "{}", told.stderr);
    let file = SerializedFileReader::new(File::open(&output).unwrap()).unwrap();
    assert_eq!(file.metadata().file_metadata().num_rows(), 0);
    assert_eq!(file.metadata().file_metadata().schema().get_fields().len(), 4);
}

#[test]
fn an_answer_that_is_no_utf_8_costs_its_own_row() {
    let scratch = Scratch::new();
    let input = scratch.path().join("in.parquet");
    let schema = Arc::new(Schema::new(vec![Field::new("answer", DataType::Binary, true)]));
    let answers: Vec<Option<&[u8]>> =
        vec![Some(b"{'a': 1}"), Some(b"\xff[1\xc3"), None, Some(b"[1,]")];
    let answers: ArrayRef = Arc::new(BinaryArray::from(answers));
    // Written as bytes, said to be texts: what a writer does that does not look.
    let texts = Type::primitive_type_builder("answer", Physical::BYTE_ARRAY)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(Some(LogicalType::String));
    let root = Type::group_type_builder("schema")
        .with_fields(vec![Arc::new(texts.build().expect("a type"))])
        .build()
        .expect("a schema");
    let options = ArrowWriterOptions::new()
        .with_skip_arrow_metadata(true)
        .with_parquet_schema(SchemaDescriptor::new(Arc::new(root)));
    let file = File::create(&input).expect("a file");
    let mut writer =
        ArrowWriter::try_new_with_options(file, Arc::clone(&schema), options).expect("a writer");
    writer.write(&RecordBatch::try_new(schema, vec![answers]).expect("a table")).expect("rows");
    writer.close().expect("a footer");

    let output = scratch.path().join("out.parquet");
    batch(&input, &output, "").expect(0);
    let file = File::open(&output).expect("it is there");
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("it is Parquet");
    let mask = ProjectionMask::roots(builder.parquet_schema(), [1]);
    let made = builder.with_projection(mask).build().expect("a reader").next();
    let made = made.expect("rows").expect("rows");
    let rows = rows(&made);
    let values: Vec<_> = (0..4).map(|at| text(rows, "value", at)).collect();
    assert_eq!(values, [Some("{\"a\": 1}".to_owned()), None, None, Some("[1]".to_owned())]);
    let errors = rows.column_by_name("error").expect("errors").as_struct();
    assert_eq!(text(errors, "code", 1).as_deref(), Some("input/utf8"));
    assert!(rows.is_null(2));
}
