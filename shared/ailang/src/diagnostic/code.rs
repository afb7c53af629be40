//! The codes of all mistakes, with their titles.

use std::fmt;

/// The code of a mistake: `AL3001`.
///
/// The first two digits are the group: `00` structure, `01` front matter, `10` tokens, `20` syntax, `30`
/// types and names, `31` capabilities, `32` errors, `33` refinements. `34` is examples, `35` imports, `36`
/// cycles, `40` manifests, `50` style, `60` generated code, `70` use in programs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u16);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AL{:04}", self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Code {
    /// Parses a code such as `AL3001`, in any case; `None` for an unknown one.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.get(..2).filter(|it| it.eq_ignore_ascii_case("AL")).map(|_| &text[2..])?;
        Self::ALL.iter().map(|(code, _)| *code).find(|code| format!("{:04}", code.0) == digits)
    }

    /// Returns the explanation and the remedy, in a few sentences of Markdown.
    pub fn explanation(self) -> &'static str {
        let (_, behind) = PAGES.split_once(&format!("## {self}\n")).unwrap_or_default();
        behind.split("\n## ").next().unwrap_or_default().trim()
    }

    /// Returns the title, in a few words.
    pub fn title(self) -> &'static str {
        Self::ALL.iter().find(|(code, _)| *code == self).map_or("", |(_, title)| title)
    }
}

/// The explanations, a section for each code.
const PAGES: &str = include_str!("codes.md");

/// Declares the codes.
macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal;)*) => {
        impl Code {
            $(#[doc = $title] pub const $name: Self = Self($number);)*

            /// All codes with their titles, in order.
            pub const ALL: &'static [(Self, &'static str)] = &[$((Self($number), $title)),*];
        }
    };
}

codes! {
    MISSING_FRONT_MATTER = 1, "the document has no front matter";
    UNTERMINATED_FRONT_MATTER = 2, "the front matter never ends";
    UNCLOSED_BLOCK = 3, "a block is never closed";
    WRONG_CLOSING_TAG = 4, "a block is closed by another tag";
    NESTED_BLOCK = 5, "blocks do not nest";
    UNCLOSED_FENCE = 6, "a fence is never closed";
    STRAY_CLOSING_TAG = 7, "a closing tag closes nothing";
    DEFINITION_OUTSIDE_FENCE = 8, "a definition stands outside the fence";
    MALFORMED_TAG = 9, "a tag does not stand alone on its line";
    DUPLICATE_ATTRIBUTE = 10, "an attribute is given twice";
    UNKNOWN_ATTRIBUTE = 11, "a tag has no such attribute";
    DOCUMENT_TOO_LARGE = 12, "the document is too large";
    FENCE_FOR_BLOCK = 13, "a fence is called like a block";

    YAML = 101, "the front matter is not YAML";
    MISSING_FIELD = 102, "a field of the front matter is missing";
    ID = 103, "the id is not well formed";
    TITLE = 104, "the title is blank or too long";
    SUMMARY = 105, "the summary is blank or too long";
    LOADING = 106, "the loading strategy is not known";
    KEYWORDS = 107, "the keywords are not texts";
    RELATED = 108, "a related document is not a path";
    VERSION = 109, "the version is not a semantic version";
    SIZE_HINTS = 110, "the size hints make no sense";
    UNKNOWN_FIELD = 111, "the front matter has no such field";
    DUPLICATE_FIELD = 112, "a field of the front matter is given twice";
    MISSING_RULES = 113, "loading by rule needs rules";
    RULE = 114, "a rule is not well formed";
    UNQUOTED_COLON = 115, "a text with a colon has no quotes";
    UNQUOTED_IMPORT = 116, "a text that starts with @ has no quotes";
    LANGUAGE_VERSION = 117, "the document is for a later version of the language";
    FRONT_MATTER_TOO_LARGE = 118, "the front matter is too large";
    MISSING_SIZE_HINTS = 119, "the front matter has no size hints";

    UNTERMINATED_COMMENT = 1001, "a comment never ends";
    UNTERMINATED_TEXT = 1002, "a text never ends";
    UNTERMINATED_REGEX = 1003, "a regex never ends";
    STRANGE_CHARACTER = 1004, "a character means nothing here";
    ESCAPE = 1005, "an escape is not known";
    UNTERMINATED_INTERPOLATION = 1006, "an interpolation never ends";
    EMPTY_INTERPOLATION = 1007, "an interpolation is empty";
    NUMBER = 1008, "a number is not well formed";

    EXPECTED = 2001, "something is missing";
    UNEXPECTED = 2002, "something cannot stand here";
    UNCLOSED_BRACKET = 2003, "a bracket is never closed";
    EMPTY_ENUM = 2004, "an enum has no variant";
    CLAUSE_TWICE = 2005, "a clause is given twice";
    RETURN_TYPE_LATE = 2006, "the return type stands behind the clauses";
    TEMPLATE_IN_LITERAL = 2007, "a literal is no template";
    TRY_ALONE = 2008, "a try has neither catch nor finally";
    NOT_ASSIGNABLE = 2009, "nothing can be assigned to it";
    ARGUMENT_TWICE = 2010, "a named argument is given twice";
    POSITIONAL_AFTER_NAMED = 2011, "a positional argument follows a named one";
    TOO_DEEP = 2099, "the nesting is too deep";

    UNKNOWN_TYPE = 3001, "a type is not defined";
    TYPE_ARITY = 3002, "a type takes another number of arguments";
    NOT_A_TYPE = 3005, "the name is no type";
    DUPLICATE_MEMBER = 3006, "a field is given twice";
    DUPLICATE_PARAMETER = 3007, "a parameter is given twice";
    DUPLICATE_VARIANT = 3008, "a variant is given twice";
    DUPLICATE_DEFINITION = 3010, "a name is defined twice";
    NAMING = 3011, "a name is not spelt as its kind is";
    KEY_TYPE = 3012, "a dictionary cannot have such keys";
    ENUM_VALUE = 3013, "the value of a variant is neither text nor number";
    DEFAULT_TYPE = 3014, "a default is not of its type";
    CHOICE_OF_TYPES = 3015, "a choice takes literals";
    CHOICE_REPEATS = 3016, "a choice has the same literal twice";
    VOID = 3017, "void stands where a value is needed";
    ELIDED = 3018, "the parameters are left out";
    INFINITE_TYPE = 3019, "a value of the type would never end";
    UNTYPED = 3020, "a parameter has no type";
    GROWING_TYPE = 3021, "a type grows for ever";
    UNDOCUMENTED = 3022, "a tool is not documented";
    UNKNOWN_TAG = 3023, "a doc tag is misspelt";
    TAGS_DISAGREE = 3024, "doc tags contradict each other";

    UNKNOWN_CAPABILITY = 3101, "a capability is not defined";
    NOT_A_CAPABILITY = 3102, "the name is no capability";
    MISSING_ASK = 3103, "a capability does not say what it asks";
    SCOPE = 3104, "a scope is not known";
    CAPABILITY_CYCLE = 3105, "a capability is a part of itself";
    EMPTY_SCOPE = 3106, "the parts of a capability have no scope in common";
    CAPABILITY_PARAMETER = 3107, "a capability has no such parameter";
    CAPABILITY_PROPERTY = 3108, "a capability has no such property";
    CAPABILITY_ARGUMENT = 3109, "a limit of a capability is not of its type";
    REQUIRES_MORE = 3110, "a tool calls one that requires more";
    WRITES_MORE = 3111, "a tool that only reads calls one that may write";

    UNKNOWN_ERROR = 3201, "an error is not defined";
    NOT_AN_ERROR = 3202, "the name is no error";
    MISSING_MESSAGE = 3203, "an error has no message";
    MISSING_RECOVERY = 3204, "an error does not say how to recover";
    PLACEHOLDER = 3205, "a template names no parameter";
    RETRYABLE = 3206, "retryable is true or false";
    RETRY_AFTER = 3207, "retryAfter is no time";
    ERROR_PROPERTY = 3208, "an error has no such property";
    NEVER_THROWN = 3209, "what is caught is never thrown";
    PROPERTY_TWICE = 3210, "a property of an error is given twice";
    MAX_RETRIES = 3211, "maxRetries is a number";
    UNCAUGHT = 3212, "an error is neither caught nor listed";

    UNKNOWN_REFINEMENT = 3301, "a refinement is not known";
    REFINEMENT_BASE = 3302, "a type has no such refinement";
    REFINEMENT_ARGUMENT = 3303, "a refinement takes another argument";
    CONTRADICTION = 3304, "no value can satisfy the refinements";
    MALFORMED_REGEX = 3305, "a regex is not well formed";
    REGEX = 3306, "a regex is not portable";
    REGEX_FLAG = 3307, "a regex has another flag than i and u";
    DEFAULT_VIOLATES = 3308, "a default violates its own type";
    NEGATIVE_LENGTH = 3309, "a length cannot be negative";
    REFINEMENT_TWICE = 3310, "a refinement is given twice";

    UNKNOWN_TOOL = 3401, "a tool is not defined";
    MISSING_ARGUMENT = 3402, "an argument is missing";
    UNKNOWN_ARGUMENT = 3403, "a tool has no such parameter";
    TOO_MANY_ARGUMENTS = 3404, "there are more arguments than parameters";
    ARGUMENT_TYPE = 3405, "an argument is of another type";
    ARGUMENT_VIOLATES = 3406, "an argument violates its type";
    UNKNOWN_MEMBER = 3407, "a value has no such member";
    UNKNOWN_CATCH = 3408, "what is caught is no error";
    CATCH_BINDINGS = 3409, "a catch binds more than the error has";
    UNKNOWN_VARIABLE = 3410, "a name was never assigned";
    UNKNOWN_EXAMPLE_TOOL = 3411, "an example is about no tool of the document";
    DUPLICATE_EXAMPLE = 3412, "two examples have the same id";
    UNKNOWN_TEST = 3413, "a test is for no type";
    THROWN = 3414, "only errors can be thrown";
    NOT_RUNNABLE = 3415, "a placeholder cannot run";
    RETURN_TYPE = 3416, "a result is not of its type";
    NO_RETURN = 3417, "a body may end without a result";
    UNREACHABLE = 3418, "nothing reaches a statement";
    NEVER_EQUAL = 3419, "a comparison is never true";
    OTHER_TOOL = 3420, "an example does not call its tool";

    UNRESOLVED_IMPORT = 3501, "an imported document is not there";
    MISSING_EXPORT = 3502, "a document does not define what is imported";
    IMPORT_COLLISION = 3503, "two imports have the same name";
    IMPORT_ESCAPES = 3504, "an import leaves the package";
    ABSOLUTE_IMPORT = 3505, "an import is absolute";
    UNUSED_IMPORT = 3506, "an import is not used";
    DEPENDENCY_ABSENT = 3507, "a dependency is not here";
    IMPORT_CYCLE = 3601, "documents import each other";

    MANIFEST_JSON = 4001, "the manifest is not a JSON object";
    PACKAGE_NAME = 4002, "the name of the package is not well formed";
    PACKAGE_VERSION = 4003, "the version of the package is not a semantic version";
    PACKAGE_MAIN = 4004, "the package does not have the document with which it starts";
    DEPENDENCY = 4005, "a dependency is not well formed";
    MANIFEST_FIELD = 4006, "a field of the manifest is missing or of another type";
    MANIFEST_UNKNOWN = 4007, "the manifest has no such field";
    INTEGRITY = 4008, "a package is not what was expected";
    PACKAGE_PATH = 4009, "a file leaves the package";
    MANIFEST_TWICE = 4010, "a field of the manifest is given twice";
    NO_REGISTRY = 4011, "no registry is configured";
    PACKAGE_ABSENT = 4012, "a package is not there";
    NO_VERSION = 4013, "no version suits all that depend on a package";
    VERSION_TAKEN = 4014, "the version is published already";

    LONG_EXAMPLE = 5001, "the first example is long";
    LONG_PROSE = 5002, "prose goes on without a heading";

    FUNCTION = 6001, "a function is no data";
    STYLE = 6002, "a style of generated code is not known";
    TEMPLATE = 6003, "generated code does not compute a hole of a message";
    UNREADABLE = 7001, "a document cannot be loaded";
    BUDGET_EXCEEDED = 7002, "a document does not fit into the context";
    WRONG_DIRECTION = 7004, "a document is at that level of detail already";
    NOT_APPROVED = 7005, "the user did not approve a document";

    NO_SUCH_SIGNATURE = 7010, "a program cannot call it as it is declared";
    WIDENED = 7011, "programs are not held to a type";
    CONVERSION = 7012, "a conversion takes one thing";
    EXAMPLE_NOT_A_PROGRAM = 7013, "an example is no program";
    WRITES_AFTER_ALL = 7014, "what only reads has leave to write";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_found_by_its_name() {
        assert_eq!(Code::parse("al3001"), Some(Code::UNKNOWN_TYPE));
        assert_eq!(Code::UNKNOWN_TYPE.to_string(), "AL3001");
        for no_code in ["", "AL", "AL1", "AL0000", "XX3001", "AL30011", "AL+001", "日本"] {
            assert_eq!(Code::parse(no_code), None, "{no_code}");
        }
    }

    #[test]
    fn every_code_has_a_page_and_every_page_a_code() {
        let pages: Vec<&str> = PAGES.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let codes: Vec<String> = Code::ALL.iter().map(|(code, _)| code.to_string()).collect();
        assert_eq!(pages, codes);
        for (code, _) in Code::ALL {
            assert!(code.explanation().len() > 10, "{code}");
        }
    }

    #[test]
    fn every_code_is_there_once() {
        assert!(Code::ALL.is_sorted_by(|(left, _), (right, _)| left < right));
    }
}
