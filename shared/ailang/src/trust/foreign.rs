//! Import of third-party libraries.

use std::fmt;
use std::sync::Arc;

use dialect::{
    Conversion, DeclaredFailure, ErrorTemplate, Failure, FailureKind, Function, Handler, Interrupt,
    Invocation, Library, RecordType, Signature, Type, TypeAlias, Value,
};
use futures::future::BoxFuture;
use source_text::is_hidden;

use super::plain::{plain, quoted, quoted_lines};
use super::{LONGEST_ASK, LONGEST_CODE, LONGEST_DOCS, LONGEST_NAME, LONGEST_RECOVERY, LONGEST_SUMMARY};

/// The reason to refuse a third-party library. Words can be quoted and truncated; code cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untrusted {
    /// It contains characters that are invisible or change the direction of text.
    Hidden {
        /// The name of the library.
        library: String,
        /// The signature or the name, without these characters.
        code: String,
    },
    /// A signature or a name is longer than [`LONGEST_CODE`].
    Long {
        /// The name of the library.
        library: String,
        /// The start of the signature.
        code: String,
    },
    /// A conversion between types of other libraries, which would change the meaning of their calls.
    Conversion {
        /// The name of the library.
        library: String,
        /// The signature of the conversion.
        signature: String,
    },
    /// Foreign idioms, which would change programs that do not use the library.
    ForeignIdioms {
        /// The name of the library.
        library: String,
    },
}

impl std::error::Error for Untrusted {}

impl fmt::Display for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hidden { library, code } => write!(
                f,
                "library `{library}`: `{code}` has characters that cannot be seen; write it without them"
            ),
            Self::Long { library, code } => write!(
                f,
                "library `{library}`: `{code}` has more than {LONGEST_CODE} characters; give its types names"
            ),
            Self::Conversion { library, signature } => write!(
                f,
                "library `{library}`: the conversion `{signature}` takes and gives what belongs to others; take or \
                 give a type of your own"
            ),
            Self::ForeignIdioms { library } => {
                write!(
                    f,
                    "library `{library}`: only what is built in has foreign_idioms; declare functions instead"
                )
            }
        }
    }
}

/// Makes a third-party library safe to load beside built-in ones.
///
/// Its words, and those of its failures, lose invisible characters. They are truncated, quoted, and labelled
/// with `origin`, the name of the author.
///
/// # Errors
/// When code is invisible or too long, or when a row would change the meaning of other libraries' programs.
pub fn foreign(library: Library, origin: &str) -> Result<Library, Untrusted> {
    let Library { name, types, aliases, functions, conversions, foreign_idioms } = library;
    let importer =
        ForeignLibrary { library: name, label: format!("From {}: ", quoted(origin, LONGEST_NAME)) };
    if !foreign_idioms.is_empty() {
        return Err(Untrusted::ForeignIdioms { library: importer.library });
    }
    let records = types.iter().filter_map(|it| name_of(&it.signature));
    let own: Vec<String> = records.chain(aliases.iter().map(|it| it.name.clone())).collect();
    for conversion in &conversions {
        importer.conversion_is_its_own(conversion, &own)?;
    }
    Ok(Library {
        types: types.into_iter().map(|it| importer.record(it)).collect::<Result<_, _>>()?,
        aliases: aliases.into_iter().map(|it| importer.alias(it)).collect::<Result<_, _>>()?,
        functions: functions.into_iter().map(|it| importer.function(it)).collect::<Result<_, _>>()?,
        conversions: conversions.into_iter().map(|it| importer.conversion(it)).collect::<Result<_, _>>()?,
        foreign_idioms,
        name: importer.library,
    })
}

/// Returns the name of the type that a constructor's signature declares.
fn name_of(signature: &str) -> Option<String> {
    signature.split('(').next().map(|name| name.trim().to_owned())
}

/// A third-party library during its import.
struct ForeignLibrary {
    library: String,
    /// The label before its words.
    label: String,
}

impl ForeignLibrary {
    fn function(&self, row: Function) -> Result<Function, Untrusted> {
        let aliases = row.aliases.iter().chain(&row.foreign);
        let named = row.parameter_aliases.iter().flat_map(|(alias, name)| [alias, name]);
        for code in [&row.signature].into_iter().chain(aliases).chain(named) {
            self.code_is_visible(code)?;
        }
        Ok(Function {
            summary: self.labelled(&row.summary),
            docs: quoted_lines(&row.docs, LONGEST_DOCS),
            examples: row.examples.into_iter().filter(|it| is_shown(it)).collect(),
            asks: row.asks.iter().map(|it| quoted_lines(it, LONGEST_ASK)).collect(),
            notes: quoted_lines(&row.notes, LONGEST_DOCS),
            fails: row.fails.into_iter().map(sanitize_declaration).collect(),
            error_template: sanitize_template(row.error_template),
            code: Arc::new(ForeignCode(row.code)),
            ..row
        })
    }

    fn alias(&self, row: TypeAlias) -> Result<TypeAlias, Untrusted> {
        self.code_is_visible(&row.to_string())?;
        Ok(TypeAlias { description: self.labelled(&row.description), ..row })
    }

    fn record(&self, row: RecordType) -> Result<RecordType, Untrusted> {
        self.code_is_visible(&row.signature)?;
        let docs = quoted_lines(&row.docs, LONGEST_DOCS);
        Ok(RecordType { description: self.labelled(&row.description), docs, ..row })
    }

    fn conversion(&self, row: Conversion) -> Result<Conversion, Untrusted> {
        self.code_is_visible(&row.signature)?;
        let description = self.labelled(&row.description);
        let fails = row.fails.into_iter().map(sanitize_declaration).collect();
        let error_template = sanitize_template(row.error_template);
        Ok(Conversion { description, fails, error_template, code: Arc::new(ForeignCode(row.code)), ..row })
    }

    fn labelled(&self, words: &str) -> String {
        if words.is_empty() {
            return String::new();
        }
        format!("{}{}", self.label, quoted(words, LONGEST_SUMMARY))
    }

    fn code_is_visible(&self, code: &str) -> Result<(), Untrusted> {
        let (library, shown) = (self.library.clone(), plain(code, LONGEST_NAME));
        if code.chars().any(is_hidden) {
            return Err(Untrusted::Hidden { library, code: shown });
        }
        if code.chars().count() > LONGEST_CODE {
            return Err(Untrusted::Long { library, code: shown });
        }
        Ok(())
    }

    /// Checks that a conversion takes or returns a type of the library.
    fn conversion_is_its_own(&self, row: &Conversion, own: &[String]) -> Result<(), Untrusted> {
        // The registry refuses malformed signatures.
        let Ok(signature) = Signature::parse(&row.signature) else { return Ok(()) };
        let is_own = |ty: &Type| ty.named().is_some_and(|name| own.iter().any(|it| **it == **name));
        let mut ends = signature.parameters.iter().map(|it| &it.ty).chain([&signature.returns]);
        if ends.any(is_own) {
            return Ok(());
        }
        let signature = plain(&row.signature, LONGEST_SUMMARY);
        Err(Untrusted::Conversion { library: self.library.clone(), signature })
    }
}

/// Returns `true` for an example without invisible characters. Others are dropped, because a program cannot
/// be truncated.
fn is_shown(example: &str) -> bool {
    let is_hidden = |it: char| is_hidden(it) && it != '\n';
    example.chars().count() <= LONGEST_CODE && !example.chars().any(is_hidden)
}

fn sanitize_declaration(row: DeclaredFailure) -> DeclaredFailure {
    DeclaredFailure {
        name: plain(&row.name, LONGEST_NAME),
        description: plain(&row.description, LONGEST_SUMMARY),
        message: plain(&row.message, LONGEST_RECOVERY),
        recovery: plain(&row.recovery, LONGEST_RECOVERY),
        carries: plain(&row.carries, LONGEST_CODE),
        retry_after: plain(&row.retry_after, LONGEST_CODE),
        user_message: plain(&row.user_message, LONGEST_RECOVERY),
        retryable: row.retryable,
        max_retries: row.max_retries,
    }
}

/// Third-party code, whose failures are sanitized.
struct ForeignCode(Arc<dyn Handler>);

impl Handler for ForeignCode {
    fn call(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let call = self.0.call(invocation);
        Box::pin(async move { call.await.map_err(sanitize_interrupt) })
    }
}

fn sanitize_interrupt(interrupt: Interrupt) -> Interrupt {
    match interrupt {
        Interrupt::Failure(failure) => Interrupt::Failure(sanitize_failure(failure)),
        other => other,
    }
}

fn sanitize_failure(mut failure: Failure) -> Failure {
    let cut = |text: &mut String| *text = plain(text, LONGEST_RECOVERY);
    match &mut *failure.kind {
        FailureKind::Raised { name, message, advice, .. } => {
            *name = plain(name, LONGEST_NAME);
            cut(message);
            advice.recovery.iter_mut().chain(&mut advice.for_user).for_each(cut);
        }
        FailureKind::Undeclared { name, message, problems, .. } => {
            *name = plain(name, LONGEST_NAME);
            cut(message);
            problems.iter_mut().for_each(cut);
        }
        _ => {}
    }
    failure
}

/// Sanitizes the failures that a template renders.
fn sanitize_template(error_template: Option<ErrorTemplate>) -> Option<ErrorTemplate> {
    let error_template = error_template?;
    Some(Arc::new(move |failure| sanitize_failure(error_template(failure))))
}
