//! The kinds of definitions, in the words of LSP's `SymbolKind`.

use std::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// The kind of a definition.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the word: `enumMember`. It is the LSP `SymbolKind` in camel case, if there is one.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

kinds! {
    /// A module, or a named part of a file.
    Module = "module",
    /// A namespace or package.
    Namespace = "namespace",
    /// A class, abstract ones included.
    Class = "class",
    /// A struct, record or union.
    Struct = "struct",
    /// An enumeration, also one whose values carry data.
    Enum = "enum",
    /// A value of an enumeration.
    EnumMember = "enumMember",
    /// An interface, trait or protocol.
    Interface = "interface",
    /// A type alias, for which LSP has no kind.
    Type = "typeAlias",
    /// A block that adds members to a type defined elsewhere, such as an `impl` in Rust. It defines no name.
    Extension = "impl",
    /// A function that belongs to no type.
    Function = "function",
    /// A function that belongs to a type.
    Method = "method",
    /// A constructor of a class.
    Constructor = "constructor",
    /// A macro, as in C and Rust.
    Macro = "macro",
    /// A constant of a file, module or type.
    Constant = "constant",
    /// A variable of a file, module or class.
    Variable = "variable",
    /// A member that holds a value.
    Field = "field",
    /// A member that is read like a field and computed.
    Property = "property",
    /// An event or a delegate.
    Event = "event",
}

impl Kind {
    /// Returns the kind with that [`word`](Self::word), or with the one that queries have for it: `type`.
    pub fn of_word(word: &str) -> Option<Self> {
        let word = if word == "type" { Self::Type.word() } else { word };
        Self::ALL.iter().copied().find(|it| it.word() == word)
    }

    /// Returns true for kinds whose code runs when called.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor | Self::Macro)
    }

    /// Returns true for types and for blocks that add to one.
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
