//! Streams: the same result as for the whole text, and views that retract nothing.

#![cfg(feature = "llmend")]

use llmend_json::{Choice, Options, Policy, Stream};
use llmend_testing::stream::{Chunks, check_end, check_events, check_views};
use llmend_testing::{corpus, damage, faults, misleading, surroundings, unescaped, valid};

/// Both corpora, and generated texts of every sort.
fn texts() -> Vec<String> {
    let cut = [
        "[{\"id\": 1}, \"tool\": \"copy\"}, {\"id\": 2}]",
        "[{},\"\":",
        "{\"x\": [\"hello, world\": 1, \"b\": 2]}",
        "{\"x\": [[1, 2, [3, 4]], \"y\":\n\"a\": 1}, \"z\":\n\"b\", \"c\"]}",
        "name\": \"one \"b\": 2, \"c\": \"x\" I think, \"d\": **7**}",
        "```json\nname: \"x\",\n\"b\" \"c\" \"d\" ９\n```",
        "\u{1b}[1m{\u{1b}[0m\"a\": (\"b\": \"c\"), \"d\": [\"e\" - f, 【1】]",
        "```json\n{\"a\": [\"b\n\n",
        "{\"x\": ['name' => 'Jo', 'tags' => ['a', 'b'], 'n' => [0 => 1]], \"y\": []}",
        "{\"x\": []string{\"a\", \"b\"}, \"y\": [\n- \"c\"\n- \"d\"], \"z\": User(id=1, tag='e')}",
    ]
    .map(str::to_owned);
    let known = corpus::dev().into_iter().chain(corpus::defects()).map(|case| case.input);
    let damaged = (0..700).map(|index| damage::case(401, index).input);
    let quoted = (0..200).map(|index| unescaped::case(402, index).input);
    let faults = faults::cases(405, 12).into_iter().map(|case| case.input);
    let sound = (0..200).map(|index| valid::case(403, index).input);
    let misleading = (0..600).map(|index| misleading::text(404, index));
    let around = surroundings::cases(405, 12).into_iter().map(|case| case.input);
    let all = cut.into_iter().chain(known).chain(damaged).chain(quoted);
    all.chain(faults).chain(sound).chain(misleading).chain(around).collect()
}

/// Every policy with `choice`.
fn policies(choice: Choice) -> Vec<Options> {
    [Policy::Standard, Policy::Lenient, Policy::Conservative, Policy::Extract, Policy::Strict]
        .map(|policy| Options { choice, ..Options::policy(policy) })
        .into()
}

fn all_options() -> Vec<Options> {
    Choice::ALL.into_iter().flat_map(policies).collect()
}

/// Runs `check` on all texts, on four threads, and tells of the first faults.
fn all(check: impl Fn(&str, usize) -> Result<(), String> + Sync) {
    let texts = texts();
    let faults: Vec<String> = std::thread::scope(|scope| {
        let check = &check;
        let parts: Vec<_> = texts
            .chunks(texts.len().div_ceil(4))
            .enumerate()
            .map(|(part, texts)| {
                scope.spawn(move || {
                    texts
                        .iter()
                        .enumerate()
                        .filter_map(|(at, text)| check(text, part * 10_000 + at).err())
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    let shown = faults.iter().map(|fault| fault.chars().take(1500).collect::<String>()).take(5);
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        shown.collect::<Vec<_>>().join("\n\n")
    );
}

/// In which pieces a text is fed under `options`: in all ways under the usual policy.
fn chunks(seed: usize, options: &Options) -> Vec<Chunks> {
    let mut ways = vec![Chunks::Of(1), Chunks::Random(seed as u64)];
    if options.rules == Options::default().rules {
        ways.extend([2, 3, 7, 20].map(Chunks::Of));
    }
    ways
}

/// Runs `check` on all texts under each of `options`.
fn under(
    options: impl Fn() -> Vec<Options> + Sync,
    check: fn(&str, &Options, Chunks) -> Result<(), String>,
) {
    all(|text, seed| {
        options().iter().try_for_each(|options| {
            chunks(seed, options).into_iter().try_for_each(|chunks| {
                let told = |fault| {
                    format!(
                        "{fault}\nunder {:?}, {} rules",
                        options.choice,
                        options.rules.iter().count()
                    )
                };
                check(text, options, chunks).map_err(told)
            })
        })
    });
}

#[test]
fn the_end_is_what_the_whole_text_gives() {
    under(all_options, check_end);
}

#[test]
fn views_take_nothing_back() {
    under(|| policies(Choice::First), check_views);
}

#[test]
fn a_list_shows_where_the_text_is_the_value() {
    let mut stream = Stream::new(Options::policy(Policy::Strict));
    stream.push(b"[1, \"two\", 3");
    assert_eq!(stream.view().root().map(|root| root.to_string()).as_deref(), Some("[1,\"two\"]"));
}

/// Values after the answer, more than are told of.
#[test]
fn many_values_after_the_answer_come_to_the_same() {
    let options = Options { choice: Choice::First, ..Options::default() };
    for last in ["", " {\"cut\": [1, "] {
        let text = format!("{{\"a\": 1}}{}{last}", " and {\"b\": [2]}".repeat(90));
        for chunks in [Chunks::Of(1), Chunks::Of(20), Chunks::Of(5000)] {
            check_end(&text, &options, chunks).unwrap();
            check_events(&text, &options, chunks).unwrap();
        }
    }
}

#[test]
fn events_describe_the_whole_value() {
    under(all_options, check_events);
}
