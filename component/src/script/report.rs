//! The answer of a program, for the agent: one line of numbers, what it printed and returned, and what went wrong.

use std::time::Duration;

use ide_protocol::{ChangedFile, FileOperation};
use script_protocol::{CallError, ErrorKind, Failed, FailedReason, Log, Place, too_long};
use source_text::{LineIndex, Span, excerpt, visible_json, visible_line};
use typescript::{Problem, Program};

use super::condense::{condense, condense_json};
use super::outputs::Outputs;
use super::run::{CallNote, CallRecord, End, Ran};
use super::type_check::Finding;
use crate::script::settings::ScriptLimits;
use crate::tool::answer::{Answer, Kind};

/// The functions that the first line counts by name.
const COUNTED: usize = 6;

/// The bytes of names of files that are shown; what is beyond them can be read.
const NAMES: usize = 4_000;

/// The notes that are shown.
const NOTES: usize = 5;

/// The candidates of an ambiguity that are shown.
const CANDIDATES: usize = 12;

/// A program that is over, with what became of its changes.
pub(super) struct Report<'r> {
    pub(super) source: &'r str,
    pub(super) program: &'r Program,
    pub(super) ran: &'r Ran,
    pub(super) limits: &'r ScriptLimits,
    pub(super) time: Duration,
    pub(super) max_output: usize,
    /// The files that are written.
    pub(super) written: &'r [ChangedFile],
    /// The paths of the files whose changes were not written.
    pub(super) dropped: &'r [String],
    /// The reason why the changes were not written, if the program itself ended well.
    pub(super) refused: Option<String>,
    /// The changes of a dry run.
    pub(super) preview: Option<String>,
    /// The findings of a type checker.
    pub(super) findings: Vec<Finding>,
    /// The plugins that are not there and that it may have meant, a sentence each.
    pub(super) missing: Vec<String>,
    /// Keeps what is shortened.
    pub(super) outputs: &'r Outputs,
}

impl Report<'_> {
    pub(super) fn answer(&self) -> Answer {
        let (word, kind) = self.outcome();
        let mut lines = vec![self.header(word)];
        lines.extend(self.printed());
        lines.extend(self.value());
        lines.extend(self.preview.clone());
        lines.extend(self.problem());
        lines.extend(self.changes());
        lines.extend(self.notes());
        Answer::new(vec![lines.join("\n")], kind)
    }

    /// Returns the outcome in a word or two.
    pub(super) fn outcome_word(&self) -> &'static str {
        self.outcome().0
    }

    fn outcome(&self) -> (&'static str, Kind) {
        match &self.ran.end {
            End::Done(_) if self.refused.is_some() => ("not written", Kind::Failure),
            End::Done(_) => ("ok", Kind::Success),
            End::Failed(failed) if self.ambiguity(failed).is_some() => ("ambiguous", Kind::Ambiguity),
            End::Failed(Failed { reason: FailedReason::Exception | FailedReason::Rejection, .. }) => {
                ("failed", Kind::Failure)
            }
            End::Failed(_) | End::Late | End::Died(_) => ("stopped", Kind::Failure),
        }
    }

    fn header(&self, word: &str) -> String {
        let mut parts = vec![word.to_owned()];
        parts.push(counted_calls(&self.ran.calls));
        if !self.written.is_empty() {
            parts.push(format!("{} written", files(self.written.len())));
        }
        parts.push(format!("{} ms", self.time.as_millis()));
        parts.join(" · ")
    }

    fn printed(&self) -> Option<String> {
        let lines: Vec<&str> = self.ran.output.iter().map(|Log { text, .. }| text.as_str()).collect();
        let (text, dropped) = (lines.join("\n"), self.dropped_output());
        let shown = condense(&text, self.max_output);
        let mut shown = if shown == text { shown } else { format!("{shown}\n{}", self.outputs.keep(text)) };
        if dropped > 0 {
            shown.push_str(&format!("\n({dropped} more bytes were printed and are lost)"));
        }
        (!shown.is_empty()).then_some(shown)
    }

    fn dropped_output(&self) -> u64 {
        match &self.ran.end {
            End::Done(done) => done.dropped,
            End::Failed(failed) => failed.dropped,
            End::Late | End::Died(_) => 0,
        }
    }

    fn value(&self) -> Option<String> {
        let End::Done(done) = &self.ran.end else { return None };
        let written = done.value.as_ref()?.get();
        let (text, shown) = match serde_json::from_str(written) {
            Ok(serde_json::Value::String(text)) => (text.clone(), condense(&text, self.max_output)),
            Ok(value) if too_long(written).is_none() => {
                (dialect::show(&value), condense_json(&value, self.max_output))
            }
            // Numbers keep their digits.
            Ok(_) => {
                let written = visible_json(written).into_owned();
                (written.clone(), condense(&written, self.max_output))
            }
            // A key may be half a surrogate pair, which no Rust string can hold.
            Err(_) => {
                let written = visible_json(written).into_owned();
                (written.clone(), condense(&written, self.max_output))
            }
        };
        Some(if shown == text { shown } else { format!("{shown}\n{}", self.outputs.keep(text)) })
    }

    /// Returns the error of the call that nobody caught, if its call has several readings.
    fn ambiguity(&self, failed: &Failed) -> Option<&CallError> {
        self.error(failed).filter(|it| it.kind == ErrorKind::Ambiguous)
    }

    fn error(&self, failed: &Failed) -> Option<&CallError> {
        let number = failed.call?;
        self.ran.errors.iter().find(|(it, _)| *it == number).map(|it| &it.1)
    }

    fn problem(&self) -> Option<String> {
        Some(match &self.ran.end {
            End::Done(_) => return self.refused.clone(),
            End::Failed(failed) => self.failed(failed),
            End::Late => {
                let seconds = self.limits.wall.as_secs_f64();
                let open: Vec<&CallRecord> = self.ran.calls.iter().filter(|it| !it.is_answered).collect();
                let waiting = open.first().map(|it| match it.place {
                    Some(place) => {
                        let line = self.program.place(place).line;
                        format!(", while `{}` of line {line} had no answer", it.label)
                    }
                    None => format!(", while `{}` had no answer", it.label),
                });
                format!(
                    "Stopped after {seconds} s{}. Do less in one program, or pass timeout_ms.",
                    waiting.unwrap_or_default()
                )
            }
            End::Died(why) => {
                format!(
                    "The process of the program ended ({why}). Send the program again; if it ends again, do less."
                )
            }
        })
    }

    fn failed(&self, failed: &Failed) -> String {
        let ScriptLimits { cpu, memory, .. } = self.limits;
        let at = failed.stack.first().map(|it| self.program.place(it.place));
        match failed.reason {
            FailedReason::Cpu => {
                let limit = cpu.as_secs_f64();
                format!(
                    "Stopped after {limit} s of computing, which is the limit; waiting for calls does not count. \
                         Is there a loop without end?{}",
                    self.reached(at)
                )
            }
            FailedReason::Memory => {
                let limit = memory >> 20;
                let text = format!(
                    "Stopped: the program takes more than {limit} MiB of memory. Keep less at a time."
                );
                text + &self.reached(at)
            }
            FailedReason::Deadlock => {
                let text = "Stopped: the program waits for a promise that nothing can settle.".to_owned();
                text + &self.unsettled()
            }
            FailedReason::Exception | FailedReason::Rejection => {
                let error = self.error(failed);
                let name = match (error, failed.name.as_str()) {
                    (Some(error), _) => error.operation.clone(),
                    (None, "") => "Thrown".to_owned(),
                    (None, name) => name.to_owned(),
                };
                let (first, rest) = failed.message.split_once('\n').unwrap_or((&failed.message, ""));
                let first = first.strip_prefix(&format!("{name}: ")).unwrap_or(first);
                let place =
                    at.map(|it| format!(" (line {}, column {})", it.line, it.column)).unwrap_or_default();
                let mut text = format!("{name}{place}: {first}");
                text.extend(at.and_then(|it| self.excerpt(it)).map(|it| format!("\n{it}")));
                if !rest.is_empty() {
                    text.push('\n');
                    text.push_str(rest);
                }
                if first.starts_with("could not load module") {
                    text.push_str(
                        "\nFunctions need no import: they are in `ide`, `fs` and the other namespaces.",
                    );
                }
                if first == "Maximum call stack size exceeded" {
                    text.push_str("\nIs there a recursion without end?");
                }
                if failed.reason == FailedReason::Rejection {
                    text.push_str("\nNobody handled this promise; await it.");
                }
                let outer =
                    failed.stack.iter().skip(1).map(|it| self.program.place(it.place).line.to_string());
                let outer: Vec<String> = outer.collect();
                if !outer.is_empty() {
                    text.push_str(&format!("\nCalled from line {}.", outer.join(", ")));
                }
                if let Some(error) = self.ambiguity(failed) {
                    text.push_str(&choices(error));
                }
                text
            }
        }
    }

    /// Returns how far a program came that was stopped: the place, or else the last call.
    fn reached(&self, at: Option<Place>) -> String {
        let last = || {
            let call = self.ran.calls.last()?;
            let Place { line, column } = self.program.place(call.place?);
            Some(format!("\nIts last call was {} (line {line}, column {column}).", call.label))
        };
        match at {
            Some(place) => {
                let Place { line, column } = place;
                let excerpt = self.excerpt(place).map(|it| format!("\n{it}")).unwrap_or_default();
                // The engine knows the places of calls and properties, not of every instruction.
                format!("\nIt was at line {line}, column {column}, or in a loop after it.{excerpt}")
            }
            None => last().unwrap_or_default(),
        }
    }

    /// Returns the first promise that the program makes itself, which may be the one that it waits for.
    fn unsettled(&self) -> String {
        let Some(start) = self.source.find("new Promise") else { return self.reached(None) };
        let index = LineIndex::new(self.source);
        let (line, column) = index.position(self.source, start, source_text::Encoding::Utf16);
        let excerpt = excerpt(self.source, &index, Span::new(start, start + "new Promise".len()));
        format!(
            "\nIs it the one of line {}, column {}? Something has to call its `resolve`.\n{excerpt}",
            line + 1,
            column + 1
        )
    }

    fn excerpt(&self, place: Place) -> Option<String> {
        let line = self.source.split('\n').nth(usize::try_from(place.line).ok()? - 1)?;
        let before: usize =
            self.source.split('\n').take(place.line as usize - 1).map(|it| it.len() + 1).sum();
        let mut units = 0;
        let column = line.char_indices().find(|(_, it)| {
            units += u32::try_from(it.len_utf16()).unwrap_or(1);
            units >= place.column
        });
        let start = before + column.map_or(line.len(), |it| it.0);
        let end = start + column.map_or(0, |it| it.1.len_utf8());
        Some(excerpt(self.source, &LineIndex::new(self.source), Span::new(start, end)))
    }

    fn changes(&self) -> Option<String> {
        let mut lines: Vec<String> = Vec::new();
        if !self.written.is_empty() {
            let each = self.written.iter().map(|it| {
                let what = match it.fate {
                    Some(FileOperation::Created) => " (new)".to_owned(),
                    Some(FileOperation::Deleted) => " (removed)".to_owned(),
                    Some(FileOperation::Moved) => {
                        format!(" → {}", name(it.to.as_deref().unwrap_or_default()))
                    }
                    None => String::new(),
                };
                format!("{}{what}", name(&it.path))
            });
            lines.push(format!("Written: {}.", self.named(&each.collect::<Vec<_>>())));
        }
        if !self.dropped.is_empty() && self.preview.is_none() {
            let before =
                if self.written.is_empty() { "Nothing was written" } else { "Nothing else was written" };
            let names = if self.dropped.len() == 1 {
                String::new()
            } else {
                format!(
                    " {}.",
                    self.named(&self.dropped.iter().map(|it| name(it).to_string()).collect::<Vec<_>>())
                )
            };
            lines.push(format!("{before}: the changes of {} are dropped.{names}", files(self.dropped.len())));
        }
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Returns names in a row; of a long list the start, with how to read it.
    fn named(&self, names: &[String]) -> String {
        let mut room = NAMES;
        let shown = names.iter().take_while(|it| {
            let fits = it.len() + 2 <= room;
            room = room.saturating_sub(it.len() + 2);
            fits
        });
        let shown = shown.count();
        let text = names[..shown].join(", ");
        match names.len() - shown {
            0 => text,
            more => format!("{text}, and {more} more {}", self.outputs.keep(names.join("\n"))),
        }
    }

    fn note(&self, note: &CallNote) -> String {
        let text = name(&note.text);
        let Some(call) = self.ran.calls.get(note.call) else { return format!("Note: {text}") };
        let line = call.place.map(|it| format!("line {}, ", self.program.place(it).line)).unwrap_or_default();
        let subject = call.subject.as_ref().map(|it| format!(" of `{}`", name(it))).unwrap_or_default();
        format!("Note ({line}{}{subject}): {text}", call.label)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.ran.notes.iter().take(NOTES).map(|it| self.note(it)).collect();
        let more = self.ran.notes.len().saturating_sub(notes.len());
        if more > 0 {
            notes.push(format!(
                "Note: {more} more such notes of other calls; `(await ide.….outcome(…)).notes` has those of a call."
            ));
        }
        if let End::Done(done) = &self.ran.end
            && !done.unawaited.is_empty()
        {
            let lines: Vec<String> =
                done.unawaited.iter().map(|it| self.program.place(*it).line.to_string()).collect();
            notes.push(format!("Note: nobody awaits the calls of line {}; write `await`.", lines.join(", ")));
        }
        if matches!(&self.ran.end, End::Done(done) if done.value.is_none() && done.dropped == 0)
            && self.ran.output.is_empty()
            && self.written.is_empty()
            && self.dropped.is_empty()
        {
            notes.push("Note: it printed and returned nothing; end it with `return`.".to_owned());
        }
        notes.extend(self.missing.iter().map(|it| name(it)));
        let found = self.findings.iter();
        notes.extend(found.map(|it| format!("Note (line {}, types): {}", it.place.line, name(&it.message))));
        if let Some(why) = &self.ran.unconfined {
            notes.push(format!("Note: the operating system does not confine programs here ({why})."));
        }
        notes
    }
}

/// Returns what is wrong with a program that cannot run. `missing` are the plugins that are not there and that it names.
pub(super) fn refusal(source: &str, problems: &[Problem], missing: &[String]) -> Answer {
    let index = LineIndex::new(source);
    let each = problems.iter().take(10).map(|it| {
        let span = Span::new(it.span.start, it.span.end.max(it.span.start));
        let (line, column) = index.position(source, span.start, source_text::Encoding::Utf16);
        let mut text = format!(
            "line {}, column {}: {}\n{}",
            line + 1,
            column + 1,
            it.message,
            excerpt(source, &index, span)
        );
        text.extend(it.help.iter().map(|it| format!("\n{it}")));
        text
    });
    let texts: Vec<String> = each.collect();
    let more = problems.len().saturating_sub(texts.len());
    let more = if more > 0 { format!("\n… and {more} more") } else { String::new() };
    let missing: String = missing.iter().map(|it| format!("\n{}", name(it))).collect();
    Answer::failure(format!("not run · nothing has happened\n{}{more}{missing}", texts.join("\n")))
}

fn choices(error: &CallError) -> String {
    let each = error.candidates.iter().take(CANDIDATES).map(|it| {
        format!("\n- {}: await dialect.run({})", name(&it.description), dialect::show(&it.program))
    });
    let mut text: String = each.collect();
    let more = error.candidates.len().saturating_sub(CANDIDATES);
    if more > 0 {
        text.push_str(&format!("\n- and {more} more"));
    }
    text.push_str(&format!(
        "\nOr choose in the program: const {{ candidates }} = await {}.outcome(…); await candidates[0].choose()",
        error.operation
    ));
    text
}

/// Returns a name or words of others as a part of a line.
fn name(text: &str) -> String {
    visible_line(text, usize::MAX)
}

fn counted_calls(calls: &[CallRecord]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for call in calls {
        match counts.iter_mut().find(|(label, _)| *label == call.label) {
            Some((_, count)) => *count += 1,
            None => counts.push((&call.label, 1)),
        }
    }
    counts.sort_by_key(|it| std::cmp::Reverse(it.1));
    let total = match calls.len() {
        1 => "1 call".to_owned(),
        count => format!("{count} calls"),
    };
    let each = counts.iter().take(COUNTED).map(|(label, count)| format!("{count} {label}"));
    let mut each: Vec<String> = each.collect();
    if counts.len() > COUNTED {
        each.push("…".to_owned());
    }
    if each.is_empty() { total } else { format!("{total} ({})", each.join(", ")) }
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}
