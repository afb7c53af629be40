//! Why there is no value: every kind, with its own data and no prose. `explain` has the words.

use std::sync::Arc;

use source_text::Span;

use crate::{Flaw, Object, Refinement, Signature, Type, Value};

/// Why there is no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What kind, with its own data.
    pub kind: Box<FailureKind>,
    /// Where in the program, if there is a place.
    pub span: Option<Span>,
    /// The parameter whose argument is to blame, for a library's failure: the evaluator finds its place.
    pub argument: Option<String>,
    /// In a lambda that was called with each element of a list, what its parameter was: ``n = `User` ``.
    pub element: Option<String>,
}

/// Everything that is wrong with a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Failures {
    /// At least one, in the order in which they were found.
    pub all: Vec<Failure>,
    /// The program without its mistakes, where there is one way to correct each. It reads without failures.
    pub corrected: Option<String>,
    /// Calls that had changed the world before, as one reads them: running the program again does them again.
    pub done: Vec<String>,
}

/// The kinds of failure, each documented by a program that triggers it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FailureKind {
    /// Nothing, or only comments.
    EmptyProgram,
    /// `findReferences(§)`
    UnexpectedCharacter {
        /// The characters, as far as they are of no use together.
        text: String,
    },
    /// `` findReferences(`User) ``
    UnterminatedText {
        /// The quote that opens it.
        quote: char,
        /// Where it goes on to another line: all of it, and the same between backticks.
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
        /// What was written.
        text: String,
        /// The number that was meant, where it is clear.
        instead: Option<String>,
    },
    /// ``findReferences(`User` ``
    Unclosed {
        /// The bracket: `(`.
        bracket: char,
        /// Where only brackets at the end are missing: the offset behind the last token, and they.
        at_end: Option<(usize, String)>,
    },
    /// ``findReferences(`User`))``
    Unopened {
        /// The bracket: `)`.
        bracket: char,
    },
    /// `f(,)`
    Unexpected {
        /// What should stand here.
        expected: Expected,
        /// What does; empty at the end of the program.
        found: String,
    },
    /// `[1 2]`
    MissingComma {
        /// The offset behind what it should follow.
        after: usize,
    },
    /// `[x for x in xs]`, `a and b`: what other languages write
    NotDialect {
        /// What was written.
        found: String,
        /// What to write instead.
        instead: String,
    },
    /// `findReferences User`
    WithoutBrackets {
        /// The name that starts the line.
        name: String,
        /// What follows it, as arguments; empty where it does not look like any.
        arguments: Vec<String>,
    },
    /// `x.path = 1`
    Assignment,
    /// A line that starts with `-`: does it go on with the line before?
    LeadingOperator {
        /// The operator.
        operator: &'static str,
        /// The program in which it does.
        joined: String,
        /// The program in which it does not, where that has a meaning.
        separate: Option<String>,
    },
    /// Two lines of which the first is neither the last nor bound to a name
    SeveralResults {
        /// The program that gives them all.
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
        /// The key.
        key: String,
    },
    /// ``{findReferences: f(`User`)}``, ``echo({search: `x`})``: a call or data?
    ObjectCall {
        /// The call.
        call: String,
        /// The data.
        data: String,
    },
    /// ``"findReferences(`User`)"``
    QuotedProgram {
        /// What is in the quotes.
        program: String,
    },
    /// `quote()`, `{"lambda": 3}`: the language's own words, used wrongly
    LanguageForm {
        /// The word.
        form: String,
    },
    /// `x = 3`, and then `x(1)`
    NotFunction {
        /// The name.
        name: String,
    },
    /// `f = x => x`, and then `f(x=1)`
    NamedForLambda {
        /// The argument's name.
        name: String,
    },
    /// `f = (x, y) => x`, and then `f(1)`
    LambdaArity {
        /// How many arguments it takes.
        takes: usize,
        /// How many it was given.
        given: usize,
    },
    /// `1.cost()`, which several types have, and numbers do not
    NoMethod {
        /// The method's name.
        name: String,
        /// What it was called on.
        found: String,
        /// The types that have it.
        types: Vec<String>,
    },
    /// `[1].filter(x => x)`: what is given does not give what is wanted
    LambdaResult {
        /// What it should give.
        expected: Type,
        /// What it gave.
        found: String,
    },
    /// `x => x`, and nothing calls it
    FunctionAsResult,
    /// `1 && true`
    NotBoolean {
        /// What it is.
        found: String,
        /// The condition that asks whether there is something, in the form of the program.
        instead: String,
    },
    /// `1 + null`, `-"a"`, `3[0]`
    WrongOperand {
        /// The operator.
        operator: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What it was given.
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
        /// What has no such member.
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
        /// What the empty list is in the program.
        source: String,
    },
    /// `[1][3]`
    NoElement {
        /// The index.
        index: String,
        /// How many elements there are.
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
        /// The word.
        word: String,
        /// The function of that name, if there is one.
        callable: Option<Arc<Signature>>,
        /// The name that may have been meant, of those that are bound here.
        nearest: Option<String>,
    },
    /// ``findRefs(`User`)``
    UnknownFunction {
        /// The name as it was written.
        name: String,
        /// What may have been meant, the closest first.
        nearest: Vec<Arc<Signature>>,
        /// The names of all functions, when nothing is near.
        all: Vec<String>,
    },
    /// `findReferences()`
    MissingArguments {
        /// The parameters' names; at least one.
        parameters: Vec<String>,
        /// What is called.
        signature: Arc<Signature>,
    },
    /// ``findReferences(`a`, true, 3)``
    TooManyArguments {
        /// What is called.
        signature: Arc<Signature>,
        /// Where the one parameter is a list: all arguments, and the same as one list.
        as_list: Option<(Span, String)>,
    },
    /// ``findReferences(`a`, declaration=true)``
    UnknownArgument {
        /// The name as it was written.
        name: String,
        /// The closest parameter.
        nearest: Option<String>,
        /// What is called.
        signature: Arc<Signature>,
    },
    /// `{a: 1, a: 2}`
    RepeatedKey {
        /// The key.
        key: String,
    },
    /// ``search(`src`, `a`, pattern=`b`)``
    RepeatedArgument {
        /// The parameter's name.
        parameter: String,
        /// What to insert where, if the argument before is for the parameter that is missing.
        meant: Option<(Span, String)>,
        /// What is called.
        signature: Arc<Signature>,
    },
    /// ``search(path=`src`, `a`)``
    PositionalAfterNamed {
        /// What is called.
        signature: Arc<Signature>,
    },
    /// `findReferences(3)`
    WrongType {
        /// What is called.
        signature: Arc<Signature>,
        /// The parameter's name.
        parameter: String,
        /// What it wants.
        expected: Type,
        /// What it was given.
        found: Found,
    },
    /// `lines(0)`, where lines count from 1
    BrokenRefinement {
        /// What is called.
        signature: Arc<Signature>,
        /// The parameter's name.
        parameter: String,
        /// What does not hold.
        refinement: Refinement,
        /// The value of which it does not, as a program writes it.
        value: String,
    },
    /// ``findReferences([])``: one is wanted, and there is none
    NothingGiven {
        /// What is called.
        signature: Arc<Signature>,
        /// The parameter's name.
        parameter: String,
        /// What it wants.
        expected: Type,
    },
    /// ``lines(`src/main.rs`, -1)``: fits the signature, not what the function reads it as
    UnreadableArgument {
        /// The parameter's name.
        parameter: String,
        /// Why not.
        reason: String,
    },
    /// A bug of a library: what its code gave is not what its signature says.
    BrokenPromise {
        /// What is called.
        signature: Arc<Signature>,
        /// What it gave.
        found: String,
        /// Which parts of it are not what they should be, where it has such.
        parts: Vec<Flaw>,
    },
    /// Asks for more than it may: thousands of calls.
    LimitReached {
        /// Which of the limits.
        limit: Limit,
        /// What it is set to.
        at_most: usize,
    },
    /// A function of a library says why it cannot: ``lines(`no/such/file`, 1)``
    Raised {
        /// The failure's name: `notFound`.
        name: String,
        /// What is wrong, in a sentence; empty until whoever knows its declaration has said it.
        message: String,
        /// What it carries.
        carries: Object,
        /// What to do about it.
        advice: Advice,
    },
    /// A bug of a library: its code failed with something that it does not declare, or that carries something else
    /// than was declared.
    Undeclared {
        /// What is called.
        callable: String,
        /// The failure's name.
        name: String,
        /// What it said, in a sentence; may be empty.
        message: String,
        /// What is wrong with what it carries; empty when it is not declared at all.
        problems: Vec<String>,
    },
}

/// What to do about a failure of a library.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// What to do.
    pub recovery: Option<String>,
    /// Whether the same program may succeed later.
    pub retryable: bool,
    /// In how many seconds, where that is known.
    pub wait: Option<u64>,
    /// How often it is worth trying again.
    pub most_retries: Option<u64>,
    /// What the user may be told.
    pub for_user: Option<String>,
}

/// What was given where something else is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Something of this type.
    Type(String),
    /// An object that lacks a required field.
    Without {
        /// The field.
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
        /// The field.
        field: String,
        /// The field that may have been meant.
        nearest: Option<String>,
    },
    /// An object with a field of the wrong type.
    With {
        /// The field.
        field: String,
        /// What it should be.
        expected: Type,
        /// The type of what it is.
        found: String,
    },
    /// Something of which several parts, or parts of parts, are not what they should be.
    Parts(Vec<Flaw>),
}

/// What a program would have to go on with.
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
    /// A name.
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

/// Which limit was reached; see [`crate::Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Bytes of the program.
    Source,
    /// Nesting.
    Depth,
    /// Calls.
    Calls,
    /// Expressions that are evaluated.
    Steps,
    /// Elements of a list.
    ListLength,
    /// Bytes of a value.
    ValueBytes,
}

impl Failure {
    /// A failure at a place of the program.
    pub fn at(span: Span, kind: impl Into<Box<FailureKind>>) -> Self {
        Self { kind: kind.into(), span: Some(span), argument: None, element: None }
    }

    /// A library function's failure, without a place; the evaluator adds the call's.
    pub fn raised(name: impl Into<String>, message: impl Into<String>) -> Self {
        let (name, message) = (name.into(), message.into());
        FailureKind::Raised { name, message, carries: Object::default(), advice: Advice::default() }.into()
    }

    /// A failure that its function's row declares, with what it carries; the declaration has the words.
    pub fn thrown<'name>(
        name: impl Into<String>,
        carries: impl IntoIterator<Item = (&'name str, Value)>,
    ) -> Self {
        let carries = carries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let advice = Advice::default();
        FailureKind::Raised { name: name.into(), message: String::new(), carries, advice }.into()
    }

    /// The same with advice on what to do, when it is a raised one.
    #[must_use]
    pub fn recovery(mut self, advice: impl Into<String>) -> Self {
        if let FailureKind::Raised { advice: known, .. } = &mut *self.kind {
            known.recovery = Some(advice.into());
        }
        self
    }

    /// The same, to be shown at the argument of that parameter.
    #[must_use]
    pub fn argument(mut self, parameter: impl Into<String>) -> Self {
        self.argument = Some(parameter.into());
        self
    }

    /// The same, said to be worth trying again, when it is a raised one.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        if let FailureKind::Raised { advice, .. } = &mut *self.kind {
            advice.retryable = true;
        }
        self
    }

    /// Whether it says the same, of whatever element.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        self.kind == other.kind && self.span == other.span
    }

    /// The same at `span`, unless it has a place already.
    #[must_use]
    pub(crate) fn or_at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }
}

impl FailureKind {
    /// The kind's name: `unknownFunction`. A raised failure is called `raised`, whatever its own name is.
    pub fn name(&self) -> &'static str {
        match self {
            Self::EmptyProgram => "emptyProgram",
            Self::UnexpectedCharacter { .. } => "unexpectedCharacter",
            Self::UnterminatedText { .. } => "unterminatedText",
            Self::UnterminatedComment => "unterminatedComment",
            Self::UnknownEscape { .. } => "unknownEscape",
            Self::MalformedNumber { .. } => "malformedNumber",
            Self::Unclosed { .. } => "unclosed",
            Self::Unopened { .. } => "unopened",
            Self::Unexpected { .. } => "unexpected",
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
        Self { all, corrected: None, done: Vec::new() }
    }
}

impl<'a> IntoIterator for &'a Failures {
    type Item = &'a Failure;
    type IntoIter = std::slice::Iter<'a, Failure>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}
