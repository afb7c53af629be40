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
    let (namespace, name) = (namespace.to_owned(), name.to_owned());
    script_protocol::Stub { namespace, name, parameters, ..script_protocol::Stub::default() }
}

fn read(source: &str) -> Result<Program, Vec<Problem>> {
    let stubs = [
        stub("ide", "findReferences", &["symbol", "includeDeclaration"]),
        stub("ide", "search", &["path", "pattern", "extension"]),
        stub("ide", "files", &["glob"]),
        stub("fs", "read", &["path"]),
        stub("fs", "write", &["path", "text"]),
    ];
    Program::read(source, &stubs, source.contains("'pkg'"))
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
        "#!/usr/bin/env node\nawait main();\nasync function main() {}\ntype T = 1",
        "export default async () => 1",
        "export default function () { return 1 }\n(2)",
        "export default class {}",
        "export default { a: 1 } as const",
        "const n = 1; export default n",
        "async function main() {}\nexport { main as default, main }",
        "export default async function main() {}\nawait main()",
        "const main = () => 1\nconst other = () => main()\nexport default main\nother()",
        "export default function main(n: number) { return n ? main(n - 1) : 0 }\nconst unused = () => main(2)",
        "export default async function main() {}\nconsole.log(1)",
        "export interface A {}\nexport default interface B {}\n1",
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

        return main})

        (async () => {return async () => 1
        })

        (async () => {
        return await main();
        async function main() {}
        ;
        })

        (async () => {let $default;               $default = async () => 1
        return $default})

        (async () => {let $default;               $default = function () { return 1 };
        (2)
        return $default})

        (async () => {let $default;               $default = class {};
        return $default})

        (async () => {let $default;               $default = { a: 1 }
        return $default})

        (async () => {let $default;const n = 1;                $default = n
        return n})

        (async () => {async function main() {}

        return main})

        (async () => {               async function main() {}
        return await main()
        })

        (async () => {let $default;const main = () => 1
        const other = () => main()
                       $default = main
        return other()
        })

        (async () => {               function main(n        ) { return n ? main(n - 1) : 0 }
        const unused = () => main(2)
        return main})

        (async () => {               async function main() {}
        console.log(1)
        return main})

        (async () => {
        ;
        return 1
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
        // Whatever the names of the program for them.
        "import { fs } from './ide'; fs.write({ path: 'a', content: 'b' })",
        "import * as all from 'ide'; all.ide.findRefs('x'); all.fs.write({ path: 'a', content: 'b' })",
        "import tools, { fs as files, ide as i } from 'dialect'; tools.fs.raed('a'); files.write('a', 'b', 'c'); i.search('a', 'b').length",
        "const { search: s, ide: { files } } = { ide, search: 1 } as any; const f = fs; let g = f; g.wirte('a'); const { read, writ } = g",
        "const w = fs.write; w({ path: 'a', content: 'b' }); const out = ide.search.outcome; const p = out('a', 'b'); p.value",
        "declare const ide: any; declare const fs: any; function h() { return k.find('x') } const k = ide; fs['write']({ path: '', txt: '' })",
        "globalThis.fs.write({ path: 'a', content: '' }); (fs as any).write({ path: 'a', content: '' }); fs!.reed('a')",
        "function f(ide: any) { return ide.other().length } const { read = 1, ...rest } = fs; rest.wirte('a'); f(read)",
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

        content: `fs.write` has no parameter `content` [It is `fs.write(path, text)`.]

        findRefs: `ide` has no function `findRefs` [Did you mean `findReferences`?]
        content: `fs.write` has no parameter `content` [It is `fs.write(path, text)`.]

        raed: `fs` has no function `raed` [Did you mean `read`?]
        'c': `fs.write` takes 2 arguments [It is `fs.write(path, text)`.]
        length: this is a promise: the call of `ide.search` is not awaited [Write `await ide.search(…)`, in parentheses before a member.]

        wirte: `fs` has no function `wirte` [Did you mean `write`?]
        writ: `fs` has no function `writ` [Did you mean `write`?]

        content: `fs.write` has no parameter `content` [It is `fs.write(path, text)`.]
        value: this is a promise: the call of `ide.search` is not awaited [Write `await ide.search(…)`, in parentheses before a member.]

        find: `ide` has no function `find` [Did you mean `findReferences`?]
        txt: `fs.write` has no parameter `txt` [Did you mean `text`?]

        content: `fs.write` has no parameter `content` [It is `fs.write(path, text)`.]
        content: `fs.write` has no parameter `content` [It is `fs.write(path, text)`.]
        reed: `fs` has no function `reed` [Did you mean `read`?]

        wirte: `fs` has no function `wirte` [Did you mean `write`?]

        n: a namespace cannot run here: only types are erased [Write an object with functions, or functions of their own.]

        ;: Unexpected token"#]]
    .assert_eq(&programs.map(prepared).join("\n\n"));
}

/// Returns the message and the help about a program that cannot run.
fn refused(source: &str) -> String {
    let problems = read(source).expect_err(source);
    let each = problems.iter().map(|it| {
        let help = it.help.as_deref().unwrap_or_default();
        format!(
            "{}: {}\n    {help}\n",
            source[it.span.clone()].lines().next().unwrap_or_default(),
            it.message
        )
    });
    each.collect()
}

#[test]
fn programs_that_run_nothing_are_refused() {
    let programs = [
        "async function main() { await fs.read('a') }",
        "export function run() {}\nexport const other = () => 1\ninterface A {}",
        "class Migration { run() {} }\nconst options = { dry: true, list: [1, -1, `x`] };",
        "const main = async () => { await fs.read('a') }\nexport { main }",
        "async () => { await fs.read('a') }\nconsole.log(1)",
        "(function () { return 1 })\nconst x = 1",
    ];
    expect![[r#"
        main: nothing would run: the program only defines `main`
            Use it at the end: `return await main()`, or write `export default` before it.
        run: nothing would run: the program only defines `run`, `other`
            Use it at the end: `return await run()`, or write `export default` before it.
        Migration: nothing would run: the program only defines `Migration`
            Use it at the end: `return new Migration()`.
        main: nothing would run: the program only defines `main`
            Use it at the end: `return await main()`, or write `export default` before it.
        a: nothing calls this function
            Call it: write it in parentheses with () behind, or give it a name.
        (: nothing calls this function
            Call it: write it in parentheses with () behind, or give it a name.
    "#]]
    .assert_eq(&programs.map(refused).concat());
    for source in [
        "const x = 1",
        "const f = () => 1; f()",
        "class A { static { console.log(1) } }",
        "const f = () => 1; const x = f()",
        "() => 1",
        "export default () => 1",
        "function f() {}\nif (1) f()",
        "",
    ] {
        assert!(read(source).is_ok(), "{}", refused(source));
    }
}

#[test]
fn what_other_runtimes_have_is_told_before_anything_runs() {
    let programs = [
        "import { existsSync, readFileSync as r } from \"fs\"; existsSync('a') && r('a')",
        "import { readFileSync } from 'node:fs'; import fsx, { stat } from 'fs/promises'; fsx.watch; readFileSync(stat)",
        "import * as nodeFs from 'node:fs'; nodeFs.readdirSync('.'); nodeFs.promises.lstat('a')",
        "import path from 'path'; path.win32.join('a'); import { join, glob } from 'node:path'; join(glob)",
        "import { fileURLToPath } from 'url'; fileURLToPath; import { promisify } from 'util'; promisify",
        "process.exit(1); process.cwd(); process.argv[2]; process.env.HOME; process.stdout.write('x'); process",
        "Buffer.from('a'); require('child_process').execSync('ls'); const path = require('path'); require(x)",
        "module.exports = 1; exports.a = 1; __dirname + __filename",
        "Deno.readTextFile('a'); Deno.writeTextFile('a', ''); Deno.args; Bun.file('a'); Bun.write('a', ''); Bun.spawn([])",
        "await fetch('http://a'); crypto.randomUUID(); Temporal.Now; new AbortController(); new WebSocket(''); new Worker('')",
        "window.x; document.title; localStorage; alert(1); navigator",
        "new Intl.DateTimeFormat('en'); Intl.PluralRules; new Intl.Segmenter()",
        "import cp from 'child_process'; import os from 'node:os'; import https from 'https'; [cp, os, https]",
        "import c from 'crypto'; import e from 'events'; import a from 'node:assert'; import g from 'fast-glob'; [c, e, a, g]",
        "import ts from 'typescript'; import l from 'lodash'; import x from './helper'; [ts, l, x]",
        "await import('node:fs'); await import('./x.ts'); await import('zod'); await import(name)",
        "if (import.meta.main) main(); import.meta.url; function main() {}",
        "const a = <p>x</p>",
        "const list = items.map(i => <li key={i}>{i}</li>); <></>",
        "9007199254740993 + 0x20000000000001 + 12_345_678_901_234_567_890; 1e300; 9007199254740992; 0.12345678901234567890",
    ];
    expect![[r#"
        existsSync: `fs` has no `existsSync` here
            Write `await fs.exists(path)`.
        readFileSync: `fs` has no `readFileSync` here
            Write `await fs.read(path)`.

        readFileSync: `fs` has no `readFileSync` here
            Write `await fs.read(path)`.
        stat: `fs` has no `stat` here
            Write `await fs.exists(path)`; a size is (await fs.read(path)).length, and there are no times.
        watch: `fs` has no `watch` here
            A program ends: read the file when it is needed.

        readdirSync: `fs` has no `readdirSync` here
            Write `await fs.list(folder)`: the paths of all files below it.
        lstat: `fs` has no `lstat` here
            Write `await fs.exists(path)`; a size is (await fs.read(path)).length, and there are no times.

        win32: `path` has no `win32` here
            It has normalize, basename, extname, dirname, join, resolve, relative, parse, format, isAbsolute, toNamespacedPath, sep, delimiter, posix.
        glob: `path` has no `glob` here
            It has normalize, basename, extname, dirname, join, resolve, relative, parse, format, isAbsolute, toNamespacedPath, sep, delimiter, posix.

        fileURLToPath: `url` has no `fileURLToPath` here
            Write new URL(url).pathname.
        promisify: `util` has no `promisify` here
            Functions here give promises already: leave it out.

        process: there is no `process.exit` here
            Write `return`, or throw an error.
        process: there is no `process.cwd` here
            Paths are relative to the workspace: leave it out.
        process: there is no `process.argv` here
            There is no environment: pass data as `args`, which the program finds.
        process: there is no `process.env` here
            There is no environment: pass data as `args`, which the program finds.
        process: there is no `process.stdout` here
            Write console.log(text).
        process: there is no `process` here
            There is no process: `args` has the data of the call; return, or throw an error, to end.

        Buffer: there is no `Buffer.from` here
            Files are texts here: `await fs.read(path)`. For bytes: new TextEncoder().encode(text), btoa, atob.
        require('child_process'): there is no module `child_process` here
            Nothing here starts processes; run commands with your own tools.
        require('path'): a module is imported at the start of a program
            Write `import path from "path"` at the start of the program.
        require: there is no `require` here
            Write `import`; `ide`, `fs` and the other namespaces need none.

        module: there is no `module.exports` here
            Write `export`, or `return` the value.
        exports: a program has no `exports`
            Write `export`, or `return` the value.
        __dirname: there is no `__dirname` here
            Paths are relative to the workspace: leave it out.
        __filename: there is no `__filename` here
            Paths are relative to the workspace: leave it out.

        Deno: there is no `Deno.readTextFile` here
            Write `await fs.read(path)`, or `await fs.list(folder)`.
        Deno: there is no `Deno.writeTextFile` here
            Write `await fs.write(path, text)`.
        Deno: there is no `Deno.args` here
            There is no environment: pass data as `args`, which the program finds.
        Bun: there is no `Bun.file` here
            Write `await fs.read(path)`.
        Bun: there is no `Bun.write` here
            Write `await fs.write(path, text)`.
        Bun: there is no `Bun.spawn` here
            Nothing here starts processes; run commands with your own tools.

        fetch: there is no `fetch` here
            Nothing here reaches the network; pass what the program needs as `args`.
        crypto: there is no `crypto.randomUUID` here
            There is no cryptography here; compare the texts themselves, or hash them with a loop.
        Temporal: there is no `Temporal.Now` here
            Use Date, whose toISOString() is in UTC.
        AbortController: there is no `AbortController` here
            Nothing here can be aborted: leave it out.
        WebSocket: there is no `WebSocket` here
            Nothing here reaches the network; pass what the program needs as `args`.
        Worker: there is no `Worker` here
            A program has one thread; Promise.all runs its calls in parallel.

        window: there is no `window.x` here
            There is no page here; leave it out.
        document: there is no `document.title` here
            There is no page here; leave it out.
        localStorage: there is no `localStorage` here
            There is no page here; leave it out.
        alert: there is no `alert` here
            There is no page here; leave it out.
        navigator: there is no `navigator` here
            The same program runs alike everywhere: leave it out.

        DateTimeFormat: there is no `Intl.DateTimeFormat` here
            Write date.toISOString() and take parts of it.
        PluralRules: there is no `Intl.PluralRules` here
            Write n === 1 ? "one" : "other".
        Segmenter: there is no `Intl.Segmenter` here
            Array.from(text) has its characters, text.match(/\w+/g) its words.

        'child_process': there is no module `child_process` here
            Nothing here starts processes; run commands with your own tools.
        'node:os': there is no module `node:os` here
            There is no machine to ask: paths are relative to the workspace, and lines end with \n.
        'https': there is no module `https` here
            Nothing here reaches the network; pass what the program needs as `args`.

        'crypto': there is no module `crypto` here
            There is no cryptography here; compare the texts themselves, or hash them with a loop.
        'events': there is no module `events` here
            Nothing here sends events; call the function itself.
        'node:assert': there is no module `node:assert` here
            There is no test runner here: write `if (!holds) throw new Error(…)`.
        'fast-glob': there is no module `fast-glob` here
            Write `await fs.list("**/*.ts")`.

        'typescript': there is no module `typescript` here
            Ask `ide` instead: ide.definitions(path), ide.findReferences(name), ide.findCode(pattern).
        'lodash': there is no module `lodash` here
            JavaScript's own library has most of it: Object.groupBy, Array.prototype.flatMap, structuredClone, Set.
        './helper': there is no module `./helper` here
            A program is one file; put the code here. `await fs.read("helper")` has the text of a file.

        import('node:fs'): a module is imported at the start of a program
            Write `import fs from "node:fs"` at the start of the program.
        import('./x.ts'): there is no module `./x.ts` here
            A program is one file; put the code here. `await fs.read("x.ts")` has the text of a file.
        import('zod'): there is no module `zod` here
            Functions need no import: they are in `ide`, `fs` and the other namespaces. Only JavaScript's own library is there besides.
        import(name): a program loads no others
            Write the code here; `await fs.read(path)` has the text of a file.

        import.meta: there is no `import.meta` here
            A program is no file, and is always the main one: leave it out. Paths are relative to the workspace.

        <p>: JSX cannot run here: nothing renders it
            Write it as a text: `<p>…</p>`.

        <li key={i}>: JSX cannot run here: nothing renders it
            Write it as a text: `<p>…</p>`.

        9007199254740993: `9007199254740993` is 9007199254740992 as a number, which has 53 bits
            Write `9007199254740993n`, a BigInt.
        0x20000000000001: `0x20000000000001` is 9007199254740992 as a number, which has 53 bits
            Write `0x20000000000001n`, a BigInt.
        12_345_678_901_234_567_890: `12345678901234567890` is 12345678901234567168 as a number, which has 53 bits
            Write `12345678901234567890n`, a BigInt.
    "#]].assert_eq(&programs.map(refused).join("\n"));
}

#[test]
fn what_is_here_or_declared_is_left_alone() {
    let programs = [
        "import { readFile, writeFile, promises } from 'node:fs/promises'; readFile(promises.readdir + writeFile)",
        "import fs from 'fs'; await fs.read('a'); await fs.promises.readFile('a', 'utf8')",
        "import { existsSync } from 'fs'", // nothing uses it: it may be a type
        "import { join, posix } from 'path'; posix.join(join('a'))",
        "import { setTimeout as sleep } from 'node:timers/promises'; await sleep(1)",
        "import { URL } from 'url'; new URL('http://x'); new URLSearchParams(''); new TextEncoder(); structuredClone(1); atob('')",
        "typeof process !== 'undefined' && process.env.X",
        "const process = { env: {} }; process.env; function f(fetch) { return fetch('x') } f(1)",
        "const o = { process: 1, require: 2 }; o.process; o.require",
        "new Intl.Collator('de').compare; Intl.NumberFormat('en')",
        "9007199254740993n; 9007199254740991; 9007199254740994",
        "import { promisify } from 'util'; import x from 'pkg'; promisify(x); process.exit(); import('zod')",
        "const <T>(x) => x".strip_prefix("const ").unwrap_or_default(),
    ];
    for source in programs {
        assert!(read(source).is_ok(), "{}", refused(source));
    }
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
        "{ const fs = { wirte() {} }; fs.wirte() } await fs.write({ path: 'a', text: 'b' })",
        "import { fs } from './ide'; await fs.write({ path: 'a', text: 'b' }); const { read } = fs; await read('a')",
        "let f = fs; f = other; f.wirte('a')",
        "const { outcome } = await ide.search.outcome('a', 'b'); outcome",
        "const r = await ide.search.outcome('a', 'b'); r.outcome",
        "(await fs.read('x')).length",
        "const read = () => 1; read().length",
        "ide.search(...args)",
    ];
    for source in programs {
        assert!(read(source).is_ok(), "{}", prepared(source));
    }
}
