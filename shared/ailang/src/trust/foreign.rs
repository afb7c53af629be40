//! Libraries of others, made fit to stand beside ours.

use std::fmt;
use std::sync::Arc;

use dialect::{Conversion, DeclaredFailure, Failure, FailureKind, Function, Handler, Interrupt, Invocation};
use dialect::{ErrorTemplate, Library, RecordType, Signature, Type, Value};
use futures::future::BoxFuture;

use super::plain::{is_hidden, plain, quoted, quoted_lines};
use super::{LONGEST_ASK, LONGEST_CODE, LONGEST_DOCS, LONGEST_NAME, LONGEST_RECOVERY, LONGEST_SUMMARY};

/// Why a library of somebody else is refused. Words can be quoted and cut; what a program is made of cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untrusted {
    /// It has characters that cannot be seen, or that turn others around.
    Hidden {
        /// The library.
        library: String,
        /// The signature or the name, without them.
        code: String,
    },
    /// It is longer than [`LONGEST_CODE`].
    Long {
        /// The library.
        library: String,
        /// How the signature starts.
        code: String,
    },
    /// A conversion between types that both are of others: it would change what their calls mean.
    Conversion {
        /// The library.
        library: String,
        /// The conversion's signature.
        signature: String,
    },
    /// Habits change what programs mean that say nothing of the library.
    Habits {
        /// The library.
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
            Self::Habits { library } => {
                write!(f, "library `{library}`: only what is built in has habits; declare functions instead")
            }
        }
    }
}

/// The library as it may stand beside ours: characters that cannot be seen are gone from its words, the words are cut
/// to lengths, quoted, and labelled with `origin`, whose they are; so are those with which its code fails.
///
/// # Errors
/// When what its programs are made of is hidden or too long, or when it would change the meaning of what is not its own.
pub fn foreign(library: Library, origin: &str) -> Result<Library, Untrusted> {
    let Library { name, types, functions, conversions, foreign_idioms } = library;
    let door = Door { library: name, label: format!("From {}: ", quoted(origin, LONGEST_NAME)) };
    if !foreign_idioms.is_empty() {
        return Err(Untrusted::Habits { library: door.library });
    }
    let own: Vec<String> = types.iter().filter_map(|it| name_of(&it.signature)).collect();
    for conversion in &conversions {
        door.conversion_is_its_own(conversion, &own)?;
    }
    Ok(Library {
        types: types.into_iter().map(|it| door.record(it)).collect::<Result<_, _>>()?,
        functions: functions.into_iter().map(|it| door.function(it)).collect::<Result<_, _>>()?,
        conversions: conversions.into_iter().map(|it| door.conversion(it)).collect::<Result<_, _>>()?,
        foreign_idioms,
        name: door.library,
    })
}

/// The name of the type that a constructor's signature declares.
fn name_of(signature: &str) -> Option<String> {
    signature.split('(').next().map(|name| name.trim().to_owned())
}

/// What a library passes through.
struct Door {
    library: String,
    /// What stands before its words.
    label: String,
}

impl Door {
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
            fails: row.fails.into_iter().map(failure).collect(),
            error_template: telling(row.error_template),
            code: Arc::new(Foreign(row.code)),
            ..row
        })
    }

    fn record(&self, row: RecordType) -> Result<RecordType, Untrusted> {
        self.code_is_visible(&row.signature)?;
        let docs = quoted_lines(&row.docs, LONGEST_DOCS);
        Ok(RecordType { description: self.labelled(&row.description), docs, ..row })
    }

    fn conversion(&self, row: Conversion) -> Result<Conversion, Untrusted> {
        self.code_is_visible(&row.signature)?;
        let description = self.labelled(&row.description);
        let fails = row.fails.into_iter().map(failure).collect();
        let error_template = telling(row.error_template);
        Ok(Conversion { description, fails, error_template, code: Arc::new(Foreign(row.code)), ..row })
    }

    fn labelled(&self, words: &str) -> String {
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

    /// One that takes or gives a type of the library changes nothing for who does not use that type.
    fn conversion_is_its_own(&self, row: &Conversion, own: &[String]) -> Result<(), Untrusted> {
        // One that cannot be read is refused by the registry.
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

/// An example is a program, which is left out rather than cut or changed.
fn is_shown(example: &str) -> bool {
    let is_hidden = |it: char| is_hidden(it) && it != '\n';
    example.chars().count() <= LONGEST_CODE && !example.chars().any(is_hidden)
}

fn failure(row: DeclaredFailure) -> DeclaredFailure {
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

/// Code of others: the words with which it fails are theirs too.
struct Foreign(Arc<dyn Handler>);

impl Handler for Foreign {
    fn call(&self, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let call = self.0.call(invocation);
        Box::pin(async move { call.await.map_err(interrupt) })
    }
}

fn interrupt(interrupt: Interrupt) -> Interrupt {
    match interrupt {
        Interrupt::Failure(failure) => Interrupt::Failure(raised(failure)),
        other => other,
    }
}

fn raised(mut failure: Failure) -> Failure {
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

/// The words of declarations are theirs too, and so is what fills their holes.
fn telling(telling: Option<ErrorTemplate>) -> Option<ErrorTemplate> {
    let telling = telling?;
    Some(Arc::new(move |failure| raised(telling(failure))))
}
