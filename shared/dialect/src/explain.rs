//! Prose for the model: the only file with it.

use source_text::{Diagnostic, LineIndex, is_hidden, shorten, visible_line};

use crate::failure::Expected;
use crate::fix::is_nothing;
use crate::invisible::name_of_invisible;
use crate::quote::{self, quoted};
use crate::show::show;
use crate::{
    Advice, Ambiguity, Candidate, Failure, FailureKind, Failures, Gap, GapCause, Interrupt, Limit, Mismatch,
    Object, Outcome, Partial, Refinement, Signature, Success, Type, TypeError, TypeErrorKind, Value,
};

/// The most failures of one program that are shown.
const FAILURES: usize = 8;
/// The most candidates of an ambiguity that are shown.
pub(crate) const CANDIDATES: usize = 12;
/// The most bytes of all programs of an ambiguity.
const PROGRAMS: usize = 12_000;
/// The most types of a union that are listed.
const MANY_TYPES: usize = 4;
/// The most bytes of a program that shows how to correct a mistake.
const PROGRAM: usize = 2_000;

/// The text for an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The value as compact JSON alone on success, so that it can be parsed; the explanation otherwise, with the
    /// value that there is without some elements of lists.
    pub text: String,
    /// The notes about the value, a line each; absent if there are none.
    pub note: Option<String>,
    /// `true` if the program failed. An ambiguity is not a failure: it continues the conversation.
    pub is_failure: bool,
}

/// Returns the outcome in words for a model. `source` is the text of the program, which failures quote.
pub fn explain(outcome: &Outcome, source: &str) -> Explanation {
    match outcome {
        Outcome::Success(success) => explain_success(success),
        Outcome::Failure(failures) => {
            Explanation { text: failures_text(failures, source), note: None, is_failure: true }
        }
        Outcome::Ambiguity(ambiguity) => {
            Explanation { text: ambiguity_text(ambiguity), note: None, is_failure: false }
        }
    }
}

fn explain_success(success: &Success) -> Explanation {
    let notes: Vec<&str> = success.notes.iter().map(|note| note.text.as_str()).collect();
    Explanation {
        text: success.program.clone().unwrap_or_else(|| show(&success.value)),
        note: (!notes.is_empty()).then(|| notes.join("\n")),
        is_failure: false,
    }
}

fn ambiguity_text(ambiguity: &Ambiguity) -> String {
    let candidates = ambiguity.candidates();
    let mut text = line(ambiguity.question());
    let mut offered = 0;
    for Candidate { description, program } in candidates.iter().take(CANDIDATES) {
        // At least two, because one alone would look like the answer.
        if offered >= 2 && text.len() + program.len() > PROGRAMS {
            break;
        }
        text.push_str(&format!("\nIf you meant {}, use\n{}", line(description), fenced(program)));
        offered += 1;
    }
    if offered < candidates.len() {
        text.push_str(&format!("\n({} more are not shown.)", candidates.len() - offered));
    }
    if let Some(done) = done_text(ambiguity.done()) {
        text.push_str(&format!("\n{done}"));
    }
    if let Some(partial) = ambiguity.partial() {
        text.push_str(&format!("\n{}", partial_text(partial)));
    }
    text
}

fn partial_text(partial: &Partial) -> String {
    let lines = [partial.heading(), partial.text.clone()].into_iter();
    let lines = lines.chain(partial.notes.iter().cloned()).chain(partial.ending());
    lines.collect::<Vec<_>>().join("\n")
}

/// Lists the calls that changed the world, so that the agent does not repeat them.
fn done_text(done: &[String]) -> Option<String> {
    if done.is_empty() {
        return None;
    }
    let calls: Vec<String> = done.iter().take(FAILURES).map(|it| inline(it)).collect();
    let more = if done.len() > calls.len() {
        format!(" and {} more", done.len() - calls.len())
    } else {
        String::new()
    };
    Some(format!("Already done, so leave it out of what you send next: {}{more}", calls.join(", ")))
}

/// Returns words that may hold names of others as one line, in which nothing hides.
fn line(words: &str) -> String {
    visible_line(words, usize::MAX)
}

/// Returns a program for display, the beginning of a long one.
fn program_text(program: &str) -> String {
    fenced(&inline(program))
}

/// Returns a piece of a program for a sentence.
fn inline(program: &str) -> String {
    if program.len() <= PROGRAM { program.to_owned() } else { shown(program) }
}

/// Returns the program on a line of its own, without quotes; in a fence if it has several lines.
fn fenced(program: &str) -> String {
    if program.contains('\n') { format!("```\n{program}\n```") } else { format!("    {program}") }
}

fn failures_text(failures: &Failures, source: &str) -> String {
    let index = LineIndex::new(source);
    let mut all: Vec<&Failure> = failures.all.iter().collect();
    all.sort_by_key(|failure| failure.span.map(|span| span.start));
    let corrected = failures.corrected.as_ref();
    let shown = |failure: &&Failure| {
        let mut diagnostic = diagnostic(failure);
        if corrected.is_some() && correction_says_it(&failure.kind) {
            diagnostic.help = None;
        }
        diagnostic.show(source, &index)
    };
    let mut parts: Vec<String> = all.iter().take(FAILURES).map(shown).collect();
    if all.len() > FAILURES {
        parts.push(format!("({} more are not shown.)", all.len() - FAILURES));
    }
    if let Some(program) = corrected {
        parts.push(format!("Write:\n{}", program_text(program)));
    }
    parts.extend(done_text(&failures.done));
    parts.extend(failures.partial.as_deref().map(partial_text));
    parts.join("\n\n")
}

/// Returns `true` if the corrected program makes the help redundant.
fn correction_says_it(kind: &FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::NotDialect { .. }
            | FailureKind::BareWord { .. }
            | FailureKind::WithoutBrackets { .. }
            | FailureKind::NotBoolean { .. }
            | FailureKind::SeveralResults { .. }
    )
}

/// Returns what stopped a function in one line, for a caller that is no program: its failures, or its question.
pub fn interruption(interrupt: &Interrupt) -> String {
    let all = |failures: &[Failure]| {
        failures.iter().map(|it| diagnostic(it).message).collect::<Vec<_>>().join("; ")
    };
    match interrupt {
        Interrupt::Failure(failure) => diagnostic(failure).message,
        Interrupt::Ambiguous(question) => question.question.clone(),
        Interrupt::Inside(stop) => match stop.question.as_deref() {
            Some(question) if stop.failures.is_empty() => question.text().to_owned(),
            _ => all(&stop.failures),
        },
    }
}

/// Explains a failure: its place, the problem, and the correction.
pub fn diagnostic(failure: &Failure) -> Diagnostic {
    let of_element = failure.element.as_ref().map(|it| format!(", where {}", shown(it))).unwrap_or_default();
    let diagnostic = Diagnostic::error(failure.span, message(&failure.kind) + &of_element);
    match help(&failure.kind) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// Explains a failure in code of documents, where texts are written differently.
pub(crate) fn document_diagnostic(failure: &Failure) -> Diagnostic {
    let help = match &*failure.kind {
        FailureKind::UnterminatedText { quote: '`', .. } => "Text that holds a backtick has \\` in it.",
        FailureKind::UnterminatedText { quote: '/', .. } => "A slash in a pattern is written \\/.",
        _ => return diagnostic(failure),
    };
    Diagnostic::error(failure.span, message(&failure.kind)).help(help)
}

/// Returns the problem.
fn message(kind: &FailureKind) -> String {
    use FailureKind as Kind;
    match kind {
        Kind::EmptyProgram => "the program is empty".to_owned(),
        Kind::ProseAround => "the program stands among other text".to_owned(),
        Kind::ForeignComment { mark } => format!("a comment begins with `//` here, not with `{mark}`"),
        Kind::SeveralPrograms { .. } => "one program is sent at a time".to_owned(),
        Kind::UnexpectedCharacter { text } => format!("`{}` means nothing here", shown(text)),
        Kind::UnterminatedText { quote: '`', .. } => {
            "the closing backtick of this text is missing".to_owned()
        }
        Kind::UnterminatedText { quote, .. } => {
            let what = if *quote == '/' { "pattern" } else { "text" };
            format!("the closing {quote} of this {what} is missing on its line")
        }
        Kind::UnterminatedComment => "the `*/` of this comment is missing".to_owned(),
        Kind::UnknownEscape { escape, .. } => format!("`{escape}` is not an escape"),
        Kind::MalformedNumber { text, .. } => format!("`{}` is not a number", shown(text)),
        Kind::Unclosed { bracket, .. } => format!("this `{bracket}` is never closed"),
        Kind::Unopened { bracket } => format!("this `{bracket}` closes nothing"),
        Kind::Unexpected { expected, found } if found.is_empty() => {
            format!("the program ends where {} should follow", expected_text(*expected))
        }
        Kind::Unexpected { expected, found } => {
            format!("`{}` stands where {} should", shown(found), expected_text(*expected))
        }
        Kind::MissingComma { .. } => "a comma is missing before this".to_owned(),
        Kind::SlashedOperand { operand } => {
            format!("is `{}` a divisor? `//` starts a comment", shown(operand))
        }
        Kind::NotDialect { instead, .. } if instead.is_empty() => "this is not needed here".to_owned(),
        Kind::NotDialect { .. } => "this is written differently here".to_owned(),
        Kind::WithoutBrackets { .. } => "arguments are written in brackets".to_owned(),
        Kind::Assignment => "nothing can be assigned to".to_owned(),
        Kind::LeadingOperator { operator, .. } => {
            format!("does the `{operator}` go on with the line before, or start a new expression?")
        }
        Kind::SeveralResults { .. } => "the result of this expression would be lost".to_owned(),
        Kind::NoResult { name } => format!("the program ends after `{name}` without a result"),
        Kind::NotCallable => "only what has a name can be called, and this has none".to_owned(),
        Kind::FieldWithoutValue { key } => format!("`{}` has no value, and nothing is called so", shown(key)),
        Kind::ObjectCall { .. } => "is this a call, or data?".to_owned(),
        Kind::QuotedProgram { .. } => "this is a program in quotes, which is only text".to_owned(),
        Kind::LanguageForm { form } => format!("`{form}` is not used so"),
        Kind::NotFunction { name } => format!("`{}` is not bound to a function", shown(name)),
        Kind::NamedForLambda { .. } => "a lambda takes its arguments by position".to_owned(),
        Kind::LambdaArity { takes, given } => {
            format!("this lambda takes {takes} arguments, and is given {given}")
        }
        Kind::LambdaResult { expected, found } => {
            format!("this should give {}, but gave {}", type_phrase(expected), with_article(found))
        }
        Kind::FunctionAsResult => "the result is a function, which cannot be shown".to_owned(),
        Kind::NoMethod { name, found, .. } => format!("{} has no `{}()`", with_article(found), shown(name)),
        Kind::NotBoolean { found, .. } => {
            format!("a condition is true or false, not {}", with_article(found))
        }
        Kind::WrongOperand { operator, expected, found } => {
            format!("`{operator}` takes {}, not {}", with_article(expected), with_article(found))
        }
        Kind::DividesByZero => "this divides by zero".to_owned(),
        Kind::DoesNotFit => "the result does not fit a number".to_owned(),
        Kind::NoMember { name, found, .. } => {
            format!("{} has no member `{}`", with_article(found), shown(name))
        }
        Kind::MemberOfNothing { name, .. } => format!("this list is empty, so there is no `{}`", shown(name)),
        Kind::NoElement { index, length } => format!("there is no element {index} in a list of {length}"),
        Kind::AmbiguousElement { element, .. } => {
            format!("one of the elements has several meanings: {}", inline(element))
        }
        Kind::BareWord { word, callable: Some(_), .. } => format!("`{word}` is a function, not a value"),
        Kind::BareWord { word, .. } => format!("`{}` is not the name of anything", shown(word)),
        Kind::UnknownFunction { name, .. } => format!("no function is called `{}`", shown(name)),
        Kind::MissingArguments { parameters, signature } => {
            format!("`{}` needs `{}`", signature.name, parameters.join("` and `"))
        }
        Kind::TooManyArguments { signature, .. } => match signature.parameters.len() {
            0 => format!("`{}` takes no argument", signature.name),
            1 => format!("`{}` takes one argument, and this is one more", signature.name),
            count => format!("`{}` takes at most {count} arguments, and this is one more", signature.name),
        },
        Kind::UnknownArgument { name, signature, .. } => {
            format!("`{}` has no parameter `{}`", signature.name, shown(name))
        }
        Kind::RepeatedKey { key } => format!("the key `{}` stands twice", shown(key)),
        Kind::RepeatedArgument { parameter, .. } => format!("`{parameter}` is given twice"),
        Kind::PositionalAfterNamed { .. } => "after a named argument the others need names too".to_owned(),
        Kind::WrongType { signature, parameter, expected, found: Mismatch::Other { value, .. } }
            if value.starts_with('"') && *expected == Type::Number =>
        {
            let text = shown(value);
            format!("`{parameter}` of `{}` takes a number, and the text {text} is none", signature.name)
        }
        Kind::WrongType { signature, parameter, expected, found } => {
            format!(
                "`{parameter}` of `{}` takes {}, not {}",
                signature.name,
                type_phrase(expected),
                found_text(found)
            )
        }
        Kind::BrokenRefinement { signature, parameter, refinement, value } => format!(
            "`{parameter}` of `{}` must {}, got {}",
            signature.name,
            broken_text(refinement, value),
            shown(value)
        ),
        Kind::NothingGiven { parameter, expected, .. } => {
            format!("`{parameter}` takes {}, and this list is empty", type_phrase(expected))
        }
        Kind::UnreadableArgument { parameter, reason } => {
            format!("`{parameter}` is wrong: {}", line(&plain_reason(reason)))
        }
        Kind::BrokenPromise { signature, found, parts } => {
            let inside = parts
                .iter()
                .any(|it| !it.pointer.is_empty() || matches!(it.kind, TypeErrorKind::Rule { .. }));
            let parts = if inside { format!(": {}", parts_text(parts)) } else { String::new() };
            format!(
                "`{}` should give {}, but gave {}{parts}",
                signature.name,
                type_phrase(&signature.returns),
                with_article(found)
            )
        }
        Kind::LimitReached { limit, at_most } => limit_text(*limit, *at_most),
        Kind::IncompleteAnswer { function, by, gap: Gap { reason, .. } } => {
            let problem = format!("the answer to `{function}` is not complete ({})", shown(reason));
            match by {
                Some(by) => format!("`{by}` cannot decide: {problem}"),
                None => problem,
            }
        }
        Kind::Raised { name, message, .. } if message.is_empty() => format!("it failed with {name}"),
        Kind::Raised { message, .. } => line(message),
        Kind::Undeclared { callable, name, message, problems } => {
            undeclared(callable, name, message, problems)
        }
    }
}

/// Returns the correction, if it adds to the corrected program.
fn help(kind: &FailureKind) -> Option<String> {
    use FailureKind as Kind;
    Some(match kind {
        Kind::ProseAround => "Send the program alone.".to_owned(),
        Kind::EmptyProgram => "Write one expression: a call such as name(`text`).".to_owned(),
        Kind::UnexpectedCharacter { text } if text.contains(['“', '”', '‘', '’', '„', '«', '»']) => {
            "Text is written between backticks, or straight quotes.".to_owned()
        }
        Kind::UnterminatedText { quote: '`', .. } => {
            "Backtick text has no escapes. Text that holds a backtick is written in double quotes.".to_owned()
        }
        Kind::UnterminatedText { .. } => "Text of several lines is written between backticks.".to_owned(),
        Kind::UnknownEscape { .. } => {
            "Between backticks a backslash is a backslash; in quotes it is written twice.".to_owned()
        }
        Kind::MalformedNumber { .. } => {
            "Numbers are written as in JSON; an integer must fit 64 bits.".to_owned()
        }
        Kind::Unexpected { expected: Expected::Closing("]"), found } if found == ":" => {
            "An index is one number; -1 is the last.".to_owned()
        }
        Kind::LambdaResult { expected: Type::Bool, .. } => {
            "Compare: x => x != null, x => x.length > 0, …".to_owned()
        }
        Kind::SlashedOperand { operand } => format!(
            "To divide a by it without a fraction, write: (a - a % {0}) / {0}. A comment goes on a line of its own.",
            shown(operand)
        ),
        Kind::NotDialect { instead, .. } if instead.is_empty() => "Leave it out.".to_owned(),
        Kind::NotDialect { instead, .. } if instead == "…" => return None,
        Kind::NotDialect { instead, .. } => format!("Here it is: {}", inline(instead)),
        Kind::WithoutBrackets { name, .. } => format!("Write {name}(…)."),
        Kind::Assignment => "Values do not change. Bind a new one to a name: name = {…}".to_owned(),
        Kind::LeadingOperator { joined, separate, .. } => {
            let joined = format!("To go on, write:\n{}", program_text(joined));
            match separate {
                Some(separate) => format!("{joined}\nTo have both, write:\n{}", program_text(separate)),
                None => joined,
            }
        }
        Kind::SeveralResults { program } | Kind::SeveralPrograms { program } => {
            format!("To have all of them, write:\n{}", program_text(program))
        }
        Kind::NoResult { name } => format!("Add a last line with an expression, such as: {name}"),
        Kind::BareWord { nearest: Some(nearest), .. } => format!("Did you mean `{nearest}`?"),
        Kind::BareWord { callable: Some(signature), .. } => format!("Call it: {signature}"),
        Kind::BareWord { word, .. } => {
            let text = quote::text(word);
            let nothing = if is_nothing(word) { "Nothing is written null. " } else { "" };
            format!("{nothing}If text is meant, it needs backticks: {}", inline(&text))
        }
        Kind::FieldWithoutValue { key } => format!("Write {{{key}: …}}"),
        Kind::ObjectCall { call, data } => {
            format!(
                "If it is a call, write:\n{}\nIf it is data, write:\n{}",
                program_text(call),
                program_text(data)
            )
        }
        Kind::LanguageForm { form } => form_help(form).to_owned(),
        Kind::NamedForLambda { .. } => "Leave out the names.".to_owned(),
        Kind::FunctionAsResult => "Call it.".to_owned(),
        Kind::NoMethod { types, .. } => format!("These have it: {}", types.join(", ")),
        Kind::NotBoolean { instead, .. } if instead.contains('…') => {
            format!("For a value where there is none, write {instead}")
        }
        Kind::NotBoolean { instead, .. } => format!("Write {}", inline(instead)),
        Kind::RepeatedKey { .. } => "An object has one value for each key: leave one out.".to_owned(),
        Kind::Unexpected { expected: Expected::Key, found } if found == "..." => {
            "Objects are not spread: name their fields.".to_owned()
        }
        Kind::WrongOperand { operator: "+", .. } => {
            "`+` adds numbers, or joins text with text, numbers and booleans. Lists: [...a, ...b]".to_owned()
        }
        Kind::NoMember { members, nearest, .. } if !members.is_empty() => {
            let meant = nearest.as_ref().map(|it| format!("Did you mean `{it}`? ")).unwrap_or_default();
            format!("{meant}It has: {}", members.join(", "))
        }
        Kind::MemberOfNothing { source, .. } => format!("Nothing was found by {}", inline(source)),
        Kind::NoElement { .. } => "Indexes count from 0, or from -1 at the end.".to_owned(),
        Kind::AmbiguousElement { program: Some(program), .. } => {
            format!("Ask about it alone:\n{}", program_text(program))
        }
        Kind::AmbiguousElement { .. } => "Decide about it in a program of its own first.".to_owned(),
        Kind::UnknownFunction { nearest, all, .. } => nearest_text(nearest, all),
        Kind::WrongType { signature, expected: Type::Function { .. }, .. } => {
            format!("A function is written x => x.name. {signature}")
        }
        Kind::WrongType {
            found:
                Mismatch::Other { nearest: Some(nearest), .. } | Mismatch::Stray { nearest: Some(nearest), .. },
            ..
        } => format!("Did you mean `{nearest}`?"),
        Kind::MissingArguments { signature, .. }
        | Kind::TooManyArguments { signature, .. }
        | Kind::RepeatedArgument { signature, .. }
        | Kind::PositionalAfterNamed { signature }
        | Kind::BrokenRefinement { signature, .. }
        | Kind::WrongType { signature, .. }
        | Kind::NothingGiven { signature, .. } => signature.to_string(),
        Kind::UnknownArgument { signature, nearest, .. } => match nearest {
            Some(nearest) => format!("Did you mean `{nearest}`? {signature}"),
            None => signature.to_string(),
        },
        Kind::BrokenPromise { .. } | Kind::Undeclared { .. } => {
            "This is a mistake of the library, not of the program.".to_owned()
        }
        Kind::LimitReached { limit, .. } => limit_help(*limit).to_owned(),
        Kind::IncompleteAnswer { gap, .. } => gap_help(gap.cause).to_owned(),
        Kind::Raised { advice, .. } => return advised(advice),
        _ => return None,
    })
}

/// Returns the advice of a library's failure, with advice on retrying.
fn advised(advice: &Advice) -> Option<String> {
    let retry = advice.retryable.then(|| match advice.wait {
        None => "The same program may succeed later.".to_owned(),
        Some(0) => "The same program may succeed now.".to_owned(),
        Some(seconds) => format!("The same program may succeed in {seconds} s."),
    });
    let often = advice.most_retries.filter(|_| advice.retryable);
    let often = often.map(|most| format!("Try at most {} more.", times(most)));
    let user = advice.for_user.as_ref().map(|words| format!("The user may be told: {}", line(words)));
    let recovery = advice.recovery.iter().map(|it| line(it));
    let lines: Vec<String> = recovery.chain(retry).chain(often).chain(user).collect();
    (!lines.is_empty()).then(|| lines.join(" "))
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// Explains a failure that breaks the declaration of its callable.
fn undeclared(callable: &str, name: &str, message: &str, problems: &[String]) -> String {
    let says = if message.is_empty() { String::new() } else { format!(": {}", line(message)) };
    match problems {
        [] => format!("`{callable}` failed with {name}, which it does not declare{says}"),
        problems => {
            let problems = line(&problems.join("; "));
            format!("`{callable}` failed with {name}, and not as declared: {problems}{says}")
        }
    }
}

/// Returns the rule that a value breaks, to follow "must".
fn broken_text(refinement: &Refinement, value: &str) -> String {
    match refinement {
        Refinement::Integer if value.parse::<i128>().is_ok() => "be from -(2^53 - 1) to 2^53 - 1".to_owned(),
        refinement => refinement_text(refinement),
    }
}

/// Returns a rule, to follow "must".
fn refinement_text(refinement: &Refinement) -> String {
    match refinement {
        Refinement::Min(number) => format!("be at least {number}"),
        Refinement::Max(number) => format!("be at most {number}"),
        Refinement::MultipleOf(number) => format!("be a multiple of {number}"),
        Refinement::Integer => "be a whole number".to_owned(),
        Refinement::Positive => "be above 0".to_owned(),
        Refinement::Negative => "be below 0".to_owned(),
        Refinement::MinLength(count) => format!("have at least {}", counted(*count, "character")),
        Refinement::MaxLength(count) => format!("have at most {}", counted(*count, "character")),
        Refinement::NonEmpty => "not be empty".to_owned(),
        Refinement::StartsWith(text) => format!("start with {}", quoted(text)),
        Refinement::EndsWith(text) => format!("end with {}", quoted(text)),
        Refinement::Regex(pattern) => format!("match {pattern}"),
        Refinement::Email => "be an email address".to_owned(),
        Refinement::Url => "be an absolute URL".to_owned(),
        Refinement::Uuid => "be a UUID".to_owned(),
        Refinement::MinItems(count) => format!("have at least {}", counted(*count, "element")),
        Refinement::MaxItems(count) => format!("have at most {}", counted(*count, "element")),
        Refinement::Unique => "hold nothing twice".to_owned(),
    }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn found_text(found: &Mismatch) -> String {
    match found {
        Mismatch::Type(name) => with_article(name),
        Mismatch::Other { value, .. } => shown(value),
        Mismatch::Stray { field, .. } => format!("an object with `{}`", shown(field)),
        Mismatch::Without { field } => format!("an object without `{field}`"),
        Mismatch::With { field, expected, found } => {
            format!("an object whose `{field}` is {} and not {}", with_article(found), type_phrase(expected))
        }
        Mismatch::Parts(parts) => format!("this: {}", parts_text(parts)),
    }
}

/// Lists the problem of each part: `/name must not be empty, and is ""`.
fn parts_text(parts: &[TypeError]) -> String {
    let part = |TypeError { pointer, kind }: &TypeError| {
        let it = if pointer.is_empty() { "it" } else { pointer };
        match kind {
            TypeErrorKind::Type { expected, found } => {
                format!("{it} should be {}, and is {}", type_phrase(expected), with_article(found))
            }
            TypeErrorKind::Rule { refinement, value } => {
                format!("{it} must {}, and is {value}", broken_text(refinement, value))
            }
            TypeErrorKind::Missing { expected } => format!("{it} is missing, {}", type_phrase(expected)),
        }
    };
    parts.iter().map(part).collect::<Vec<_>>().join("; ")
}

fn nearest_text(nearest: &[std::sync::Arc<Signature>], all: &[String]) -> String {
    let signatures: Vec<String> = nearest.iter().map(|it| it.to_string()).collect();
    match signatures.as_slice() {
        [] if all.is_empty() => "There are no functions at all.".to_owned(),
        [] => format!("Functions: {}", all.join(", ")),
        [one] => format!("Did you mean {one}"),
        several => format!("Did you mean one of these?\n    {}", several.join("\n    ")),
    }
}

fn expected_text(expected: Expected) -> String {
    match expected {
        Expected::Expression => "an expression".to_owned(),
        Expected::Comma => "a comma, or the closing bracket,".to_owned(),
        Expected::Colon => "`:`".to_owned(),
        Expected::Key => "a key".to_owned(),
        Expected::Name => "a name".to_owned(),
        Expected::Type => "a type".to_owned(),
        Expected::Binding => "`=`".to_owned(),
        Expected::Closing(bracket) => format!("`{bracket}`"),
        Expected::End => "the end of the program, or a new line,".to_owned(),
    }
}

fn limit_text(limit: Limit, at_most: usize) -> String {
    match limit {
        Limit::Source => format!("the program is longer than {at_most} bytes"),
        Limit::Depth => format!("this is nested more than {at_most} deep"),
        Limit::Calls => format!("the program makes more calls than {at_most}"),
        Limit::Steps => format!("the program takes more steps than {at_most}"),
        Limit::ListLength => format!("this list has more elements than {at_most}"),
        Limit::ValueBytes => format!("the values of the program have more bytes than {at_most}"),
    }
}

fn limit_help(limit: Limit) -> &'static str {
    match limit {
        Limit::Source => "Send it in parts.",
        Limit::Depth => "Send the inner part as a program of its own first.",
        Limit::Calls | Limit::Steps => "Ask about fewer things at a time.",
        Limit::ListLength | Limit::ValueBytes => "Ask for less: a narrower path or pattern.",
    }
}

fn gap_help(cause: GapCause) -> &'static str {
    match cause {
        GapCause::Time => "Ask for less in one program: fewer names, a folder.",
        GapCause::Limit => "Narrow the question, so that its answer is whole: a folder, a longer pattern.",
        GapCause::Failed | GapCause::Unknown => "Leave out the decision to see the part that there is.",
    }
}

/// Returns the note on a decision about an answer that may not be complete.
pub(crate) fn decided_on_part(by: Option<&str>, function: &str) -> String {
    let by = by.map_or_else(|| "The program".to_owned(), |by| format!("`{by}`"));
    format!("{by} decided on the incomplete answer to `{function}`, so the value may be wrong.")
}

/// Asks which element of a list is meant.
pub(crate) fn which_element(ty: &Type, count: usize) -> String {
    let wanted =
        if ty.alternatives().len() > MANY_TYPES { "One".to_owned() } else { capital(&type_phrase(ty)) };
    format!("{wanted} is needed here, but there are {count}. Which one?")
}

/// Asks which of several conversions is meant.
pub(crate) fn which_reading(ty: &Type, count: usize) -> String {
    format!("There are {count} ways to make {} of this. Which one?", type_phrase(ty))
}

/// Returns the reasons why an attempted expression has no value.
pub(crate) fn failure_in_data(failures: &[Failure]) -> String {
    let sentence = |failure: &Failure| match help(&failure.kind) {
        Some(help) => format!("{}. {help}", message(&failure.kind)),
        None => message(&failure.kind),
    };
    failures.iter().map(sentence).collect::<Vec<_>>().join("\n")
}

/// Returns the question of an attempted expression, with its programs.
pub(crate) fn ambiguity_in_data(ambiguity: &Ambiguity) -> Value {
    let entry = |key: &str, text: &str| (key.to_owned(), Value::from(text));
    let candidates = ambiguity.candidates().iter().take(CANDIDATES).map(|it| {
        let fields = [entry("description", &it.description), entry("program", &it.program)];
        Value::Object(Object::from_iter(fields))
    });
    let candidates = ("candidates".to_owned(), Value::List(candidates.collect()));
    Value::Object(Object::from_iter([entry("question", ambiguity.question()), candidates]))
}

/// Offers a member of every element.
pub(crate) fn each_of_them(count: usize) -> String {
    format!("all {count} of them")
}

/// Offers the member of one element, in each run of a lambda.
pub(crate) const FIRST_OF_EACH: &str = "the first of them each time";
/// Offers the same for the last element.
pub(crate) const LAST_OF_EACH: &str = "the last of them each time";

/// Asks for which element of a list the member is meant.
pub(crate) fn which_member(name: &str, count: usize) -> String {
    format!("`.{name}` of which? The list has {count} elements.")
}

fn form_help(form: &str) -> &'static str {
    match form {
        "quote" => "quote(data) is the data, whatever its keys are.",
        "attempt" => {
            "attempt(e) is {value: …}, or {failure: …} where e fails, or {ambiguity: …} where it asks."
        }
        "if" => "if(condition, a, b) is a or b, and so is condition ? a : b.",
        "lambda" => "{\"lambda\": {\"params\": [\"x\"], \"body\": e}}; as data: {\"quote\": …}",
        "let" => "let(e, x => body), or {\"let\": [[\"x\", e], body]}; as data: {\"quote\": …}",
        "var" => "{\"var\": \"x\"}; as data: {\"quote\": …}",
        "apply" => "{\"apply\": [{\"var\": \"f\"}, a]}; as data: {\"quote\": …}",
        "spread" => "{\"spread\": list} stands in a list; as data: {\"quote\": …}",
        "field" => "{\"field\": [e, \"name\"]}; as data: {\"quote\": …}",
        "index" => "{\"index\": [e, 0]}; as data: {\"quote\": …}",
        "object" => "{\"object\": [[\"key\", e]]}; as data: {\"quote\": …}",
        _ => "{\"+\": [a, b]}; as data: {\"quote\": …}",
    }
}

fn type_phrase(ty: &Type) -> String {
    match ty {
        Type::Any => "anything".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Optional(inner) => type_phrase(inner),
        Type::Literal(literal) => literal.to_string(),
        Type::Union(members) => {
            let each: Vec<String> = members.iter().map(type_phrase).collect();
            let (last, others) = each.split_last().expect("a union has members");
            if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) }
        }
        Type::Refined(inner, refinements) => {
            let all: Vec<String> = refinements.iter().map(refinement_text).collect();
            format!("{} that must {}", type_phrase(inner), all.join(" and "))
        }
        ty => with_article(&ty.to_string()),
    }
}

/// Returns a type's name with its article.
fn with_article(name: &str) -> String {
    match name {
        "null" => "null".to_owned(),
        _ if name.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']) => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}

/// Returns a deserializer's message without the names of Rust types.
fn plain_reason(reason: &str) -> String {
    let names = [
        ("a nonzero u32", "a whole number from 1"),
        ("u8", "a whole number from 0"),
        ("u16", "a whole number from 0"),
        ("u32", "a whole number from 0"),
        ("u64", "a whole number from 0"),
        ("usize", "a whole number from 0"),
        ("i32", "a whole number"),
        ("i64", "a whole number"),
    ];
    let found = names.iter().find(|(rust, _)| reason.ends_with(&format!("expected {rust}")));
    found.map_or(reason.to_owned(), |(rust, plain)| {
        reason.replace(&format!("expected {rust}"), &format!("expected {plain}"))
    })
}

/// Returns the text on one line, shortened to fit into a sentence.
fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    shorten(text, LONGEST).chars().flat_map(printable).collect()
}

fn printable(char: char) -> Vec<char> {
    match name_of_invisible(char) {
        Some(name) => format!("U+{:04X} {name}", u32::from(char)).chars().collect(),
        None if is_hidden(char) => line(char.encode_utf8(&mut [0; 4])).chars().collect(),
        None => vec![char],
    }
}
