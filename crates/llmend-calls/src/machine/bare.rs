//! Calls without marks: at the start of a line, as the answer.

use super::{
    Machine,
    lead::Lead,
    notation_of,
    prose::SHORT_LINE,
    quotation::{Language, is_text},
    start::{begins, element},
    withheld::is_withheld,
};
use crate::{
    Notation,
    evidence::{self, Doubt, Evidence, Marking, Name, Structure, Surroundings, Verdict},
    fit,
    found::{Body, Context, Found},
    grammar::{body, envelope, named, pythonic},
    input::{Input, Read, Stop},
    marks::{LONGEST, Role, held_before, role},
    name,
    notation::Family,
    options::Accept,
    tag::Tag,
};

/// Marks and labels of what is neither prose nor part of the calls before it.
const NEXT: &[&str] = &[
    "<tool_call>",
    "[TOOL_CALLS]",
    ">>>",
    "<|",
    "```tool_output",
    "\nObservation:",
    "<tool_response>",
];

/// Unmarked calls with what surrounds them.
pub(super) struct Candidate<'t> {
    pub(super) bodies: Vec<Body<'t>>,
    pub(super) end: usize,
    pub(super) marking: Marking,
    /// What is around, and whether prose follows.
    pub(super) surroundings: (Surroundings, bool),
}

impl Machine {
    pub(super) fn may_be_unmarked(context: Context<'_>) -> bool {
        context.options.accept == Accept::Auto && context.tools.are_given()
    }

    /// Reads unmarked calls at `at`, on the line that begins at `start`.
    pub(super) fn bare(
        &mut self,
        start: usize,
        at: usize,
        marking: Marking,
        opener: &str,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        self.line = false;
        let indented = at >= start + 4 && marking == Marking::Bare && !self.prose.is_empty();
        let allowed = marking == Marking::Token || (Self::may_be_unmarked(context) && !indented);
        if !allowed || !begins(input, at, context).map_err(|stop| self.again(stop))? {
            return Ok(());
        }
        let certain = |machine: &Self| machine.is_certain(input, at, marking, context);
        match self.candidate(at, marking, input, context) {
            Ok(candidate) => {
                self.judge(candidate, opener, input, context);
                Ok(())
            }
            Err(Stop::More) => Err(self.again(Stop::More)),
            Err(Stop::Cut)
                if marking == Marking::Token || self.is_cut_call(input, at, marking, context) =>
            {
                self.end_in_call(Stop::Cut, input)
            }
            // How the text ends decides what it is.
            Err(Stop::Unreadable(_)) if !input.complete => Err(self.again(Stop::More)),
            Err(Stop::Unreadable(row)) if certain(self) => {
                self.refuse(*row, Notation::of(Family::Pythonic, opener));
                self.mark(input.len());
                Ok(())
            }
            Err(_) => Ok(()),
        }
    }

    /// Keeps the line to be inspected again.
    pub(super) fn again(&mut self, stop: Stop) -> Stop {
        if matches!(stop, Stop::More) {
            self.line = true;
        }
        stop
    }

    /// Returns whether an unreadable text is a call for certain: a call of an offered tool as the
    /// whole answer.
    fn is_certain(
        &self,
        input: Input<'_>,
        at: usize,
        marking: Marking,
        context: Context<'_>,
    ) -> bool {
        if let Some(name) = named::name_at(input, at, context).ok().flatten() {
            let next = input.skip_space(name.end);
            let json = input.from(next).starts_with("{\"");
            if json && name::resolve(name.of(input.text), context.tools).tool.is_some() {
                return true;
            }
        }
        if let Some((_, name)) = envelope::name_ahead(input, at) {
            let offered = name::resolve(name.of(input.text), context.tools).tool.is_some();
            return offered && self.prose.is_short();
        }
        if !pythonic::begins(input, at, context).unwrap_or(false) {
            return false;
        }
        let names = pythonic::functions(input, at, context);
        let offered = |name: &str| name::resolve(name, context.tools).tool.is_some();
        !names.is_empty()
            && names.iter().all(|name| offered(name))
            && (marking > Marking::Fence || self.prose.is_short())
    }

    /// Returns whether a text that is cut off was becoming a call.
    fn is_cut_call(
        &self,
        input: Input<'_>,
        at: usize,
        marking: Marking,
        context: Context<'_>,
    ) -> bool {
        if !self.prose.is_short() {
            return false;
        }
        if input.byte(at) == Some(b'<') {
            return true;
        }
        if matches!(input.byte(at), Some(b'{' | b'['))
            && !pythonic::begins(input, at, context).unwrap_or(false)
        {
            // A name that is offered, or the keys of a call, have to be there.
            let text = input.from(at);
            return context.tools.names().any(|name| text.contains(&format!("\"{name}\"")));
        }
        let named = named::name_at(input, at, context).ok().flatten().is_some_and(|name| {
            name::resolve(name.of(input.text), context.tools).tool.is_some()
                && input.byte(input.skip_space(name.end)) == Some(b'{')
        });
        named || self.is_certain(input, at, marking, context)
    }

    /// Reads bodies one after the other, and what surrounds them.
    fn candidate<'t>(
        &self,
        at: usize,
        marking: Marking,
        input: Input<'t>,
        context: Context<'_>,
    ) -> Read<Candidate<'t>> {
        let is_code = marking == Marking::Code;
        let mut bodies = Vec::new();
        let mut next = at;
        let mut marking = marking;
        let mut end;
        loop {
            let mut body = match body::read(input, next, context) {
                // The calls before the cut are whole.
                Err(Stop::Cut) if !bodies.is_empty() => {
                    if let Some(last) = bodies.last_mut() {
                        let last: &mut Body<'_> = last;
                        last.is_cut = true;
                    }
                    end = input.len();
                    break;
                }
                body => body?,
            };
            // A semicolon ends a statement.
            let semicolon = input.skip_blanks(body.end);
            if body.family == Family::Pythonic && input.byte(semicolon) == Some(b';') {
                body.end = semicolon + 1;
            }
            end = body.end;
            bodies.push(body);
            if bodies.iter().map(|body: &Body<'_>| body.calls.len()).sum::<usize>()
                > pythonic::MAX_CALLS
            {
                return Err(Stop::Other);
            }
            // What closes the calls: marks whose opening is lost, the end of the block.
            let (after, closed) = skip_closers(input, end)?;
            if closed {
                marking = marking.max(Marking::Tag);
            }
            end = after;
            next = input.skip_space(end);
            let separated = input.slice(end, next).contains('\n')
                || input.byte(next) == Some(b';')
                || (matches!(input.byte(at), Some(b'[' | b'{'))
                    && input.byte(next) == input.byte(at));
            while matches!(input.byte(next), Some(b';' | b',')) {
                next = input.skip_space(next + 1);
            }
            if next == input.len() {
                if !input.complete {
                    return Err(Stop::More);
                }
                break;
            }
            if input.starts(next, "```")? {
                let Some(inner) = fence_line(input, next)? else { break };
                if inner == input.len() && !input.complete {
                    return Err(Stop::More);
                }
                if !(inner < input.len()
                    && begins(input, inner, context)?
                    && bodies_follow(input, inner, context))
                {
                    break;
                }
                next = inner;
                continue;
            }
            if !separated && !closed
                || !(begins(input, next, context)? || element(input, next, context)?.is_some())
                || !bodies_follow(input, next, context)
            {
                break;
            }
        }
        if input.byte(at) == Some(b'[') && bodies.iter().all(|body| body.family == Family::Pythonic)
        {
            marking = marking.max(Marking::List);
        }
        let lead = Lead::at(input, at);
        let surroundings =
            if lead.announces_example() || is_withheld(lead) || self.follows_withheld(input, at) {
                (Surroundings::Quoted, true)
            } else {
                self.surroundings(input, end, is_code)?
            };
        Ok(Candidate { bodies, end, marking, surroundings })
    }

    /// Returns what surrounds unmarked calls that end at `end`. Code that is explained, however
    /// shortly, is an example.
    fn surroundings(
        &self,
        input: Input<'_>,
        end: usize,
        is_code: bool,
    ) -> Read<(Surroundings, bool)> {
        // A longer rest is prose anyway.
        let near = input.until(end + 3 * SHORT_LINE).len();
        let rest = input.slice(end, near);
        let (after, other) = match first_mark(rest) {
            Some(mark) => (rest.get(..mark).unwrap_or(rest), true),
            None if near == input.len() && !input.complete && ends_in_mark(rest) => {
                return Err(Stop::More);
            }
            None => (rest, false),
        };
        // A result that the model invented.
        if self.prose.is_empty() && after.trim_start().starts_with(['{', '[']) {
            if after.contains('\n') {
                return Ok((Surroundings::Alone, false));
            }
            if !input.complete && !other {
                return Err(Stop::More);
            }
        }
        // Prose that goes on behind the call on its line mentions it.
        let line = after.lines().next().unwrap_or_default();
        let new_sentence =
            self.prose.is_empty() && line.trim_start().starts_with(char::is_uppercase);
        if line.chars().any(char::is_alphanumeric) && !new_sentence {
            return Ok((Surroundings::Quoted, true));
        }
        if !input.complete && !other && !after.contains('\n') {
            return Err(Stop::More);
        }
        // A sentence that goes on mentions the call.
        let paragraph = after.trim_start_matches([' ', '\t', '\r']).starts_with("\n\n");
        let after = after.trim();
        if after.starts_with(char::is_lowercase) {
            let around = if paragraph { Surroundings::Prose } else { Surroundings::Quoted };
            return Ok((around, true));
        }
        let most = if is_code { 0 } else { SHORT_LINE };
        let short = after.len() <= most && !after.contains('\n');
        if short && !input.complete && !other {
            return Err(Stop::More);
        }
        let around =
            if self.prose.is_short() && short && (self.prose.is_empty() || after.is_empty()) {
                Surroundings::Alone
            } else if after.is_empty() {
                Surroundings::Before
            } else if self.prose.is_empty() {
                Surroundings::After
            } else {
                Surroundings::Prose
            };
        Ok((around, !after.is_empty()))
    }

    /// Takes the calls of a candidate, or leaves it as text.
    pub(super) fn judge(
        &mut self,
        candidate: Candidate<'_>,
        opener: &str,
        input: Input<'_>,
        context: Context<'_>,
    ) {
        let Candidate { bodies, end, marking, surroundings } = candidate;
        let prose = !self.prose.is_empty() || surroundings.1;
        let surroundings = surroundings.0;
        let expected = is_expected(&bodies, context);
        let marking = if expected { marking.max(Marking::Label) } else { marking };
        let unmarked = marking <= Marking::List && bodies.iter().all(|body| !body.envelope);
        let judged = |body: &Body<'_>, found: &Found<'_>| {
            let filled = !unmarked && marking != Marking::Label || !fit::is_form(found);
            let name = if filled { fit::name_of(found, context) } else { Name::Placeholder };
            // A name alone proves nothing.
            let fits = fit::takes(found, context) && !(unmarked && is_name_alone(body, found));
            let is_element = input.byte(found.span.start) == Some(b'<');
            let verdict = evidence::judge(Evidence {
                marking: if body.envelope { marking.max(Marking::Envelope) } else { marking },
                name,
                // Any markup has elements in elements.
                explicit: found.explicit && (fits || !is_element),
                fits,
                surroundings,
            });
            (name, verdict)
        };
        let verdicts: Vec<(Name, Verdict)> = bodies
            .iter()
            .flat_map(|body| body.calls.iter().map(move |found| judged(body, found)))
            .collect();
        let any = verdicts.iter().any(|(_, verdict)| *verdict == Verdict::Call);
        // Beside a call, one of an unknown tool was meant as well.
        let is_text = |(name, verdict): &(Name, Verdict)| {
            *verdict == Verdict::Text && (*name == Name::Offered || !any)
        };
        if verdicts.iter().any(is_text) {
            self.line = false;
            self.bare_from = end;
            return;
        }
        if unmarked && !any {
            // It may be an answer that only looks like a call, so it stays in the text.
            for body in bodies {
                let notation = notation_of(&body, opener);
                for found in body.calls {
                    self.report_unknown(found, notation, context);
                }
            }
            self.text(end);
            return;
        }
        let is_cut = bodies.iter().any(|body| body.is_cut);
        for body in bodies {
            let notation = notation_of(&body, opener);
            for mut found in body.calls {
                let structure = if input.byte(found.span.start) == Some(b'<') {
                    Structure::Element
                } else if found.beside {
                    Structure::Record
                } else if found.explicit {
                    Structure::Explicit
                } else {
                    Structure::Flat
                };
                if let Some(doubt) =
                    Doubt::of(marking, body.family, structure, prose).filter(|_| unmarked)
                {
                    found.doubt(doubt);
                }
                self.accept(found, notation, context);
            }
        }
        self.mark(end);
        self.fence = None;
        self.line = true;
        if is_cut {
            self.at = self.called_to.min(end);
            self.cut(input);
        }
    }
}

/// Returns whether JSON names a tool and has no arguments.
fn is_name_alone(body: &Body<'_>, found: &Found<'_>) -> bool {
    body.family == Family::Json && !found.explicit && found.arguments.value.root().is_empty()
}

/// Returns whether the caller expects calls of this family.
fn is_expected(bodies: &[Body<'_>], context: Context<'_>) -> bool {
    let family = context.options.notation.map(|notation| notation.family);
    bodies.iter().all(|body| Some(body.family) == family)
}

/// Returns whether a body can be read at `at`.
fn bodies_follow(input: Input<'_>, at: usize, context: Context<'_>) -> bool {
    matches!(body::read(input, at, context), Ok(_) | Err(Stop::More | Stop::Cut))
}

/// Skips what may close calls whose opening mark is lost. Returns the offset behind it, and whether
/// a mark was there.
fn skip_closers(input: Input<'_>, at: usize) -> Read<(usize, bool)> {
    let mut end = at;
    let mut closed = false;
    loop {
        let next = input.skip_space(end);
        if input.starts(next, "```")? {
            let behind = input.slice(next + 3, input.line_end(next));
            if behind.trim().is_empty() || is_text(behind) {
                end = next + 3;
                continue;
            }
        }
        // The end of a code span that is the whole answer.
        if input.byte(next) == Some(b'`') && input.from(next + 1).trim().is_empty() {
            if !input.complete {
                return Err(Stop::More);
            }
            end = next + 1;
            continue;
        }
        match Tag::at(input, next)? {
            Some(tag) => match role(&tag) {
                Some(Role::Close) => {
                    end = tag.span.end;
                    closed = true;
                }
                Some(Role::TurnEnd)
                    if !tag.is("s") || input.from(tag.span.end).trim().is_empty() =>
                {
                    end = tag.span.end;
                }
                // The end of an element that no notation has.
                None if tag.closing => end = tag.span.end,
                _ => return Ok((end, closed)),
            },
            None => return Ok((end, closed)),
        }
    }
}

/// Returns the offset of the first line behind the fence at `at`, which ends a code block or begins
/// one that may hold calls; `None` if it is another one, or if text stands behind it.
fn fence_line(input: Input<'_>, at: usize) -> Read<Option<usize>> {
    let line = input.line_end(at);
    if line == input.len() && !input.complete {
        return Err(Stop::More);
    }
    let language = Language::of(input.slice(at + 3, line));
    let may_hold_calls = matches!(language, Language::Calls | Language::Data);
    Ok(may_hold_calls.then(|| input.skip_space(line)))
}

/// Returns whether a text ends with what may be the beginning of such a mark.
fn ends_in_mark(rest: &str) -> bool {
    let begins = |tail: &str| NEXT.iter().any(|mark| mark.starts_with(tail));
    held_before(rest, 0, LONGEST, begins) < rest.len()
}

/// Returns the offset of the first mark of a call or a label in `rest`.
fn first_mark(rest: &str) -> Option<usize> {
    let begins = |(at, _): &(usize, char)| {
        let rest = rest.get(*at..).unwrap_or_default();
        NEXT.iter().any(|mark| rest.starts_with(mark))
    };
    rest.char_indices().find(begins).map(|(at, _)| at)
}
