//! Texts and code blocks without JSON that are values in another form: pairs, lists, YAML, words.

use crate::{
    Choice, ErrorKind, Origin, Rule, Search, Span,
    extract::{
        Build, FailedAttempt, FoundValue, Scan, Start, attempt, code, layer, plain, record,
        remnant::Remnant, scan::fence::Fence, standing, stated, unbraced, yaml,
    },
    judge::yaml::{self as judge, Nesting, Setting},
    options::Settings,
    parser::{Stop, ValueStats, Window},
};

/// Maximum number of code blocks that are read as YAML.
const MAX_BLOCKS: usize = 16;
/// Fewest scalars of JSON in code that is more than an example of how it is sent or parsed.
const MIN_SCALARS: u32 = 2;
/// How much of the lines around a value is read, in bytes.
const LINE_REACH: usize = 400;

impl<'o, B: Build> Scan<'o, B> {
    /// Tries to parse the whole text as a value without brackets, if nothing was found.
    pub(super) fn whole_text(&mut self, window: &Window<'_>) -> Result<(), Stop> {
        self.take_document(window)?;
        if !self.found.is_empty() || self.is_serious() {
            return Ok(());
        }
        self.yaml_blocks(window)?;
        if !self.found.is_empty() || self.is_serious() {
            return Ok(());
        }
        if let Some(found) = self.embedded(window)? {
            self.add(window, found);
            return Ok(());
        }
        if let Some(found) = self.behind_reasoning(window) {
            self.add(window, found);
            return Ok(());
        }
        let (options, sink) = (&self.options, &mut self.sink);
        let start = self.state.reasoned.max(self.state.first);
        let inside = window.skip_space(start.max(window.base));
        let mut found = unbraced::pairs_at(window, inside, options, &mut self.state.budget, sink);
        let mut broken = None;
        if found.is_none() {
            found = match self.whole_yaml(window) {
                Err(stop) if !matches!(stop.kind, ErrorKind::Refused(_)) => {
                    broken = Some(stop);
                    None
                }
                read => read?,
            };
        }
        let (options, sink) = (&self.options, &mut self.sink);
        if found.is_none() && plain::number(window, start, options).is_none() {
            found = unbraced::list_at(window, inside, Origin::Unbraced, options, sink)?;
        }
        // Drafts in the reasoning before an answer in words do not matter.
        let drafts = self.state.drafts && start == self.state.first;
        let said = !drafts && !self.state.unclosed_block && self.state.cut.is_none();
        let text = || plain::text(window, start, options, sink);
        let found = found.or_else(|| said.then(text).flatten());
        if let Some(found) = found {
            self.add(window, found);
        } else if let Some(stop) = broken {
            self.fail_block(Span::new(inside, window.end()), stop);
        }
        Ok(())
    }

    /// Reads the scalar that is all of the answer behind reasoning, or in its tag.
    fn behind_reasoning(&mut self, window: &Window<'_>) -> Option<FoundValue<B>> {
        let start = self.state.reasoned.max(self.state.first);
        let inside = stated::alone(window, start)?;
        if start == self.state.first && inside.start == start {
            return None;
        }
        let options = self.strict_options();
        self.scalar_at(window, inside, &options)
    }

    /// Reads the scalar that the text states as its answer, or words of it as a string.
    pub(in crate::extract) fn stated(&mut self, window: &Window<'_>) -> Option<FoundValue<B>> {
        let start = self.state.reasoned.max(self.state.first);
        let options = self.options.clone();
        if options.search == Search::Off {
            // Words, after all.
            let said = self.may_be_words(window);
            let found =
                said.then(|| plain::text(window, start, &options, &mut self.sink)).flatten();
            self.sink.keep();
            return found;
        }
        let span = stated::answer(window, start)?;
        self.scalar_or_words(window, span)
    }

    /// Reads the scalar at `span`, or the words there as a string.
    pub(in crate::extract) fn scalar_or_words(
        &mut self,
        window: &Window<'_>,
        span: Span,
    ) -> Option<FoundValue<B>> {
        let options = self.options.clone();
        self.scalar_at(window, span, &options)
            .or_else(|| plain::words(window, span, &options, &mut self.sink))
    }

    /// Reads the scalar at `span`.
    pub(super) fn scalar_at(
        &mut self,
        window: &Window<'_>,
        span: Span,
        options: &Settings<'o>,
    ) -> Option<FoundValue<B>> {
        let (inside, start) = (window.up_to(span.end), Start::Value);
        let (budget, sink) = (&mut self.state.budget, &mut self.sink);
        let found =
            attempt(&inside, span.start, start, Origin::Bare, options, budget, sink).ok()?;
        self.sink.keep();
        (found.span == span).then_some(found)
    }

    /// Reads the only JSON that is embedded in code.
    fn embedded(&mut self, window: &Window<'_>) -> Result<Option<FoundValue<B>>, Stop> {
        let [block] = self.state.code[..] else { return Ok(None) };
        let code = window.up_to(block.end);
        let Some(at) = code::embedded(&code, block.start) else { return Ok(None) };
        let (options, sink) = (&self.options, &mut self.sink);
        let found = if let Some(kind) = layer::kind_at(&code, at) {
            layer::attempt_layered(&code, at, kind, options, sink)?
        } else {
            let budget = &mut self.state.budget;
            let (start, origin) = (Start::Value, Origin::Fence);
            attempt(&code, at, start, origin, options, budget, sink).ok()
        };
        let is_data = |found: &FoundValue<B>| {
            found.stats.scalars >= MIN_SCALARS
                && code::is_embedded(&code, found.span)
                && !standing::is_sketched(window, block.start, Origin::Fence)
        };
        Ok(found.filter(is_data))
    }

    /// Remembers the code block from `start` to `end`, which is read as YAML if there is no JSON.
    pub(super) fn note_yaml(&mut self, start: usize, end: usize, tagged: bool, closed: bool) {
        if self.state.yaml.len() < MAX_BLOCKS {
            let block = yaml::Block {
                span: Span::new(start, end),
                origin: Origin::Fence,
                setting: (!tagged).then_some(Setting::Block),
                cut: !closed,
            };
            self.state.yaml.push(block);
        }
    }

    /// Skips the code block of YAML whose fence opens at the current position, and whose content
    /// begins at `inside`.
    pub(super) fn yaml_block(&mut self, window: &Window<'_>, fence: Fence, inside: usize) {
        let (end, after) = yaml::block_end(window, self.state.at, inside, fence.mark);
        self.note_yaml(inside, end, true, after > end);
        self.state.at = after;
    }

    /// Reads the code blocks that may hold YAML. One that says so and cannot be read is a failure.
    fn yaml_blocks(&mut self, window: &Window<'_>) -> Result<(), Stop> {
        for block in std::mem::take(&mut self.state.yaml) {
            match yaml::read(window, block, &self.options, &mut self.sink) {
                Ok(Some(found)) => self.add(window, found),
                Ok(None) => {}
                Err(stop) if matches!(stop.kind, ErrorKind::Refused(_)) => return Err(stop),
                Err(stop) => self.fail_block(block.span, stop),
            }
        }
        Ok(())
    }

    /// Returns whether a code block says that it is YAML and was not read, or the values may be parts
    /// of a YAML document that was not.
    pub(crate) fn leaves_yaml(&self) -> bool {
        self.state.in_yaml || self.state.yaml.iter().any(|block| block.setting.is_none())
    }

    /// Records a code block of YAML that cannot be read.
    fn fail_block(&mut self, span: Span, stop: Stop) {
        let stats = ValueStats { solid: 1, ..ValueStats::default() };
        let failed = FailedAttempt::new(span.start, span.end, stop);
        self.state.failed = Some(FailedAttempt { stats, origin: Origin::Fence, ..failed });
    }

    /// Returns the whole text, after reasoning, as a block.
    fn whole_block(&self, window: &Window<'_>, setting: Setting) -> Option<yaml::Block> {
        let start = self.state.reasoned.max(self.state.first);
        if start < window.base {
            return None;
        }
        let start = window.skip_space(start);
        let line = window.line_before(start, LINE_REACH).unwrap_or_default();
        let indent = if line.trim().is_empty() { line.len() } else { 0 };
        let span = Span::new(start - indent, window.end());
        Some(yaml::Block { span, origin: Origin::Bare, setting: Some(setting), cut: false })
    }

    /// Reads the whole text, after reasoning, as YAML, if it evidently is.
    fn whole_yaml(&mut self, window: &Window<'_>) -> Result<Option<FoundValue<B>>, Stop> {
        let Some(block) = self.whole_block(window, Setting::Text) else { return Ok(None) };
        yaml::read(window, block, &self.options, &mut self.sink)
    }

    /// Replaces the candidates by the YAML document whose values they are, if the text evidently is one.
    /// If it may be, they are doubtful.
    fn take_document(&mut self, window: &Window<'_>) -> Result<(), Stop> {
        if self.options.choice != Choice::Best
            || !self.found.iter().any(|one| is_in_yaml(window, one))
        {
            return Ok(());
        }
        let read = match self.document_around(window) {
            Some(block) => match yaml::read(window, block, &self.options, &mut self.sink) {
                Err(stop) if !matches!(stop.kind, ErrorKind::Refused(_)) => None,
                read => read?,
            },
            None => None,
        };
        let Some(found) = read else {
            self.state.in_yaml = self.found.iter().any(|one| has_siblings(window, one));
            return Ok(());
        };
        let parts = std::mem::take(&mut self.found);
        if self.by_fitting {
            self.mentioned.extend(parts);
        }
        (self.state.failed, self.state.cut, self.state.failed_to) = (None, None, 0);
        self.add(window, found);
        Ok(())
    }

    /// Returns the block of code, or else the whole text, that all candidates are in.
    fn document_around(&self, window: &Window<'_>) -> Option<yaml::Block> {
        let holds = |block: &yaml::Block| {
            let (start, end) = (block.span.start, block.span.end);
            self.found.iter().all(|one| start <= one.span.start && one.span.end <= end)
        };
        let block = self.state.yaml.iter().find(|block| holds(block)).copied();
        if self.found.iter().any(|one| one.origin == Origin::Fence) {
            return block.map(|block| yaml::Block { setting: Some(Setting::Around), ..block });
        }
        self.whole_block(window, Setting::Around).filter(holds)
    }
}

/// Returns whether a candidate stands as a value of YAML. One after a key of a plain line does, unless the
/// key may announce an answer.
fn is_in_yaml<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    if found.origin == Origin::Unbraced {
        // Members in quotes whose values are lists of YAML.
        return found.repairs.iter().any(|repair| repair.rule == Rule::BareString);
    }
    let before = window.line_before(found.span.start, LINE_REACH).unwrap_or("…");
    match judge::nesting(before) {
        Some(Nesting::Flat) => {
            let key = before.trim_matches([' ', ':', '"', '\'']);
            let record = || record::judge(window, found.span, found.origin);
            !standing::names_answer(key) && record() != Some(Remnant::Doubtful)
        }
        nesting => nesting.is_some(),
    }
}

/// Returns whether the lines next to a candidate are of YAML as well.
fn has_siblings<B: Build>(window: &Window<'_>, found: &FoundValue<B>) -> bool {
    let line = window.line_before(found.span.start, LINE_REACH).unwrap_or("…");
    let above = window.before(found.span.start - line.len(), LINE_REACH);
    let rest = window.line_after(found.span.end, LINE_REACH);
    let below = window.near(found.span.end + rest.len(), LINE_REACH);
    judge::nesting(line) == Some(Nesting::Nested) && judge::has_siblings(above, below)
}
