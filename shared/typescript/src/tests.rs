use expect_test::expect;
use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use super::*;

/// Erases, and checks what holds for every program.
fn erased(source: &str) -> String {
    let text = erase(source).unwrap_or_else(|it| panic!("{source}: {it:?}"));
    assert_eq!(text.len(), source.len(), "{source}");
    assert_eq!(text.lines().count(), source.lines().count(), "{source}");
    let allocator = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, &text, SourceType::mjs()).with_options(options).parse();
    assert!(
        !parsed.panicked && !parsed.diagnostics.has_errors(),
        "{source}\n{text}\n{:?}",
        parsed.diagnostics
    );
    text
}

#[test]
fn types_become_blanks() {
    let programs = [
        "let x: number = 1;",
        "let x!: number;",
        "const f = (a: string, b?: number): void => {};",
        "function f<T>(this: Foo, a: T): T { return a; }",
        "const a = b as C;",
        "const a = b as unknown as C;",
        "const a = <C>b;",
        "const a = b!.c![0]!;",
        "const a = { b } satisfies C;",
        "f<string>(1); new Map<string, number>();",
        "const g = f<string>;",
        "type A = string; let b = 1;",
        "interface A { b: string }\nlet c;",
        "declare const a: string;\nlet c;",
        "import type { A } from \"x\";",
        "import { type A, b } from \"x\"; b;",
        "import { A, b } from \"x\"; b as A;",
        "import { A } from \"x\"; let b: A;",
        "import \"x\";",
        "export type { A } from \"x\";",
        "export interface A {}",
        "export { a, type B }; let a;",
        "function f(a: string): void;\nfunction f(a: any) {}",
        "class A<T> extends B<T> implements C, D { }",
        "abstract class A { abstract b(): void; c() {} }",
        "class A { private readonly b?: string = \"\"; }",
        "class A { a = 1\n readonly [\"b\"] = 2 }",
        "class A { declare b: string; [k: string]: any; c; }",
        "try {} catch (e: unknown) {}",
        "for (const a of b as C[]) {}",
        "const a = b as C\n(d);",
        "const f = (a): Promise<\n  void> => a;",
        "const f = async <T,\n>(a: T) => a;",
        "return await x as number;",
        "let a = \"é: string\"; let b: É = 1;",
        "enum_ = 1; let abstract = 2; abstract;",
    ];
    let shown = |source: &&str| format!("{source}\n{}\n\n", erased(source));
    expect![[r#"
        let x: number = 1;
        let x         = 1;

        let x!: number;
        let x         ;

        const f = (a: string, b?: number): void => {};
        const f = (a        , b         )       => {};

        function f<T>(this: Foo, a: T): T { return a; }
        function f   (           a   )    { return a; }

        const a = b as C;
        const a = b     ;

        const a = b as unknown as C;
        const a = b                ;

        const a = <C>b;
        const a =    b;

        const a = b!.c![0]!;
        const a = b .c [0] ;

        const a = { b } satisfies C;
        const a = { b }            ;

        f<string>(1); new Map<string, number>();
        f        (1); new Map                ();

        const g = f<string>;
        const g = f        ;

        type A = string; let b = 1;
        ;                let b = 1;

        interface A { b: string }
        let c;
        ;                        
        let c;

        declare const a: string;
        let c;
        ;                       
        let c;

        import type { A } from "x";
        ;                          

        import { type A, b } from "x"; b;
        import {         b } from "x"; b;

        import { A, b } from "x"; b as A;
        import {    b } from "x"; b     ;

        import { A } from "x"; let b: A;
        ;                      let b   ;

        import "x";
        import "x";

        export type { A } from "x";
        ;                          

        export interface A {}
        ;                    

        export { a, type B }; let a;
        export { a,        }; let a;

        function f(a: string): void;
        function f(a: any) {}
        ;                           
        function f(a     ) {}

        class A<T> extends B<T> implements C, D { }
        class A    extends B                    { }

        abstract class A { abstract b(): void; c() {} }
                 class A { ;                   c() {} }

        class A { private readonly b?: string = ""; }
        class A {                  b          = ""; }

        class A { a = 1
         readonly ["b"] = 2 }
        class A { a = 1
         ;        ["b"] = 2 }

        class A { declare b: string; [k: string]: any; c; }
        class A { ;                  ;                 c; }

        try {} catch (e: unknown) {}
        try {} catch (e         ) {}

        for (const a of b as C[]) {}
        for (const a of b       ) {}

        const a = b as C
        (d);
        const a = b;    
        (d);

        const f = (a): Promise<
          void> => a;
        const f = (a           
              ) => a;

        const f = async <T,
        >(a: T) => a;
        const f = async (  
          a   ) => a;

        return await x as number;
        return await x          ;

        let a = "é: string"; let b: É = 1;
        let a = "é: string"; let b     = 1;

        enum_ = 1; let abstract = 2; abstract;
        enum_ = 1; let abstract = 2; abstract;

    "#]]
    .assert_eq(&programs.iter().map(shown).collect::<String>());
}

#[test]
fn what_makes_code_is_refused_with_its_place() {
    for (source, span, message) in [
        ("let a; namespace B { export const c = 1; }", 7..8, "a namespace"),
        ("@dec class A {}", 0..4, "a decorator"),
        ("import a = require(\"b\");", 0..24, "`import =`"),
        ("export = 1;", 0..11, "`export =`"),
    ] {
        let problems = erase(source).expect_err(source);
        assert_eq!(problems[0].span, span, "{source}");
        assert!(problems[0].message.starts_with(message) && problems[0].help.is_some(), "{problems:?}");
    }
}

#[test]
fn enumerations_and_fields_of_parameters_are_made() {
    let sources = [
        "enum E { A, B = 5, C, 'd-e' = \"x\" }\nE.A",
        "export const enum Bits {\n  None,\n  One = 1 << 0, Two = One << 1, default = One | Two,\n}",
        "declare enum Gone { A }",
        "class A { constructor(private readonly a: number, b?: string, public c = 2) { b } }",
        "class B extends A { constructor(protected d: X) { super(1); } }",
    ];
    let made: String = sources.iter().map(|it| format!("{}\n", erase(it).expect(it))).collect();
    expect![[r#"
        var      E = ((E) => { const A = E["A"] = 0 ; const B = E["B"]  = 5; const C = E["C"] = E["B"] + 1 ; E['d-e']      = "x";  for (const key of Object.keys(E)) if (typeof E[key] === "number") E[E[key]] = key; return E })(E ?? {});
        E.A
        export var            Bits = ((Bits) => {
          const None = Bits["None"] = 0    ;
          const One = Bits["One"]    = 1 << 0; const Two = Bits["Two"]    = One << 1; Bits["default"]        = One | Two;
         for (const key of Object.keys(Bits)) if (typeof Bits[key] === "number") Bits[Bits[key]] = key; return Bits })(Bits ?? {});
        ;                      
        class A { constructor(                 a        , b         ,        c = 2) { this.a = a; this.c = c; b } }
        class B extends A { constructor(          d   ) { super(1);; this.d = d; } }
    "#]].assert_eq(&made);
}

#[test]
fn what_is_no_typescript_is_told_with_its_place() {
    for (source, at) in [("let a = ;", 8), ("f(1, 2", 6), ("let a: = 1;", 7), ("\"", 0)] {
        let problems = erase(source).expect_err(source);
        assert_eq!(problems[0].span.start, at, "{source}: {problems:?}");
    }
}

fn stub(namespace: &str, name: &str, parameters: &[&str]) -> script_protocol::Stub {
    let parameters = parameters.iter().map(|it| (*it).to_owned()).collect();
    script_protocol::Stub { namespace: namespace.to_owned(), name: name.to_owned(), parameters }
}

fn read(source: &str) -> Result<Program, Vec<Problem>> {
    let stubs = [
        stub("ide", "findReferences", &["symbol", "includeDeclaration"]),
        stub("ide", "search", &["path", "pattern", "extension"]),
        stub("ide", "files", &["glob"]),
        stub("fs", "read", &["path"]),
    ];
    Program::read(source, &stubs, |it| match it {
        "dialect" => Some(Module::Object("$modules.dialect")),
        "pkg" => Some(Module::Imported(it.to_owned())),
        _ => None,
    })
}

/// Returns a program as the engine gets it, or what is wrong with it.
fn prepared(source: &str) -> String {
    match read(source) {
        Ok(program) => program.code,
        Err(problems) => {
            let each = problems.iter().map(|it| {
                let help = it.help.as_ref().map(|it| format!(" [{it}]")).unwrap_or_default();
                format!("{}: {}{help}", &source[it.span.clone()], it.message)
            });
            each.collect::<Vec<_>>().join("\n")
        }
    }
}

/// Returns a text as an expectation can have it.
fn without_trailing_blanks(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_program_is_one_function_with_the_value_of_its_last_statement() {
    let programs = [
        "const x: number = 1;\nx + 1",
        "return 1;",
        "if (a) b();",
        "import { ide as i, type Edit } from \"dialect\";\nimport all from 'dialect';\ni; all;",
        "export const x = 1;\nexport default async function main(): Promise<void> {}\nexport { x };",
        "async () => 1",
        "import a, { b as c } from 'pkg'; import * as d from 'pkg'; import 'pkg'; [a, c, d]",
    ];
    expect![[r#"
        (async () => {const x         = 1;
        return x + 1
        })

        (async () => {return 1;
        })

        (async () => {if (a) b();
        })

        (async () => {const i = $modules.dialect.ide;const all = $modules.dialect;

        i; return all;
        })

        (async () => {       const x = 1;
                       async function main()                {}

        })

        (async () => {return async () => 1
        })

        (async () => {const a = (await $import("pkg")).default;const c = (await $import("pkg")).b;const d = (await $import("pkg"));(await $import("pkg"));                                                                         return [a, c, d]
        })"#]]
    .assert_eq(&programs.map(|it| without_trailing_blanks(&prepared(it))).join("\n\n"));
}

#[test]
fn places_are_those_of_the_program() {
    let program = read("é; f(1)\n  ide.files('x'); g(2)").unwrap();
    let place = |line: u32, column: u32| {
        let script_protocol::Place { line, column } = program.place(script_protocol::Place { line, column });
        (line, column)
    };
    let before = u32::try_from("(async () => {".len()).unwrap();
    assert_eq!(place(1, 4 + before), (1, 4));
    assert_eq!(place(2, 3), (2, 3));
    let inserted = u32::try_from("return ".len()).unwrap();
    assert_eq!(place(2, 19 + inserted), (2, 19));
}

#[test]
fn mistakes_in_calls_are_found_before_anything_runs() {
    let programs = [
        "ide.findRefs('x')",
        "ide.everything()",
        "ide.search({ path: 'src', patern: 'x' })",
        "ide.search('a', 'b', '.ts', 4)",
        "ide.search('src', 'x').length",
        "const refs = ide.findReferences('x'); for (const r of refs) {} refs.map(r => r); [...refs]",
        "const { value } = ide.findReferences.outcome('x')",
        "import { z } from 'zod'; z.string()",
        "namespace A { export const b = 1 }",
        "const x = ;",
    ];
    expect![[r#"
        findRefs: `ide` has no function `findRefs` [Did you mean `findReferences`?]

        everything: `ide` has no function `everything` [It has files, findReferences, search.]

        patern: `ide.search` has no parameter `patern` [Did you mean `pattern`?]

        4: `ide.search` takes 3 arguments [It is `ide.search(path, pattern, extension)`.]

        length: this is a promise: the call of `ide.search` is not awaited [Write `await ide.search(…)`, in parentheses before a member.]

        refs: this is a promise: the call of `ide.findReferences` is not awaited [Write `await ide.findReferences(…)`, in parentheses before a member.]
        map: this is a promise: the call of `ide.findReferences` is not awaited [Write `await ide.findReferences(…)`, in parentheses before a member.]
        refs: this is a promise: the call of `ide.findReferences` is not awaited [Write `await ide.findReferences(…)`, in parentheses before a member.]

        ide.findReferences.outcome('x'): this is a promise: the call of `ide.findReferences` is not awaited [Write `await ide.findReferences(…)`, in parentheses before a member.]

        'zod': there is no module `zod` here [Functions need no import: they are in `ide`, `fs` and the other namespaces. Only JavaScript's own library is there besides.]

        n: a namespace cannot run here: only types are erased [Write an object with functions, or functions of their own.]

        ;: Unexpected token"#]]
    .assert_eq(&programs.map(prepared).join("\n\n"));
}

#[test]
fn correct_calls_are_left_alone() {
    let programs = [
        "await ide.findReferences({ name: 'x', path: 'a', line: 1 })",
        "await ide.findReferences({ symbol: { name: 'x' } }, true)",
        "await ide.search('src', { pattern: 'x' })",
        "const p = ide.files('x'); const q = await p; q.map(it => it)",
        "Promise.all([ide.files('x')]).then(it => it)",
        "const ide = { other() { return 1 } }; ide.other().length",
        "const r = await ide.search.outcome('a', 'b'); r.outcome",
        "(await fs.read('x')).length",
        "const read = () => 1; read().length",
        "ide.search(...args)",
    ];
    for source in programs {
        assert!(read(source).is_ok(), "{}", prepared(source));
    }
}
