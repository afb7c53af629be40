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
        ("enum A { B }", 0..6, "an enumeration"),
        ("let a; namespace B { export const c = 1; }", 7..8, "a namespace"),
        ("class A { constructor(private b: string) {} }", 22..39, "a parameter that declares a field"),
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
fn what_is_no_typescript_is_told_with_its_place() {
    for (source, at) in [("let a = ;", 8), ("f(1, 2", 6), ("let a: = 1;", 7), ("\"", 0)] {
        let problems = erase(source).expect_err(source);
        assert_eq!(problems[0].span.start, at, "{source}: {problems:?}");
    }
}
