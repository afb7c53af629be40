//! Plugins in programs of the tool `script`: methods and properties of objects, functions that go to a plugin and are called
//! back, and the lives of objects.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use serde_json::json;

use crate::plugin_chain::{ONCE, SESSION, User, write_plugin};
use crate::scripts::run;

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        objects_have_their_methods_and_properties,
        a_plugin_calls_functions_of_a_program,
        calls_of_a_callback_do_not_wait_for_the_call_around_it,
        objects_end_with_the_program_that_made_them,
        a_plugin_that_is_not_there_is_named,
        declarations_have_the_functions_and_classes_of_plugins,
    ]
}

async fn objects_have_their_methods_and_properties() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    let made = "const c = await probe.Counter(5)\n";
    for (code, expected) in [
        ("return [await c.inc(3), await c.get(), await c.value(), await c.value]", "[8,8,8,8]"),
        ("await c.setValue(40); return await c.value", "40"),
        ("return [await probe.CounterRef.inc(c, 2), await probe.Counter.get(c)]", "[7,7]"),
        (
            "const { inc } = c; const { CounterRef } = probe\nreturn [await inc(1), await CounterRef.get(c)]",
            "[6,6]",
        ),
        ("const r = await c.inc.outcome('x'); return [r.outcome, r.error.message]", "unknown method inc"),
        // Built-in names and other values do not stand in its way.
        ("return [await c.commit('k', 'v'), JSON.stringify([c]), c.constructor.name]", "probe.CounterRef"),
        ("console.log(c, [c]); return c.ref", "probe.CounterRef {\"ref\":\"probe#1:"),
        // An object comes back as itself, from anywhere in a value, also where its type is not declared.
        ("const [{ a }] = await probe.peek([{ a: c }]); return await a.inc(1)", "6"),
        ("return (await probe.peek(c)) instanceof c.constructor", "true"),
        ("return await dialect.run(`probe.CounterRef(\"${c.ref}\").inc(1)`)", "6"),
        ("return await (await dialect.run('probe.Counter(9)')).get()", "9"),
        // Texts that look like marks are texts.
        (
            "const [t, { a }] = await probe.peek(['#oprobe.CounterRef x', { a: c }]); return t + await a.get()",
            "#oprobe.CounterRef x5",
        ),
    ] {
        let said = run(&mut chain, &format!("{made}{code}"), json!({})).await?;
        ensure!(said.starts_with("ok · ") && said.contains(expected), "{code}: {said}");
    }
    for (code, parts) in [
        ("return await c.inc", &["probe.CounterRef.inc is a method: write `await x.inc(…)`"][..]),
        ("return c.value > 3", &["probe.CounterRef.value is a property", "write `await x.value`"]),
        ("c.value = 4", &["`value` cannot be assigned; write `await x.setValue(…)`"]),
        ("c.label = 4", &["`label` cannot be assigned"]),
        ("await c.nope()", &["an object of probe.CounterRef has no `nope`; it has inc, get, commit"]),
        ("await fs.write('x', c)", &["fs.write", "it takes no objects of plugins"]),
        ("await probe.CounterRef.nope(c)", &["`probe.CounterRef` has no function `nope`", "inc"]),
        ("await probe.Counter(1).inc(1)", &["`await probe.Counter(…)`"]),
        ("await c.release(); await c.get()", &["the object `probe#1:", "is gone"]),
    ] {
        let said = run(&mut chain, &format!("{made}{code}"), json!({})).await?;
        ensure!(!said.starts_with("ok") && parts.iter().all(|it| said.contains(it)), "{code}: {said}");
    }
    chain.end().await
}

async fn a_plugin_calls_functions_of_a_program() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    for (code, expected) in [
        ("return await probe.call((n: number) => n + 1, 4)", "5"),
        ("return await probe.call(async (...all: number[]) => all.length, 1, 2, 3)", "3"),
        (
            "return await probe.call((n) => ({ n, none: undefined, big: 9007199254740993n }), 1)",
            "{\"big\":9007199254740993,\"n\":1}",
        ),
        ("return (await probe.call(() => {}, 1)) === null", "true"),
        // Objects go there and back.
        (
            "const c = await probe.Counter(5); return await probe.call(async (it) => { await it.inc(2); return await it.get() }, c)",
            "7",
        ),
        ("const c = await probe.Counter(5); return await (await probe.call(() => c, 1)).get()", "5"),
        // A function that fails tells the plugin why, and the plugin its own failure.
        ("return await probe.caught(() => { throw new RangeError('too far') }, 1)", "RangeError: too far"),
        ("return await probe.caught(() => { throw 'just so' }, 1)", "just so"),
        ("return await probe.caught(() => ide.search('nowhere', 'x'), 1)", "nowhere"),
        ("return await probe.caught(() => () => 1, 1)", "takes no functions"),
        (
            "const r = await probe.call.outcome(() => { throw new RangeError('too far') }, 1); return r.error.message",
            "RangeError: too far",
        ),
        // The same function twice, and two at once.
        (
            "const f = (n) => n * 2; return await Promise.all([probe.call(f, 1), probe.call(f, 2), probe.call((n) => probe.call(f, n), 3)])",
            "[2,4,6]",
        ),
    ] {
        let said = run(&mut chain, code, json!({})).await?;
        ensure!(said.starts_with("ok · ") && said.contains(expected), "{code}: {said}");
    }
    for (code, expected) in [
        ("await probe.call(() => { throw new RangeError('too far') }, 1)", "RangeError: too far"),
        ("await core.map([1], (n) => n)", "core.map takes no functions; use those of JavaScript"),
    ] {
        let said = run(&mut chain, code, json!({})).await?;
        ensure!(said.contains("failed · ") && said.contains(expected), "{code}: {said}");
    }
    chain.end().await
}

async fn calls_of_a_callback_do_not_wait_for_the_call_around_it() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&[SESSION[0], SESSION[1], ONCE]).await?;
    let code = "return await probe.call(async (n) => {\n\
                const text = await fs.read('main.py')\n\
                await fs.write('copy.py', text + n)\n\
                return [await probe.echo(text.length), (await fs.read('copy.py')).length]\n}, 4)";
    let said = run(&mut chain, code, json!({})).await?;
    ensure!(said.starts_with("ok · ") && said.contains("[21,22]"), "{said}");
    ensure!(user.path("copy.py").exists(), "{said}");
    chain.end().await
}

async fn objects_end_with_the_program_that_made_them() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    let code = "const [a, b] = [await probe.Counter(1), await probe.Counter(2)]\n\
                await probe.peek(a); await probe.Counter(3)\n\
                return { kept: b, gone: await probe.destroyed() }";
    let said = run(&mut chain, code, json!({})).await?;
    ensure!(said.contains("{\"kept\":{\"ref\":\"probe#1:2\"},\"gone\":0}"), "{said}");
    assert_eq!(chain.call_when_ready("probe.destroyed()").await?.text, "2", "the kept one lives on");
    let said = run(&mut chain, "return await probe.CounterRef.get({ ref: 'probe#1:2' })", json!({})).await?;
    ensure!(said.ends_with("\n2"), "{said}");
    let said = run(&mut chain, "return await probe.CounterRef.get({ ref: 'probe#1:1' })", json!({})).await?;
    ensure!(said.contains("the object `probe#1:1` is gone"), "{said}");
    chain.end().await
}

async fn a_plugin_that_is_not_there_is_named() -> Result<()> {
    let mut user = User::new()?;
    let broken = user.path("broken");
    write_plugin(&broken, "broken", "ping", "pong")?;
    std::fs::write(&broken, "#!/bin/sh\necho 'no licence' >&2\nexit 3\n")?;
    user.plugins.push(broken);
    let (mut chain, _shims) = user.session(&[]).await?;
    for code in ["await broken.ping()", "const { ping } = broken", "import { ping } from 'broken'; ping()"] {
        let said = run(&mut chain, code, json!({})).await?;
        ensure!(
            said.contains("Not there: the plugin broken") && said.contains("no licence"),
            "{code}: {said}"
        );
    }
    let said = run(&mut chain, "throw new Error('mine')", json!({})).await?;
    ensure!(!said.contains("broken"), "{said}");
    chain.end().await
}

async fn declarations_have_the_functions_and_classes_of_plugins() -> Result<()> {
    let user = User::new()?;
    let probe = env!("CARGO_BIN_EXE_probe-plugin");
    let (code, said) = user.dialect(&["script", "--types", "--plugin", probe])?;
    for part in [
        "const peek: Operation<[...args: unknown[]], {  }, any>;",
        "interface probe_CounterRef {",
        "  inc: Operation<[...args: unknown[]], {  }, any>;",
        "  readonly value: Property<any>;",
        "  setValue: Operation<[value: unknown], { value: unknown }, null>;",
        "  namespace CounterRef {\n",
        "const get: Operation<[self: probe_CounterRef, ...args: unknown[]], { self: probe_CounterRef }, any>;",
        "declare const probe: typeof import(\"dialect\").probe;",
        "declare namespace fs {",
    ] {
        ensure!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(code, Some(0), "{said}");
    Ok(())
}
