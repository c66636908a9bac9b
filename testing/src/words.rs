//! Words, sentences and names for generated documents, all made up.

use crate::random::Random;

pub(crate) const NOUNS: &[&str] = &[
    "anchor", "archive", "barley", "beacon", "bridge", "cabin", "canal", "cargo", "cedar",
    "chapel", "cistern", "cliff", "compass", "copper", "cradle", "crane", "delta", "depot", "dune",
    "ember", "engine", "estuary", "fable", "ferry", "fjord", "forge", "gable", "garden", "glacier",
    "granite", "gravel", "harbour", "hatch", "hedge", "island", "juniper", "kelp", "kiln",
    "ladder", "lagoon", "lantern", "ledger", "lichen", "loom", "marsh", "meadow", "meter", "mill",
    "mortar", "moss", "needle", "orchard", "parcel", "pasture", "pebble", "pilot", "pier",
    "quarry", "quay", "reef", "ribbon", "ridge", "saddle", "sail", "satchel", "signal", "spindle",
    "sprout", "station", "stove", "summit", "terrace", "thistle", "tide", "timber", "tower",
    "trellis", "tunnel", "valley", "vessel", "wagon", "willow", "winter", "workshop",
];

pub(crate) const VERBS: &[&str] = &[
    "adds", "asks", "brings", "builds", "calls", "carries", "checks", "closes", "compares",
    "counts", "covers", "drafts", "draws", "fetches", "finds", "follows", "guards", "holds",
    "joins", "keeps", "lifts", "lists", "marks", "meets", "moves", "opens", "orders", "paints",
    "plans", "reads", "repairs", "reports", "sends", "shows", "sorts", "starts", "stores", "takes",
    "tests", "trims", "turns", "warms", "watches", "weighs", "writes",
];

pub(crate) const ADJECTIVES: &[&str] = &[
    "amber", "bare", "bright", "broad", "calm", "clear", "cold", "dark", "deep", "dry", "early",
    "even", "faint", "fine", "flat", "fresh", "green", "heavy", "hollow", "late", "light", "long",
    "low", "mild", "narrow", "new", "old", "open", "pale", "plain", "quick", "quiet", "rough",
    "round", "salt", "sharp", "short", "slow", "small", "soft", "spare", "steep", "still", "tall",
    "thin", "warm", "wet", "wide",
];

pub(crate) const NAMES: &[&str] = &[
    "Ada", "Ailsa", "Arne", "Bo", "Carmen", "Dara", "Edda", "Emeka", "Femi", "Goro", "Hana", "Ida",
    "Imani", "Jonas", "Kai", "Kofi", "Lena", "Liv", "Mara", "Milo", "Nadia", "Noor", "Ola", "Pia",
    "Quinn", "Rafa", "Sana", "Tomas", "Una", "Vera", "Wim", "Yara", "Zoe",
];

pub(crate) const PLACES: &[&str] = &[
    "Bergen", "Cork", "Delft", "Esbjerg", "Faro", "Ghent", "Hobart", "Izmir", "Jena", "Kyoto",
    "Leeds", "Malmo", "Nantes", "Oslo", "Porto", "Quito", "Riga", "Sendai", "Turku", "Utrecht",
    "Vigo", "Windhoek", "York", "Zadar",
];

const CJK: &[&str] = &[
    "打开文件",
    "保存结果",
    "港口",
    "春分",
    "节气",
    "天气多云",
    "重新检查",
    "李雷",
    "韩梅梅",
    "图书馆",
    "下一步",
    "完成",
    "读取配置",
    "数据库",
    "步骤",
    "標題",
    "東京都",
    "会議の準備",
    "改行あり",
    "鈴木さん",
    "確認してください",
    "번역",
    "서울",
    "날씨가 맑음",
    "Привет",
    "отчёт готов",
    "Οδηγός",
    "مرحبا",
    "שלום",
    "नमस्ते",
];

const EMOJI: &[&str] =
    &["😀", "🚢", "✅", "🌊", "👩‍🔧", "🇳🇴", "é", "ß", "ł", "–", "—", "…", "°", "½", "→"];

pub(crate) const KEYS: &[&str] = &[
    "name", "title", "id", "note", "status", "city", "kind", "level", "owner", "summary", "reason",
    "comment", "path", "query", "label", "place", "tool", "goal", "message", "language", "source",
    "target", "answer", "review", "color", "unit", "grade", "area", "stage", "region",
];

pub(crate) const COUNT_KEYS: &[&str] = &[
    "count",
    "score",
    "age",
    "size",
    "total",
    "weight",
    "depth",
    "retries",
    "limit",
    "page",
    "rank",
    "width",
    "height",
    "budget",
    "offset",
    "timeout_ms",
    "max_rounds",
    "temperature",
    "ratio",
    "rows",
];

pub(crate) const FLAG_KEYS: &[&str] = &[
    "ok", "active", "done", "dry_run", "verbose", "public", "urgent", "visible", "strict",
    "is_final",
];

pub(crate) const LIST_KEYS: &[&str] =
    &["tags", "items", "steps", "names", "inputs", "files", "lines", "notes", "owners", "stops"];

pub(crate) const CJK_KEYS: &[&str] =
    &["标题", "标签", "城市", "姓名", "年龄", "步骤", "内容", "名前", "メモ", "имя"];

pub(crate) const TOOLS: &[&str] = &[
    "search",
    "write_file",
    "read_file",
    "run",
    "list_dir",
    "fetch_page",
    "send_mail",
    "query_db",
    "add_note",
    "book_ferry",
    "resize_image",
    "translate",
];

pub(crate) fn noun(r: &mut Random) -> &'static str {
    r.pick(NOUNS)
}

pub(crate) fn phrase(r: &mut Random) -> String {
    match r.below(4) {
        0 => noun(r).to_owned(),
        1 => format!("{} {}", r.pick(ADJECTIVES), noun(r)),
        2 => format!("{} of the {}", noun(r), noun(r)),
        _ => format!("{} {} {}", r.pick(ADJECTIVES), noun(r), noun(r)),
    }
}

/// Returns plain words without punctuation.
pub(crate) fn plain(r: &mut Random, count: usize) -> String {
    let words: Vec<&str> = (0..count)
        .map(|_| match r.below(3) {
            0 => r.pick(ADJECTIVES),
            1 => r.pick(VERBS),
            _ => noun(r),
        })
        .collect();
    words.join(" ")
}

pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().collect::<String>() + chars.as_str())
}

/// Returns a sentence with its full stop.
pub(crate) fn sentence(r: &mut Random) -> String {
    let a = phrase(r);
    let b = phrase(r);
    let verb = r.pick(VERBS);
    match r.below(7) {
        0 => format!("The {a} {verb} the {b}."),
        1 => format!("{} {verb} the {b}, then the {a}.", r.pick(NAMES)),
        2 => format!("{}: {b} before {a}.", capital(&a)),
        3 => format!("In {}, the {a} {verb} a {b}.", r.pick(PLACES)),
        4 => format!("{} {verb} {} {b}s; see the {a}.", r.pick(NAMES), r.between(2, 40)),
        5 => format!("It's the {a} that {verb} {}'s {b}.", r.pick(NAMES)),
        _ => format!("{} ({b}) {verb} well - pending.", capital(&a)),
    }
}

pub(crate) fn identifier(r: &mut Random) -> String {
    match r.below(5) {
        0 => format!("{}_{}", noun(r), noun(r)),
        1 => format!("{}{}", noun(r), capital(noun(r))),
        2 => format!("{}-{}", noun(r), r.between(1, 99)),
        3 => format!("{}{}", noun(r), r.between(1, 9)),
        _ => noun(r).to_owned(),
    }
}

pub(crate) fn path(r: &mut Random) -> String {
    let ext = r.pick(&["rs", "py", "md", "json", "txt", "csv", "ts", "yaml"]);
    match r.below(3) {
        0 => format!("src/{}/{}.{ext}", noun(r), identifier(r)),
        1 => format!("/var/{}/{}.{ext}", noun(r), identifier(r)),
        _ => format!("{}.{ext}", identifier(r)),
    }
}

pub(crate) fn url(r: &mut Random) -> String {
    let tail = match r.below(3) {
        0 => String::new(),
        1 => format!("?page={}", r.between(1, 30)),
        _ => format!("#{}", noun(r)),
    };
    format!("https://{}.example.org/{}/{}{tail}", noun(r), noun(r), r.between(1, 400))
}

pub(crate) fn foreign(r: &mut Random) -> String {
    let count = r.between(1, 3);
    let words: Vec<&str> = (0..count).map(|_| r.pick(CJK)).collect();
    match r.below(3) {
        0 => words.join("，"),
        1 => words.join(" "),
        _ => format!("{}{}", words.join(""), r.pick(EMOJI)),
    }
}

/// Returns text with characters that a careless repair takes for structure.
pub(crate) fn tricky(r: &mut Random) -> String {
    let (a, b, c) = (noun(r), noun(r), r.pick(NAMES));
    match r.below(22) {
        0 => format!("{c} said \"{a}\", then left"),
        1 => format!("see {a}, {b}: {c}"),
        2 => format!("if ({a} == \"{b}\") {{ return [{a}, {b}]; }}"),
        3 => format!("// {a}: not a comment"),
        4 => format!("http://{a}.example//{b} # top"),
        5 => format!("```json\n{{\"{a}\": 1}}\n```"),
        6 => format!("C:\\{a}\\{b}\\new.txt"),
        7 => format!("\\d+\\.{a}[^\"]*\\s"),
        8 => format!("{{\"{a}\": \"{b}\", \"n\": [1, 2]}}"),
        9 => format!("“{a}” and ‘{b}’"),
        10 => format!("<a href=\"/{a}\">{b}</a>"),
        11 => format!("{a}...\t{b}\n\n- {c}\n- \"{a}\""),
        12 => format!("True, None, NaN and undefined {a}"),
        13 => format!("SELECT \"{a}\", {b} FROM t WHERE name = 'O''{c}' -- done\n/* hint */"),
        14 => format!("{a} }} ] , \" : {b}"),
        15 => format!("Hello {{{{{a}}}}}, ${{{b}}} and {{% if x %}}"),
        16 => format!("{c}'s \"{a}\""),
        17 => format!("\"{a}\", \"{b}\""),
        18 => format!("key: \"{a}\",\n\"{b}\": 2"),
        19 => format!("<think>{a}</think> <tool_call>{{}}</tool_call>"),
        20 => format!("  {a}, "),
        _ => format!("echo \"${a}\" | sed 's/{b}/x/g' && awk '{{print $1}}'"),
    }
}

/// Returns a line of code without quotes.
pub(crate) fn code_line(r: &mut Random) -> String {
    let (a, b) = (noun(r), noun(r));
    match r.below(8) {
        0 => format!("let {a} = {b}.len() + {};", r.between(1, 99)),
        1 => format!("for {a} in range({}):", r.between(2, 20)),
        2 => format!("if ({a} > {b}) {{ return [{a}, {b}]; }}"),
        3 => format!("def {a}({b}, n=3): return n"),
        4 => format!("SELECT {a}, count(*) FROM {b} GROUP BY {a}"),
        5 => format!("const {a} = ({b}) => {b}.map(x => x * 2);"),
        6 => format!("#[derive(Debug)] struct {} {{ {b}: u32 }}", capital(a)),
        _ => format!("while {a} < {}: {b} += 1  # count", r.between(3, 90)),
    }
}
