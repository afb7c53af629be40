//! Failures: every kind, with its own data and no prose. `explain` has the words.

use std::sync::Arc;

use source_text::Span;

use crate::name::{is_same_name, nearest};
use crate::{Gap, GapCause, Object, Partial, Refinement, Signature, Type, TypeError, Value};

/// The reason why there is no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The kind, with its own data.
    pub kind: Box<FailureKind>,
    /// The place in the program, if there is one.
    pub span: Option<Span>,
    /// The parameter whose argument is to blame, for a library's failure; the evaluator finds its place.
    pub argument: Option<String>,
    /// The value of the lambda's parameter, if a call with an element of a list failed: ``n = `User` ``.
    pub element: Option<String>,
}

/// All failures of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Failures {
    /// The failures, in the order in which they were found; at least one.
    pub all: Vec<Failure>,
    /// The program without its mistakes, if there is one way to correct each. It reads without failures.
    pub corrected: Option<String>,
    /// The calls that changed the world before the failure, in the form in which a reader sees them. Running
    /// the program again makes them again.
    pub done: Vec<String>,
    /// The value of the program without the elements of lists for which functions failed, if it has one. A program
    /// that writes has none.
    pub partial: Option<Box<Partial>>,
}

impl Failures {
    /// The most mistakes of one text that are collected. A reader sees a few of them.
    pub(crate) const MOST: usize = 1_000;

    /// Adds a mistake, unless there are many.
    pub(crate) fn collect(all: &mut Vec<Failure>, failure: Failure) {
        if all.len() < Self::MOST {
            all.push(failure);
        }
    }
}

/// The kinds of failure, each documented by a program that triggers it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FailureKind {
    /// Nothing, or only comments.
    EmptyProgram,
    /// A program with prose before or behind it, or in a Markdown fence with prose around that
    ProseAround,
    /// ``# find it`` on a line of its own
    ForeignComment {
        /// The mark that opens the comment in that language: `#`, `--`.
        mark: String,
    },
    /// `{"f": 1} {"f": 2}`
    SeveralPrograms {
        /// The program that returns the results of all of them.
        program: String,
    },
    /// `findReferences(§)`
    UnexpectedCharacter {
        /// The characters, up to the next one that could start a token.
        text: String,
    },
    /// `` findReferences(`User) ``
    UnterminatedText {
        /// The quote that opens it.
        quote: char,
        /// If the text continues on another line: its place, and the same text between backticks.
        over_lines: Option<(Span, String)>,
    },
    /// `/* never closed`
    UnterminatedComment,
    /// `"\bUser\b"`
    UnknownEscape {
        /// The escape: `\b`.
        escape: String,
        /// The whole text.
        literal: Span,
        /// The text that was meant.
        instead: String,
    },
    /// `07`, `1e999`
    MalformedNumber {
        /// The number as it is written.
        text: String,
        /// The number that was probably meant.
        instead: Option<String>,
    },
    /// ``findReferences(`User` ``
    Unclosed {
        /// The bracket that nothing closes: `(`.
        bracket: char,
        /// If only brackets at the end are missing: the offset behind the last token, and the brackets.
        at_end: Option<(usize, String)>,
    },
    /// ``findReferences(`User`))``
    Unopened {
        /// The bracket that nothing opens: `)`.
        bracket: char,
    },
    /// `f(,)`
    Unexpected {
        /// The expected syntax.
        expected: Expected,
        /// The text found instead; empty at the end of the program.
        found: String,
    },
    /// `7 // 2`: a division that drops the fraction elsewhere, and a comment here
    SlashedOperand {
        /// The text behind `//`.
        operand: String,
    },
    /// `[1 2]`
    MissingComma {
        /// The offset behind what it should follow.
        after: usize,
    },
    /// `[x for x in xs]`, `a and b`: what other languages write
    NotDialect {
        /// The text.
        found: String,
        /// The correction.
        instead: String,
    },
    /// `findReferences User`
    WithoutBrackets {
        /// The name that starts the line.
        name: String,
        /// The rest of the line as arguments; empty if it does not look like any.
        arguments: Vec<String>,
    },
    /// `x.path = 1`
    Assignment,
    /// A line that starts with `-`: does it go on with the line before?
    LeadingOperator {
        /// The operator as programs write it.
        operator: &'static str,
        /// The program in which it does.
        joined: String,
        /// The program in which it does not, where that has a meaning.
        separate: Option<String>,
    },
    /// Two lines, of which the first is neither the last nor bound to a name
    SeveralResults {
        /// The program that returns all of them.
        program: String,
    },
    /// `x = 1`, and nothing after it
    NoResult {
        /// The name that is bound last.
        name: String,
    },
    /// `xs[0](1)`
    NotCallable,
    /// `{path}`, where nothing is called `path`
    FieldWithoutValue {
        /// The key as a program writes it.
        key: String,
    },
    /// ``{findReferences: f(`User`)}``, ``echo({search: `x`})``: a call or data?
    ObjectCall {
        /// The program in which it is a call.
        call: String,
        /// The program in which it is an object.
        data: String,
    },
    /// ``"findReferences(`User`)"``
    QuotedProgram {
        /// The text in the quotes.
        program: String,
    },
    /// `quote()`, `{"lambda": 3}`: the language's own words, used wrongly
    LanguageForm {
        /// The word.
        form: String,
    },
    /// `x = 3`, and then `x(1)`
    NotFunction {
        /// The name as the program writes it.
        name: String,
    },
    /// `f = x => x`, and then `f(x=1)`
    NamedForLambda {
        /// The argument's name.
        name: String,
    },
    /// `f = (x, y) => x`, and then `f(1)`
    LambdaArity {
        /// The number of its parameters.
        takes: usize,
        /// The number of arguments.
        given: usize,
    },
    /// `1.cost()`, which several types have, and numbers do not
    NoMethod {
        /// The method's name.
        name: String,
        /// The type of the receiver.
        found: String,
        /// The types that have the method.
        types: Vec<String>,
    },
    /// `[1].filter(x => x)`: a function whose result has the wrong type
    LambdaResult {
        /// The type that is wanted.
        expected: Type,
        /// The type of the result.
        found: String,
    },
    /// `x => x`, and nothing calls it
    FunctionAsResult,
    /// `1 && true`
    NotBoolean {
        /// The type of the value.
        found: String,
        /// The condition that asks whether there is something, in the form of the program.
        instead: String,
    },
    /// `1 + null`, `-"a"`, `3[0]`
    WrongOperand {
        /// The operator as programs write it.
        operator: &'static str,
        /// The type of its operands.
        expected: &'static str,
        /// The type of the value.
        found: String,
    },
    /// `1 / 0`
    DividesByZero,
    /// `18446744073709551615 + 1`, `1e308 * 10`
    DoesNotFit,
    /// `place.row`
    NoMember {
        /// The member's name.
        name: String,
        /// The type of the value without that member.
        found: String,
        /// Those that it has.
        members: Vec<String>,
        /// The closest of them.
        nearest: Option<String>,
    },
    /// `[].path`
    MemberOfNothing {
        /// The member's name.
        name: String,
        /// The text of the empty list's expression.
        source: String,
    },
    /// `[1][3]`
    NoElement {
        /// The index, as a program writes it.
        index: String,
        /// The number of elements, as indexes count from 0.
        length: usize,
    },
    /// ``names.map(n => findReferences(findDefinition(n)))``, where one of the names has several meanings
    AmbiguousElement {
        /// The element, or the question about it.
        element: String,
        /// The program that asks about it alone.
        program: Option<String>,
    },
    /// `findReferences(User)`
    BareWord {
        /// The word, which is no bound name.
        word: String,
        /// The function of that name, if there is one.
        callable: Option<Arc<Signature>>,
        /// The name that may have been meant, of those that are bound here.
        nearest: Option<String>,
    },
    /// ``findRefs(`User`)``
    UnknownFunction {
        /// The name as written.
        name: String,
        /// The functions that may have been meant, the closest first.
        nearest: Vec<Arc<Signature>>,
        /// The names of all functions, when nothing is near.
        all: Vec<String>,
    },
    /// `findReferences()`
    MissingArguments {
        /// The parameters' names; at least one.
        parameters: Vec<String>,
        /// The function.
        signature: Arc<Signature>,
    },
    /// ``findReferences(`a`, true, 3)``
    TooManyArguments {
        /// The function.
        signature: Arc<Signature>,
        /// If the only parameter is a list: the span of all arguments, and the same arguments as one list.
        as_list: Option<(Span, String)>,
    },
    /// ``findReferences(`a`, declaration=true)``
    UnknownArgument {
        /// The name as written.
        name: String,
        /// The closest parameter.
        nearest: Option<String>,
        /// The function.
        signature: Arc<Signature>,
    },
    /// `{a: 1, a: 2}`
    RepeatedKey {
        /// The key as a program writes it.
        key: String,
    },
    /// ``search(`src`, `a`, pattern=`b`)``
    RepeatedArgument {
        /// The parameter's name.
        parameter: String,
        /// The text to insert, and where, if the argument before was probably meant for the missing
        /// parameter.
        meant: Option<(Span, String)>,
        /// The function.
        signature: Arc<Signature>,
    },
    /// ``search(path=`src`, `a`)``
    PositionalAfterNamed {
        /// The function.
        signature: Arc<Signature>,
    },
    /// `findReferences(3)`
    WrongType {
        /// The function.
        signature: Arc<Signature>,
        /// The parameter's name.
        parameter: String,
        /// The type that is wanted.
        expected: Type,
        /// The mismatch of the value.
        found: Mismatch,
    },
    /// `lines(0)`, where lines count from 1
    BrokenRefinement {
        /// The function.
        signature: Arc<Signature>,
        /// The parameter's name.
        parameter: String,
        /// The rule that does not hold.
        refinement: Refinement,
        /// The value that breaks it, as a program writes it.
        value: String,
    },
    /// ``findReferences([])``: an empty list where one value is wanted
    NothingGiven {
        /// The function.
        signature: Arc<Signature>,
        /// The parameter's name.
        parameter: String,
        /// The type that is wanted.
        expected: Type,
    },
    /// ``lines(`src/main.rs`, -1)``: fits the signature, not what the function reads it as
    UnreadableArgument {
        /// The parameter's name.
        parameter: String,
        /// The reason why the function cannot read the text, as a part of a sentence.
        reason: String,
    },
    /// A bug of a library: its code returned something else than its signature promises.
    BrokenPromise {
        /// The function.
        signature: Arc<Signature>,
        /// The type of the result.
        found: String,
        /// The wrong parts of the result, if only parts are wrong.
        parts: Vec<TypeError>,
    },
    /// Asks for more than it may: thousands of calls.
    LimitReached {
        /// The limit that was reached.
        limit: Limit,
        /// The value of the limit, in the unit that [`crate::Limits`] has for it.
        at_most: usize,
    },
    /// ``search(`.`, `x`).count()``, where the answer of `search` is not complete
    IncompleteAnswer {
        /// The function whose answer lacks something.
        function: String,
        /// The function or operator that would decide on it, if that can be told.
        by: Option<String>,
        /// The reason why it is incomplete.
        gap: Gap,
    },
    /// A failure that a library's code raised: ``lines(`no/such/file`, 1)``
    Raised {
        /// The failure's name: `notFound`.
        name: String,
        /// The problem, in a sentence; empty until the declaration fills it in.
        message: String,
        /// The data that it carries.
        carries: Object,
        /// Advice on how to handle it.
        advice: Advice,
    },
    /// A bug of a library: its code raised an undeclared failure, or one with other data than declared.
    Undeclared {
        /// The function.
        callable: String,
        /// The failure's name.
        name: String,
        /// The message, in a sentence; may be empty.
        message: String,
        /// The problems of its data; empty if the failure is not declared at all.
        problems: Vec<String>,
    },
}

/// Advice on how to handle a library's failure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// The advice itself.
    pub recovery: Option<String>,
    /// `true` if the same program may succeed later.
    pub retryable: bool,
    /// In how many seconds, where that is known.
    pub wait: Option<u64>,
    /// The time at which it may succeed, in seconds since 1970, where an error value says so.
    pub after: Option<serde_json::Number>,
    /// The number of retries that are worthwhile.
    pub most_retries: Option<u64>,
    /// The message for the user.
    pub for_user: Option<String>,
}

/// The way in which a value differs from the type that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Mismatch {
    /// Something of this type.
    Type(String),
    /// An object that lacks a required field.
    Without {
        /// The name of the field.
        field: String,
    },
    /// None of the values that are possible.
    Other {
        /// The value, as a program writes it.
        value: String,
        /// The text that may have been meant.
        nearest: Option<String>,
    },
    /// An object with a field that would be passed over.
    Stray {
        /// The name of the field.
        field: String,
        /// The field that may have been meant.
        nearest: Option<String>,
    },
    /// An object with a field of the wrong type.
    With {
        /// The name of the field.
        field: String,
        /// The type of the field.
        expected: Type,
        /// The type of its value.
        found: String,
    },
    /// A value of which several parts have the wrong type.
    Parts(Vec<TypeError>),
}

/// The syntax that would continue a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    /// The start of an expression.
    Expression,
    /// `,`, or the bracket that closes.
    Comma,
    /// `:`
    Colon,
    /// The key of a field.
    Key,
    /// A name: of a variable, a function or a parameter.
    Name,
    /// A type; in code of documents only.
    Type,
    /// `name = …`
    Binding,
    /// This bracket.
    Closing(&'static str),
    /// The end of the program, or another line.
    End,
}

/// The limits that a program can reach; see [`crate::Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Bytes of the program.
    Source,
    /// Nesting.
    Depth,
    /// Calls of functions and conversions, but for those that only compute.
    Calls,
    /// Expressions that are evaluated.
    Steps,
    /// Elements of a list.
    ListLength,
    /// Bytes of all values that the program makes.
    ValueBytes,
}

impl Failure {
    /// Makes a failure at a place of the program.
    pub fn at(span: Span, kind: impl Into<Box<FailureKind>>) -> Self {
        Self { kind: kind.into(), span: Some(span), argument: None, element: None }
    }

    /// Makes a library's failure, without a place: the evaluator adds the place of the call.
    pub fn raised(name: impl Into<String>, message: impl Into<String>) -> Self {
        let (name, message) = (name.into(), message.into());
        FailureKind::Raised { name, message, carries: Object::default(), advice: Advice::default() }.into()
    }

    /// Makes a failure that its row declares, with its data. The declaration has the words.
    pub fn thrown<'name>(
        name: impl Into<String>,
        carries: impl IntoIterator<Item = (&'name str, Value)>,
    ) -> Self {
        let carries = carries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let advice = Advice::default();
        FailureKind::Raised { name: name.into(), message: String::new(), carries, advice }.into()
    }

    /// Adds advice to a raised failure.
    #[must_use]
    pub fn recovery(mut self, advice: impl Into<String>) -> Self {
        if let FailureKind::Raised { advice: known, .. } = &mut *self.kind {
            known.recovery = Some(advice.into());
        }
        self
    }

    /// Names the parameter whose argument is to blame.
    #[must_use]
    pub fn argument(mut self, parameter: impl Into<String>) -> Self {
        self.argument = Some(parameter.into());
        self
    }

    /// Marks a raised failure as worth a retry.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        if let FailureKind::Raised { advice, .. } = &mut *self.kind {
            advice.retryable = true;
        }
        self
    }

    /// Returns `true` if the other failure is the same, for any element.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        // The reasons of two answers may differ in numbers only.
        let is_gap = |it: &Self| matches!(*it.kind, FailureKind::IncompleteAnswer { .. });
        self.span == other.span && (self.kind == other.kind || is_gap(self) && is_gap(other))
    }

    /// Returns `true` if the same call may succeed later: the time was up, or a source was not ready.
    pub(crate) fn may_pass_later(&self) -> bool {
        match &*self.kind {
            FailureKind::IncompleteAnswer { gap, .. } => gap.cause == GapCause::Time,
            FailureKind::Raised { advice, .. } => advice.retryable,
            _ => false,
        }
    }

    /// Adds a place, if it has none.
    #[must_use]
    pub(crate) fn or_at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }
}

impl FailureKind {
    /// Makes the failure for a member that a value of the type `found` does not have. The members that may have
    /// been meant come first.
    pub(crate) fn no_member(name: &str, found: String, mut members: Vec<String>) -> Self {
        let near: Vec<String> =
            nearest(name, members.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
        members.sort_by_key(|it| near.iter().position(|near| near == it).unwrap_or(near.len()));
        let method = members.iter().find(|it| it.strip_suffix("()").is_some_and(|it| is_same_name(it, name)));
        let nearest = method.cloned().or_else(|| near.into_iter().next());
        Self::NoMember { name: name.to_owned(), found, members, nearest }
    }

    /// Returns the kind's name: `unknownFunction`. The name for all raised failures is `raised`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::EmptyProgram => "emptyProgram",
            Self::ProseAround => "proseAround",
            Self::ForeignComment { .. } => "foreignComment",
            Self::SeveralPrograms { .. } => "severalPrograms",
            Self::UnexpectedCharacter { .. } => "unexpectedCharacter",
            Self::UnterminatedText { .. } => "unterminatedText",
            Self::UnterminatedComment => "unterminatedComment",
            Self::UnknownEscape { .. } => "unknownEscape",
            Self::MalformedNumber { .. } => "malformedNumber",
            Self::Unclosed { .. } => "unclosed",
            Self::Unopened { .. } => "unopened",
            Self::Unexpected { .. } => "unexpected",
            Self::SlashedOperand { .. } => "slashedOperand",
            Self::MissingComma { .. } => "missingComma",
            Self::NotDialect { .. } => "notDialect",
            Self::WithoutBrackets { .. } => "withoutBrackets",
            Self::Assignment => "assignment",
            Self::LeadingOperator { .. } => "leadingOperator",
            Self::SeveralResults { .. } => "severalResults",
            Self::NoResult { .. } => "noResult",
            Self::NotCallable => "notCallable",
            Self::FieldWithoutValue { .. } => "fieldWithoutValue",
            Self::ObjectCall { .. } => "objectCall",
            Self::QuotedProgram { .. } => "quotedProgram",
            Self::LanguageForm { .. } => "languageForm",
            Self::NotFunction { .. } => "notFunction",
            Self::NamedForLambda { .. } => "namedForLambda",
            Self::LambdaArity { .. } => "lambdaArity",
            Self::LambdaResult { .. } => "lambdaResult",
            Self::FunctionAsResult => "functionAsResult",
            Self::NoMethod { .. } => "noMethod",
            Self::NotBoolean { .. } => "notBoolean",
            Self::WrongOperand { .. } => "wrongOperand",
            Self::DividesByZero => "dividesByZero",
            Self::DoesNotFit => "doesNotFit",
            Self::NoMember { .. } => "noMember",
            Self::MemberOfNothing { .. } => "memberOfNothing",
            Self::NoElement { .. } => "noElement",
            Self::AmbiguousElement { .. } => "ambiguousElement",
            Self::BareWord { .. } => "bareWord",
            Self::UnknownFunction { .. } => "unknownFunction",
            Self::MissingArguments { .. } => "missingArguments",
            Self::TooManyArguments { .. } => "tooManyArguments",
            Self::UnknownArgument { .. } => "unknownArgument",
            Self::RepeatedKey { .. } => "repeatedKey",
            Self::RepeatedArgument { .. } => "repeatedArgument",
            Self::PositionalAfterNamed { .. } => "positionalAfterNamed",
            Self::WrongType { .. } => "wrongType",
            Self::BrokenRefinement { .. } => "brokenRefinement",
            Self::NothingGiven { .. } => "nothingGiven",
            Self::UnreadableArgument { .. } => "unreadableArgument",
            Self::BrokenPromise { .. } => "brokenPromise",
            Self::LimitReached { .. } => "limitReached",
            Self::IncompleteAnswer { .. } => "incompleteAnswer",
            Self::Raised { .. } => "raised",
            Self::Undeclared { .. } => "undeclared",
        }
    }
}

impl From<FailureKind> for Failure {
    fn from(kind: FailureKind) -> Self {
        Self { kind: Box::new(kind), span: None, argument: None, element: None }
    }
}

impl From<Vec<Failure>> for Failures {
    fn from(all: Vec<Failure>) -> Self {
        Self { all, corrected: None, done: Vec::new(), partial: None }
    }
}

impl<'a> IntoIterator for &'a Failures {
    type Item = &'a Failure;
    type IntoIter = std::slice::Iter<'a, Failure>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}
