//! Classes of errors.

use super::file::File;
use crate::generate::model::{ErrorType, Formula, Message, Piece};
use crate::generate::writer::Writer;

/// The class that all errors extend.
const BASE: &str = "\
export interface ErrorAdvice {
  retryable: boolean;
  recovery?: string | undefined;
  userMessage?: string | undefined;
  retryAfter?: number | undefined;
  maxRetries?: number | undefined;
}

export class ToolError extends Error {
  readonly retryable: boolean;
  readonly recovery: string | undefined;
  readonly userMessage: string | undefined;
  readonly retryAfter: number | undefined;
  readonly maxRetries: number | undefined;

  constructor(name: string, message: string, advice: ErrorAdvice) {
    super(message);
    this.name = name;
    this.retryable = advice.retryable;
    this.recovery = advice.recovery;
    this.userMessage = advice.userMessage;
    this.retryAfter = advice.retryAfter;
    this.maxRetries = advice.maxRetries;
  }
}
";

/// The functions that fill the holes of messages. A hole without a value keeps its spelling.
const FILL: &str = "
function find(params: unknown, path: readonly string[]): unknown {
  let value: unknown = params;
  for (const name of path) {
    const has = typeof value === \"object\" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name);
    const items = typeof value === \"string\" || Array.isArray(value) ? [...value] : undefined;
    value = has ? (value as Record<string, unknown>)[name] : name === \"length\" ? items?.length : undefined;
  }
  return value;
}
";

const TEXT: &str = "
function fill(value: unknown, spelled: string): string {
  if (value === undefined || value === null) {
    return `\\${${spelled}}`;
  }
  return typeof value === \"string\" ? value : JSON.stringify(value);
}
";

const TIME: &str = "
function time(value: unknown): number | undefined {
  return typeof value === \"number\" ? value : undefined;
}
";

const COMPUTED: &str = "
function computed(of: (left: number, right: number) => number, left: unknown, right: unknown): number | undefined {
  const result = typeof left === \"number\" && typeof right === \"number\" ? of(left, right) : NaN;
  return Number.isFinite(result) ? result : undefined;
}
";

/// Prints all errors.
pub(super) fn errors(file: &File<'_>, out: &mut Writer) {
    if !file.options.errors || file.model.errors.is_empty() {
        return;
    }
    let mut classes = Writer::new("  ");
    for error in &file.model.errors {
        classes.gap();
        class(file, error, &mut classes);
    }
    let classes = classes.finish();
    out.gap();
    let restyled = |code: &str| file.style.restyled(code);
    out.line(restyled(BASE).trim_end());
    let needed = [
        (FILL, classes.contains("find(")),
        (TEXT, classes.contains("fill(")),
        (TIME, classes.contains("time(")),
        (COMPUTED, classes.contains("computed(")),
    ];
    for (code, _) in needed.into_iter().filter(|(_, is_needed)| *is_needed) {
        out.line(restyled(code).trim_end());
    }
    out.line(classes.trim_end());
    out.gap();
    if file.options.documentation {
        out.line("/** The classes by the names of the errors. */");
    }
    let close = format!("}} as const{}", file.style.end);
    out.block("export const errorClasses = {", &close, |out| {
        for error in &file.model.errors {
            let (key, class) = (file.style.key(&error.name), file.names.error(&error.name));
            out.line(if key == class { format!("{key},") } else { format!("{key}: {class},") });
        }
    });
}

fn class(file: &File<'_>, error: &ErrorType, out: &mut Writer) {
    let end = file.style.end;
    let name = file.names.error(&error.name);
    let params = file.printer().print(&error.input());
    let is_empty = error.parameters.as_ref().is_some_and(Vec::is_empty);
    let given = if is_empty { format!("params: {params} = {{}}") } else { format!("params: {params}") };
    file.comment(&error.docs, &[], out);
    out.block(format!("export class {name} extends ToolError {{"), "}", |out| {
        out.line(format!("readonly params: {params}{end}"));
        out.gap();
        out.block(format!("constructor({given}) {{"), "}", |out| {
            let (name, message) = (file.style.quoted(&error.name), text(file, &error.message));
            out.block(format!("super({name}, {message}, {{"), &format!("}}){end}"), |out| {
                out.line(format!("retryable: {},", error.retryable));
                for (key, message) in [("recovery", &error.recovery), ("userMessage", &error.user_message)] {
                    if let Some(message) = message {
                        out.line(format!("{key}: {},", text(file, message)));
                    }
                }
                if let Some(formula) = &error.retry_after {
                    out.line(format!("retryAfter: time({}),", value(file, formula)));
                }
                if let Some(count) = error.max_retries {
                    out.line(format!("maxRetries: {count},"));
                }
            });
            out.line(format!("this.params = params{end}"));
        });
    });
}

/// Returns a message as an expression.
fn text(file: &File<'_>, message: &Message) -> String {
    if let [] | [Piece::Text(_)] = &message[..] {
        let plain = message.iter().map(|it| if let Piece::Text(text) = it { text.as_str() } else { "" });
        return file.style.quoted(&plain.collect::<String>());
    }
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => {
            text.replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${").replace('\r', "\\r")
        }
        Piece::Formula(formula, spelled) => {
            format!("${{fill({}, {})}}", value(file, formula), file.style.quoted(spelled))
        }
    };
    format!("`{}`", message.iter().map(piece).collect::<String>().replace('\n', "\\n"))
}

/// Returns the value of a formula as an expression.
fn value(file: &File<'_>, formula: &Formula) -> String {
    match formula {
        Formula::Number(number) => number.to_string(),
        Formula::Path(path) => format!("find(params, {})", file.style.json(&path.as_slice().into())),
        Formula::Now => "Date.now() / 1000".to_owned(),
        Formula::Binary(operator, left, right) => {
            let (left, right) = (value(file, left), value(file, right));
            format!("computed((left, right) => left {operator} right, {left}, {right})")
        }
    }
}
