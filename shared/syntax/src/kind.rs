//! What a definition is, in the words that language servers have for it.

use std::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// What a definition is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The word for it: `enumMember`. Where LSP has a kind for it, LSP's in camel case.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

kinds! {
    /// A module or a file's part with a name.
    Module = "module",
    /// A namespace or package.
    Namespace = "namespace",
    /// A class.
    Class = "class",
    /// A struct, record or union.
    Struct = "struct",
    /// An enumeration.
    Enum = "enum",
    /// One of an enumeration's values.
    EnumMember = "enumMember",
    /// An interface, trait or protocol.
    Interface = "interface",
    /// Another name of a type.
    Type = "type",
    /// What adds members to a type that is defined elsewhere: an `impl` in Rust. It defines no name.
    Extension = "impl",
    /// A function that belongs to no type.
    Function = "function",
    /// A function that belongs to a type.
    Method = "method",
    /// What makes a value of a class.
    Constructor = "constructor",
    /// A macro.
    Macro = "macro",
    /// A value that does not change.
    Constant = "constant",
    /// A variable of a file, module or class.
    Variable = "variable",
    /// A member that holds a value.
    Field = "field",
    /// A member that reads as a value and is computed.
    Property = "property",
    /// An event or a delegate's slot.
    Event = "event",
}

impl Kind {
    /// The kind of that word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.word() == word)
    }

    /// Whether it holds code that runs when it is called.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor | Self::Macro)
    }

    /// Whether it is a type, or adds to one.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Enum | Self::Interface | Self::Type | Self::Extension
        )
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
