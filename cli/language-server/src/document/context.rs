//! The syntactic context of a place: what was typed before it, and what may follow.

use ailang::Document;
use ailang::split::{BlockKind, Part};
use source_text::Span;

/// The kind of text that may stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// A key of the YAML between the `---` lines at the top.
    FrontMatterField,
    /// The value of a field of the front matter.
    FrontMatterValue(String),
    /// A tag, at the start of a line of prose.
    Tag,
    /// The path behind `from`, a document or a package.
    ImportPath,
    /// A name that an import takes from a document.
    ImportName(String),
    /// The part behind `name.`: a refinement, a member of a module or of a value, or a variant. The name is empty where the
    /// receiver does not start with one.
    Member(String),
    /// The type of a parameter, a field or a result.
    Type,
    /// A capability, behind `requires`.
    Capability,
    /// An error, behind `throws` or `catch`.
    Error,
    /// The start of a definition or of a clause.
    Definition,
    /// A statement or an expression of a program.
    Program,
    /// Nothing that could be known.
    Nothing,
}

/// Returns the context of a place, and the part of a name that stands before it.
pub(super) fn context(document: &Document, offset: usize) -> (Context, Span) {
    let source = &document.source[..offset];
    let start = source.rfind(|char| !is_name_part(char)).map_or(0, |at| at + width(&source[at..]));
    let word = Span::new(start, offset);
    let line = source.rsplit(['\n', '\r']).next().unwrap_or_default();
    let part = document.parts.iter().find(|part| part.span().start <= offset && offset <= part.span().end);
    let context = match part {
        Some(Part::FrontMatter { body, .. }) if body.start <= offset && offset <= body.end => {
            front_matter(line)
        }
        _ => match code_at(document, offset) {
            Some((kind, code)) => return in_code(document, kind, code, word),
            None if line.trim_start().starts_with('<') => {
                let length = line.trim_start().len();
                return (Context::Tag, Span::new(offset - length, offset));
            }
            None => Context::Nothing,
        },
    };
    (context, word)
}

fn front_matter(line: &str) -> Context {
    match line.split_once(':') {
        None if !line.starts_with([' ', '-']) => Context::FrontMatterField,
        Some((field, _)) if !line.starts_with(' ') => Context::FrontMatterValue(field.trim().to_owned()),
        _ => Context::Nothing,
    }
}

/// Returns the kind of the block and the stretch of code around a place.
pub(super) fn code_at(document: &Document, offset: usize) -> Option<(BlockKind, Span)> {
    document.blocks().find_map(|block| {
        let code = block.code().find(|code| code.start <= offset && offset <= code.end)?;
        Some((block.kind, code))
    })
}

fn in_code(document: &Document, kind: BlockKind, code: Span, word: Span) -> (Context, Span) {
    let before = &document.source[code.start..word.start];
    let line = before.rsplit('\n').next().unwrap_or_default();
    if in_comment(before, line) {
        return (Context::Nothing, word);
    }
    if let Some(path) = open_import(line, &document.source[word.start..word.end]) {
        let start = word.end - path;
        return (Context::ImportPath, Span::new(start, word.end));
    }
    if let Some(module) = imported_module(document, code, word.start) {
        return (Context::ImportName(module), word);
    }
    if let Some(receiver) = before.strip_suffix('.') {
        return (Context::Member(receiver_of(receiver).unwrap_or_default()), word);
    }
    let context = match previous(before) {
        "requires" => Context::Capability,
        "throws" | "catch" | "throw" => Context::Error,
        _ if in_clause(before, "requires") => Context::Capability,
        _ if in_clause(before, "throws") => Context::Error,
        _ if kind == BlockKind::Example => Context::Program,
        ":" | "->" | "|" | "<" | "=" | "[" => Context::Type,
        "," if before.rfind('<') > before.rfind('>') => Context::Type,
        _ if line.trim().is_empty() || line.ends_with([')', ' ']) => Context::Definition,
        _ => Context::Nothing,
    };
    (context, word)
}

fn in_comment(before: &str, line: &str) -> bool {
    line.trim_start().starts_with("//") || before.rfind("/*") > before.rfind("*/")
}

/// Returns the length of the path that stands between quotes before a place, if that is the path of an import.
fn open_import(line: &str, word: &str) -> Option<usize> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_import = words.first().is_some_and(|first| matches!(*first, "import" | "from"));
    let text = format!("{line}{word}");
    let quote = text.rfind(['"', '\'', '`'])?;
    let is_open = text.matches(['"', '\'', '`']).count() % 2 == 1;
    (is_import && is_open).then(|| text.len() - quote - 1)
}

/// Returns the module of the import on the line of a place where a name of it may stand.
fn imported_module(document: &Document, code: Span, at: usize) -> Option<String> {
    let source = &document.source;
    let start = source[code.start..at].rfind('\n').map_or(code.start, |it| code.start + it + 1);
    let end = source[at..code.end].find('\n').map_or(code.end, |it| at + it);
    let (before, line) = (&source[start..at], &source[start..end]);
    let is_name = match line.split_whitespace().next()? {
        "from" => before.contains(" import "),
        "import" => before.contains('{') && !before.contains('}'),
        _ => false,
    };
    let mut quoted = line.split(['"', '\'']).skip(1);
    let module = quoted.next().map(str::to_owned);
    let bare = || line.split_whitespace().nth(1).map(str::to_owned);
    is_name.then(|| module.or_else(bare)).flatten()
}

/// Returns the name that the chain of calls before a dot starts with: `string` of `string.minLength(2)`.
fn receiver_of(before: &str) -> Option<String> {
    let mut depth = 0_usize;
    let start = before.char_indices().rev().find(|(_, char)| {
        match char {
            ')' | ']' => depth += 1,
            '(' | '[' if depth > 0 => depth -= 1,
            _ => return depth == 0 && !is_name_part(*char) && !matches!(char, '.' | ' ' | '\n' | '\t'),
        }
        false
    });
    let chain = before[start.map_or(0, |(at, char)| at + char.len_utf8())..].trim();
    let first = chain.split(['.', '(', '[']).next()?.trim().rsplit(char::is_whitespace).next()?;
    let is_list = before.ends_with(']') && chain.starts_with('[');
    Some(if is_list { "List".to_owned() } else { first.to_owned() }).filter(|name| !name.is_empty())
}

/// Returns the last word or mark before a place.
fn previous(before: &str) -> &str {
    let text = before.trim_end();
    let start = text.rfind(|char| !is_name_part(char)).map_or(0, |at| at + width(&text[at..]));
    match &text[start..] {
        "" if text.ends_with("->") => "->",
        "" => text.char_indices().last().map_or("", |(at, _)| &text[at..]),
        word => word,
    }
}

/// Returns `true` behind a keyword and names with commas between them.
fn in_clause(before: &str, keyword: &str) -> bool {
    let text = before.trim_end();
    let Some(list) = text.strip_suffix([',', '&']) else { return false };
    let is_list =
        |text: &str| text.chars().all(|it| is_name_part(it) || matches!(it, ',' | '&' | ' ' | '\n' | '.'));
    list.rfind(keyword).is_some_and(|at| is_list(&list[at..]))
}

pub(super) fn is_name_part(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

fn width(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}
