//! The contexts in which a piece of code can stand in a file of its language, and the spellings of holes in them.

use crate::Language;

/// Returns pairs of text before and behind the pattern. There is one for each meaning that the same code may have
/// elsewhere, such as a type or a pattern of a `match`.
pub(super) fn contexts(language: Language) -> &'static [(&'static str, &'static str)] {
    match language.id() {
        "rust" => &[
            ("", ""),
            ("fn f() { ", " }"),
            ("fn f() { ", "; }"),
            ("impl X { ", " }"),
            ("trait X { ", " }"),
            ("fn f() { match x { ", " } }"),
            ("fn f() { match x { ", " => {} } }"),
            ("fn f() { X { ", " } }"),
            ("struct X { ", " }"),
            ("enum X { ", " }"),
            ("fn f(", ") {}"),
            ("type X = ", ";"),
        ],
        "python" => &[
            ("", ""),
            ("", "\ndef f(): pass"),
            ("f(", ")"),
            ("def f(", "): pass"),
            ("x = {", "}"),
            ("x: ", " = 1"),
            ("try: pass\n", ""),
            ("match x:\n case ", ": pass"),
        ],
        "javascript" => JAVASCRIPT,
        "typescript" => TYPESCRIPT,
        "tsx" => TSX,
        "go" => &[
            ("package p\n", ""),
            ("package p\nfunc f() { ", " }"),
            ("package p\nvar x = ", ""),
            ("package p\ntype x ", ""),
            ("package p\ntype x struct { ", " }"),
            ("package p\ntype x interface { ", " }"),
            ("package p\nfunc f() { switch x { ", " } }"),
            ("package p\nvar x = T{ ", " }"),
            ("package p\nfunc f(", ") {}"),
        ],
        "java" => &[
            ("", ""),
            ("class X { ", " }"),
            ("class X { void f() { ", " } }"),
            ("class X { void f() { ", "; } }"),
            ("class X { Object x = ", "; }"),
            ("class X { ", " x; }"),
            ("class X { void f(", ") {} }"),
            ("class X { void f() { switch (x) { ", " } } }"),
            ("class X { void f() { try { } ", " } }"),
            ("", " class X { }"),
        ],
        "c" => C,
        "cpp" => CPP,
        "csharp" => &[
            ("", ""),
            ("class X { ", " }"),
            ("class X { void f() { ", " } }"),
            ("class X { void f() { ", "; } }"),
            ("class X { object x = ", "; }"),
            ("class X { ", " x; }"),
            ("class X { void f(", ") {} }"),
            ("class X { void f() { switch (x) { ", " } } }"),
            ("class X { void f() { try { } ", " } }"),
            ("", " class X { }"),
        ],
        "ruby" => &[("", ""), ("x = ", ""), ("f(", ")"), ("def f(", "); end"), ("x = { ", " }")],
        "php" => &[
            ("<?php ", ""),
            ("<?php ", ";"),
            ("<?php $x = ", ";"),
            ("<?php f(", ");"),
            ("<?php $x = [", "];"),
            ("<?php class X { ", " }"),
            ("<?php function f(", ") {}"),
            ("", ""),
        ],
        _ => &[("", ""), ("f() { ", "; }")],
    }
}

const JAVASCRIPT: &[(&str, &str)] = &[
    ("", ""),
    ("async function* f() { ", " }"),
    ("x = ", ";"),
    ("x = { ", " }"),
    ("class X { ", " }"),
    ("function f(", ") {}"),
    ("switch (x) { ", " }"),
    ("x = <a ", " />;"),
    ("try { } ", ""),
];

const TYPESCRIPT: &[(&str, &str)] = &[
    ("", ""),
    ("async function* f() { ", " }"),
    ("x = ", ";"),
    ("x = { ", " }"),
    ("class X { ", " }"),
    ("function f(", ") {}"),
    ("switch (x) { ", " }"),
    ("try { } ", ""),
    ("type X = ", ";"),
    ("interface X { ", " }"),
    ("", " class X { }"),
];

const TSX: &[(&str, &str)] = &[
    ("", ""),
    ("async function* f() { ", " }"),
    ("x = ", ";"),
    ("x = { ", " }"),
    ("class X { ", " }"),
    ("function f(", ") {}"),
    ("switch (x) { ", " }"),
    ("x = <a ", " />;"),
    ("try { } ", ""),
    ("type X = ", ";"),
    ("interface X { ", " }"),
    ("", " class X { }"),
];

const C: &[(&str, &str)] = &[
    ("", ""),
    ("void f() { ", " }"),
    ("void f() { ", "; }"),
    ("int x = ", ";"),
    ("struct X { ", " };"),
    ("struct X { ", "; };"),
    ("void f(", ");"),
    ("", " x;"),
    ("void f() { switch (x) { ", " } }"),
    ("", "\n"),
];

const CPP: &[(&str, &str)] = &[
    ("", ""),
    ("void f() { ", " }"),
    ("void f() { ", "; }"),
    ("auto x = ", ";"),
    ("class X { ", " };"),
    ("class X { ", "; };"),
    ("void f(", ");"),
    ("", " x;"),
    ("void f() { switch (x) { ", " } }"),
    ("void f() { try { } ", " }"),
    ("", "\n"),
];

/// Returns the spellings of a hole, in which `_` stands for a unique name. The first one with which the code parses
/// is used.
pub(super) fn spellings(language: Language) -> &'static [&'static str] {
    match language.id() {
        "rust" => &["_", "_;", "_: _", "_ => _", "fn _();"],
        "c" | "cpp" | "java" | "csharp" => &["_", "_;", "_ _", "_ _;"],
        "go" => &["_", "_ _", "_: _"],
        "ruby" => &["_", "K_"], // the names of classes have capitals
        "php" => &["$_", "_", "$_;", "_;", "const _ = 1;"],
        _ => &["_", "_;"],
    }
}
