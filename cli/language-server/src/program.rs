//! Answers about Dialect programs, from the registry of everything that programs can name.

use std::collections::{BTreeSet, HashMap};

use dialect::ast::{Expression, ExpressionKind};
use dialect::code::{Token, TokenKind};
use dialect::{
    Failure, FailureKind, Level, Limits, Program, Signature, about, completions as named, diagnostic,
    ends_in_code, format, members, open_call, program_tokens, read, signature,
};
use source_text::{Severity, Span};

use crate::answers::{CallHelp, Completion, Fix, Highlight, HoverText, Kind, Mistake, TextEdit};
use crate::document::comments;
use crate::workspace::ProgramView;

/// Returns the mistakes that can be known before the program runs.
pub(crate) fn mistakes(view: &ProgramView) -> Vec<Mistake> {
    let source = &*view.text.source;
    let Err(failures) = Program::parse(&view.registry, source, &Limits::default()) else { return Vec::new() };
    let is_empty = failures.all.iter().all(|it| *it.kind == FailureKind::EmptyProgram);
    if is_empty {
        return Vec::new();
    }
    let whole = Span::new(0, source.len());
    let corrected = failures.corrected.map(|text| Fix {
        title: "write the corrected program".to_owned(),
        edit: TextEdit { span: whole, text },
    });
    let each = failures.all.iter().map(|failure| {
        let found = diagnostic(failure);
        let message = match found.help {
            Some(help) => format!("{}\n{help}", found.message),
            None => found.message,
        };
        Mistake {
            span: found.span.unwrap_or(whole),
            severity: Severity::Error,
            code: failure.kind.name().to_owned(),
            message,
            fixes: corrected.iter().cloned().chain(fixes(source, failure)).collect(),
            related: Vec::new(),
        }
    });
    each.collect()
}

/// Returns replacements of a wrong name by those that are spelled like it.
fn fixes(source: &str, failure: &Failure) -> Vec<Fix> {
    let (name, nearest): (&str, Vec<&str>) = match &*failure.kind {
        FailureKind::NoMember { name, nearest, .. } | FailureKind::UnknownArgument { name, nearest, .. } => {
            (name, nearest.iter().map(String::as_str).collect())
        }
        FailureKind::UnknownFunction { name, nearest, .. } => {
            (name, nearest.iter().map(|it| it.name.as_str()).collect())
        }
        _ => return Vec::new(),
    };
    let Some(span) = failure.span else { return Vec::new() };
    let Some(at) = source.get(span.range()).and_then(|text| text.find(name)) else { return Vec::new() };
    let span = Span::new(span.start + at, span.start + at + name.len());
    let fix =
        |text: &str| Fix { title: format!("write `{text}`"), edit: TextEdit { span, text: text.to_owned() } };
    nearest.into_iter().map(fix).collect()
}

/// Returns the names that may be typed at a place: parameters, bound names, functions; or members behind a dot.
pub(crate) fn completions(view: &ProgramView, offset: usize) -> Vec<Completion> {
    let before = &view.text.source[..offset];
    if !ends_in_code(before) {
        return Vec::new();
    }
    let found = named(&view.registry, before);
    let span = Span::new(found.start, offset);
    let typed = before[found.start..].to_lowercase();
    let item = |name: &str, kind, detail: String, insert: String| Completion {
        label: name.to_owned(),
        kind,
        detail,
        documentation: String::new(),
        insert,
        span,
    };
    let function = |it: &&Signature| {
        let end = if it.parameters.is_empty() { "()" } else { "(" };
        let documentation = about(&view.registry, &it.name, Level::Compact).unwrap_or_default();
        let insert = format!("{}{end}", it.name);
        Completion { documentation, ..item(&it.name, Kind::Tool, it.to_string(), insert) }
    };
    let mut all = Vec::new();
    if before[..found.start].trim_end().ends_with('.') {
        let fields = members(&view.registry, &before[..found.start]);
        let fields = fields.iter().filter(|name| name.to_lowercase().starts_with(&typed));
        all.extend(fields.map(|name| item(name, Kind::Field, String::new(), name.clone())));
    } else {
        let argument = |it: &&dialect::Parameter| {
            item(&it.name, Kind::Parameter, it.to_string(), format!("{}=", it.name))
        };
        all.extend(found.parameters.iter().map(argument));
        let locals = locals(before).into_iter().filter(|name| name.to_lowercase().starts_with(&typed));
        all.extend(locals.map(|name| item(name, Kind::Variable, "bound here".to_owned(), name.to_owned())));
    }
    all.extend(found.callables.iter().map(function));
    all
}

/// Returns the names that a program binds: on lines of their own, and for its functions.
fn locals(source: &str) -> BTreeSet<&str> {
    let tokens = program_tokens(source);
    let text = |token: &Token| &source[token.span.range()];
    let mut found = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.is_name()) {
        let next = tokens.get(at + 1);
        let is_bound = token.starts_line || at == 0;
        if next.is_some_and(|next| is_bound && next.is_mark("=") || next.is_mark("=>")) {
            found.insert(text(token));
        }
        if next.is_some_and(|next| next.is_mark(")") || next.is_mark(",")) {
            // `(a, b) => …`
            let close = tokens[at..].iter().position(|it| it.is_mark(")")).map(|it| it + at);
            let is_list = close.is_some_and(|close| {
                let names = tokens[at..close].iter().all(|it| it.is_name() || it.is_mark(","));
                names && tokens.get(close + 1).is_some_and(|it| it.is_mark("=>"))
            });
            found.extend(is_list.then(|| text(token)));
        }
    }
    found
}

/// Returns the signature and the documentation of the function at a place.
pub(crate) fn hover(view: &ProgramView, offset: usize) -> Option<HoverText> {
    let source = &*view.text.source;
    let tokens = program_tokens(source);
    let token = tokens.iter().find(|it| it.is_name() && it.span.start <= offset && offset <= it.span.end)?;
    let name = &source[token.span.range()];
    let text = about(&view.registry, name, Level::Detailed)?;
    let (declaration, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let rest = rest.trim_end().replace('\n', "\n\n");
    Some(HoverText { span: token.span, markdown: format!("```dialect\n{declaration}\n```\n\n{rest}") })
}

/// Returns the signature of the call around a place.
pub(crate) fn call_help(view: &ProgramView, offset: usize) -> Option<CallHelp> {
    let before = &view.text.source[..offset];
    let call = open_call(before)?;
    let found = signature(&view.registry, call.name)?;
    let start = call.name.as_ptr().addr() - before.as_ptr().addr();
    // `x.f(…)`: the receiver is the first argument.
    let receivers = usize::from(before[..start].ends_with('.'));
    let named = call.named.and_then(|name| found.parameters.iter().position(|it| it.name == name));
    let active = named.or(Some(call.argument + receivers)).filter(|it| *it < found.parameters.len());
    let documentation = about(&view.registry, call.name, Level::Detailed).unwrap_or_default();
    let documentation = documentation.split_once('\n').map_or("", |(_, rest)| rest).to_owned();
    let label = found.to_string();
    let mut at = 0;
    let place = |it: &dialect::Parameter| {
        let text = it.to_string();
        let start = label[at..].find(&text).map_or(at, |start| at + start);
        at = (start + text.len()).min(label.len());
        (Span::new(start, at), String::new())
    };
    let parameters = found.parameters.iter().map(place).collect();
    Some(CallHelp { label, documentation, parameters, active })
}

/// Returns the program in its canonical layout.
///
/// # Errors
/// The first mistake, if it cannot be read.
pub(crate) fn formatted(view: &ProgramView) -> Result<String, String> {
    format(&view.text.source).map_err(|failures| {
        let first = failures.all.first().map(|failure| diagnostic(failure).message);
        first.unwrap_or_else(|| "the program cannot be read".to_owned())
    })
}

/// Returns the coloured stretches of a program, in order.
pub(crate) fn highlights(view: &ProgramView) -> Vec<Highlight> {
    let source = &*view.text.source;
    let mut names = HashMap::new();
    if let Ok(program) = read(source) {
        meanings(&program, &mut names);
    }
    let bound = locals(source);
    let mut found = Vec::new();
    let mut end = 0;
    let tokens = program_tokens(source);
    for (at, token) in tokens.iter().enumerate() {
        comments(source, Span::new(end.min(token.span.start), token.span.start), &mut found);
        end = token.span.end;
        let text = &source[token.span.range()];
        let is_called = tokens.get(at + 1).is_some_and(|next| next.is_mark("("));
        let kind = match &token.kind {
            TokenKind::Name => match names.get(&token.span) {
                Some(kind) => *kind,
                None if matches!(text, "true" | "false" | "null") => Kind::Keyword,
                None if bound.contains(text) => Kind::Variable,
                None if is_called || signature(&view.registry, text).is_some() => Kind::Tool,
                None => continue,
            },
            TokenKind::Number(_) => Kind::Number,
            TokenKind::Text(_) => Kind::Text,
            _ => continue,
        };
        found.push(Highlight { span: token.span, kind, is_definition: false });
    }
    comments(source, Span::new(end, source.len()), &mut found);
    found
}

/// Collects the names of arguments, fields and members with their kinds.
fn meanings(program: &Expression, names: &mut HashMap<Span, Kind>) {
    let mut pending = vec![program];
    while let Some(expression) = pending.pop() {
        match &expression.kind {
            ExpressionKind::Call(call) => {
                names.insert(call.name.span, Kind::Tool);
                let arguments = call.arguments.iter().filter_map(|it| it.name.as_ref());
                names.extend(arguments.map(|name| (name.span, Kind::Parameter)));
            }
            ExpressionKind::Member { name, .. } => drop(names.insert(name.span, Kind::Field)),
            ExpressionKind::Object(fields) => {
                names.extend(fields.iter().map(|(name, _)| (name.span, Kind::Field)));
            }
            ExpressionKind::Lambda { parameters, .. } => {
                names.extend(parameters.iter().map(|it| (it.name.span, Kind::Parameter)));
            }
            ExpressionKind::Let { bindings, .. } => {
                names.extend(bindings.iter().map(|(name, _)| (name.span, Kind::Variable)));
            }
            _ => {}
        }
        pending.extend(expression.kind.children());
    }
}
