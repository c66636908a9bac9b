//! Reading of a copy of a text, such as the joined pieces of a stream, as a value of the text.

use crate::{
    Candidate, Class, Diagnostic, Error, ErrorKind, Options, Origin, Repair, Report, Rule, RuleSet,
    Search, Status,
    extract::{
        Build, INITIAL_CAPACITY, Scan, Start, Surroundings, attempt,
        capture::{Capture, Joined, Proof},
        choice::Selection,
        layer::{Layer, Places, compose},
        repair_class,
    },
    options::Settings,
    parser::{Budget, Stop, Window},
    pipeline::{
        conclusion::{DeliveredRepairs, ReadOutcome, check_class, conclude},
        diagnostics::{ReportDiagnostics, SURROUNDINGS},
    },
};

/// Chooses among the candidates of a scan, or leaves it to the options.
pub(crate) type Choose<'c, B> =
    &'c mut dyn FnMut(&Window<'_>, &mut Scan<'_, B>) -> Option<Selection>;

/// Scans a whole text.
pub(super) fn scanned<'o, B: Build>(
    window: &Window<'_>,
    options: &'o Options,
    by_fitting: bool,
) -> Result<Scan<'o, B>, Error> {
    let text = window.text;
    // A text that begins with a bracket usually is the value.
    let whole = matches!(window.byte(window.skip_space(0)), Some(b'{' | b'['));
    let room = if whole { text.len() } else { text.len().min(INITIAL_CAPACITY) };
    let mut scan = Scan::new(Settings::Borrowed(options), room);
    if by_fitting {
        scan = scan.by_fitting();
    }
    scan.run(window).map_err(|stop| stop.into_error(text))?;
    Ok(scan)
}

/// Chooses among the candidates of a whole text, unless some are `chosen`, and reports.
pub(super) fn concluded<B: Build>(
    window: &Window<'_>,
    scan: Scan<'_, B>,
    chosen: Option<Selection>,
    options: &Options,
) -> Result<ReadOutcome<B>, Error> {
    let first = scan.beginning();
    let surroundings = |span| Surroundings::of(window, first, span);
    conclude(window, scan, chosen, options, &DeliveredRepairs::default(), &surroundings)
}

/// Reads the answer in the pieces of a stream. Returns `None` if they were not meant to be joined.
pub(super) fn captured<B: Build>(
    window: &Window<'_>,
    capture: Result<Capture, Stop>,
    options: &Options,
    by_fitting: bool,
    choose: Choose<'_, B>,
) -> Option<Result<ReadOutcome<B>, Error>> {
    let capture = match capture {
        Ok(capture) => capture,
        Err(stop) => return Some(Err(stop.into_error(window.text))),
    };
    let mut failed = None;
    for joined in &capture.answers {
        let error = match read_copy(&joined.layer, options, by_fitting, choose) {
            Ok(report) if is_meant(capture.proof, joined, &report) => {
                let several = capture.answers.len() > 1 && failed.is_none();
                let rule = Rule::EventStream;
                let is_guess = several || capture.proof == Proof::Sections;
                let class = if is_guess { Class::Guess } else { rule.class() };
                return Some(undone(window, &joined.layer, report, rule, class, options));
            }
            Ok(_) => return None,
            Err(error) => error,
        };
        let is_prose = has_no_value(&error);
        let places = joined.layer.places();
        failed.get_or_insert(error.moved(window.text, |span| places.of_ends(span)));
        if !is_prose {
            break;
        }
    }
    failed.filter(|error| is_final(capture.proof, error)).map(Err)
}

fn has_no_value(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NoJson | ErrorKind::Empty)
}

/// Returns whether the text is refused since the joined pieces are.
fn is_final(proof: Proof, error: &Error) -> bool {
    match proof {
        Proof::Format => true,
        Proof::Value => !has_no_value(error),
        Proof::Pieces | Proof::Sections | Proof::Snapshots => false,
    }
}

/// Reads the copy of a layer, and returns the report on it.
pub(super) fn read_copy<B: Build>(
    layer: &Layer,
    options: &Options,
    by_fitting: bool,
    choose: Choose<'_, B>,
) -> Result<Report, Error> {
    let window = Window::whole(&layer.text);
    let mut scan = scanned::<B>(&window, options, by_fitting)?;
    let chosen = choose(&window, &mut scan);
    concluded(&window, scan, chosen, options).map(|outcome| outcome.report)
}

/// Returns whether the value that `report` is about shows that the pieces were meant to be joined.
fn is_meant(proof: Proof, joined: &Joined, report: &Report) -> bool {
    let span = report.candidate.span;
    let window = Window::whole(&joined.layer.text);
    let opens = || window.slice(span).trim_start().starts_with(['{', '[']);
    let is_split = || joined.is_split(span) && window.slice(span).contains(char::is_alphanumeric);
    // That digits may be missing at the end says nothing of the joints.
    let is_cut = || repair_class::is_cut_behind_number(&window, &report.repairs);
    let is_whole = || report.class <= Some(Class::Completion) || is_cut();
    match proof {
        Proof::Format | Proof::Value => true,
        Proof::Pieces | Proof::Sections => is_split() && opens() && is_whole(),
        Proof::Snapshots => opens() && is_sound(report),
    }
}

/// Returns the value that `report` on the copy of a layer is about, as a value of the text. `rule` removed
/// the layer, which is at least of class `least`.
pub(super) fn undone<B: Build>(
    window: &Window<'_>,
    layer: &Layer,
    report: Report,
    rule: Rule,
    least: Class,
    options: &Options,
) -> Result<ReadOutcome<B>, Error> {
    let (copy, places) = (report.candidate.span, layer.places());
    let span = places.of_ends(copy);
    if !options.rules.contains(rule) {
        return Err(Error::new(ErrorKind::Refused(rule), window.text, Some(span), ""));
    }
    let json = report.output(&layer.text).into_owned();
    let mut repairs = compose(window.text, layer, &report.repairs, copy.end);
    repairs.retain(|repair| span.start <= repair.span.start && repair.span.end <= span.end);
    let class = report.class.max(Some(least));
    let candidate = Candidate { span, origin: Origin::Escaped };
    let surroundings = Surroundings::of(window, window.skip_space(0), span);
    let rows = ReportDiagnostics {
        candidate,
        surroundings,
        cut: None,
        command: None,
        bytes: window.end(),
    };
    let inner = report.diagnostics.into_iter().filter(|row| row.code != SURROUNDINGS);
    let place = |span| places.of_ends(span);
    let moved = inner.map(|row| Diagnostic { span: row.span.map(place), edit: None, ..row });
    let diagnostics = rows.around().chain(moved).collect();
    let report = Report {
        status: if repairs.is_empty() { Status::Extracted } else { Status::Repaired },
        class,
        cut: report.cut.map(|cut| places.of(cut)),
        candidate,
        repairs,
        diagnostics,
    };
    check_class(window.text, &report, options.max_class)?;
    let (built, sink) = rebuilt(window, &json, &report)?;
    Ok(ReadOutcome { built: vec![built], list: false, sink, report })
}

/// Builds the value `json`, which the repairs in `report` make of the text.
fn rebuilt<B: Build>(
    window: &Window<'_>,
    json: &str,
    report: &Report,
) -> Result<(B::Built, B), Error> {
    let strict = Options {
        rules: RuleSet::NONE,
        search: Search::Off,
        max_depth: usize::MAX,
        ..Options::default()
    };
    let (settings, budget) = (Settings::Borrowed(&strict), &mut Budget::new(0));
    let (copy, origin) = (Window::whole(json), Origin::Escaped);
    let (mut inner, mut sink) = (B::for_text(json.len()), B::for_text(json.len()));
    let start = copy.skip_space(0);
    let found = attempt(&copy, start, Start::Value, origin, &settings, budget, &mut inner)
        .map_err(|failed| {
            let stop = Stop { span: report.candidate.span, ..failed.stop };
            stop.into_error(window.text)
        })?;
    let places = Places::new(report.candidate.span.start, &report.repairs);
    sink.begin();
    let built = sink.adopt(inner, found.built, json, places.of_spans());
    sink.keep();
    Ok((built, sink))
}

/// Returns whether nothing in the value of a copy was guessed, but for what is cut off at its end. What is
/// around it may make it a guess.
pub(super) fn is_sound(report: &Report) -> bool {
    let is_certain = |repair: &Repair| {
        repair.class() <= Class::Completion || (report.cut.is_some() && repair.rule.is_cut())
    };
    report.repairs.iter().all(is_certain)
}
