// Makes `table.json`, beside it: expressions with what Node.js says of them. It was made with Node.js 20.20 (ICU 78.2, in UTC):
//
//     TZ=UTC LANG=en_US.UTF-8 node table.mjs > table.json
//
// `same` must have these values in the worker. `refused` must not have other values; an error that says so is right.
import path from 'node:path'

const q = (it) => JSON.stringify(it)
const words = [
  '', 'a', 'A', 'b', 'B', 'Z', 'z', 'ä', 'Ä', 'á', 'a\u0301', 'æ', 'ae', 'é', 'e', 'ß', 'ss', 'ñ', 'n', 'ø', 'o', 'å', 'ł', 'l', 'đ', '1', '2', '10', '9',
  'a1', 'a10', 'a2', 'file-1', 'file 1', 'file_1', 'file.1', 'file1', 'co-op', 'coop', 'CO-OP', '-', '_', ' ', '.', '#', '$', '~', 'я', 'Я', 'ж', 'α', 'Ω',
  '中', '日', '文', 'あ', 'ア', '가', '😀', 'ﬁ', 'fi', 'İ', 'ı', 'i', 'I', 'x\u0000y', 'xy', 'résumé', 'resume', 'Résumé', 'cote', 'coté', 'côte', 'côté',
]
const same = []
const refused = []
const sorted = (options) => `${q(words)}.sort((a, b) => a.localeCompare(b${options}))`
for (const options of [
  '', ', undefined', ", 'en'", ", 'de'", ", 'sv'", ", 'da'", ", 'es'", ", 'cs'", ", 'tr'", ", 'fr'", ", 'fr-CA'", ", 'et'", ", 'lt'", ", 'pl'", ", 'ja'", ", 'zh'", ", 'ko'",
  ", 'de-u-co-phonebk'", ", 'en-u-kn-true'", ", 'en-u-kf-upper'", ', undefined, { numeric: true }', ", undefined, { sensitivity: 'base' }",
  ", undefined, { sensitivity: 'accent' }", ", undefined, { sensitivity: 'case' }", ", 'en', { sensitivity: 'variant' }", ", 'en', { caseFirst: 'upper' }",
  ", 'en', { caseFirst: 'lower' }", ", 'en', { ignorePunctuation: true }", ", 'en', { numeric: true, sensitivity: 'base' }", ", ['de']",
]) same.push(sorted(options))
for (const sensitivity of ['base', 'accent', 'case', 'variant']) {
  for (const [a, b] of [['a', 'A'], ['a', 'á'], ['a', 'b'], ['a', 'Á'], ['ss', 'ß'], ['a\u0301', 'á'], ['', ' ']]) {
    same.push(`${q(a)}.localeCompare(${q(b)}, undefined, { sensitivity: '${sensitivity}' })`)
  }
}
same.push(
  `${q(words)}.sort(new Intl.Collator().compare)`, `${q(words)}.sort(Intl.Collator('sv', { numeric: true }).compare)`, `${q(words)}.sort()`,
  "new Intl.Collator('de', { numeric: true }).resolvedOptions()", "'a'.localeCompare('b', 'not a locale')", "'a'.localeCompare('b', undefined, { sensitivity: 'x' })",
  "'a'.localeCompare()", "String(Intl)", "'x'.localeCompare('y', [])",
)
refused.push("['z', 'a'].sort(new Intl.Collator('de', { usage: 'search' }).compare)", "'a'.localeCompare('b', ['xx', 'sv'])", "new Intl.Locale('de').language")

const numbers = ['0', '-0', '1', '-1', '12', '1234', '-1234.5', '1234567.891', '0.1', '0.0004', '0.0005', '1.005', '2.5', '1.2345', '99.9999', '999.9995', '1e21', '1.2345e25', '1e-7', 'NaN', 'Infinity', '-Infinity', '123456789012345680000', '0.5', '-0.4', '10n', '12345678901234567890n']
for (const it of numbers) {
  for (const options of ['', 'undefined', "'en-US'", "'en', { maximumFractionDigits: 0 }", 'undefined, { maximumFractionDigits: 2 }', 'undefined, { minimumFractionDigits: 2 }',
    'undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 }', "undefined, { style: 'percent' }", "undefined, { style: 'percent', maximumFractionDigits: 1 }",
    'undefined, { useGrouping: false }', 'undefined, { minimumIntegerDigits: 3 }']) same.push(`(${it}).toLocaleString(${options})`)
}
same.push("new Intl.NumberFormat('en-US').format(1234.5)", '[1234.5, null, 7n].toLocaleString()', 'new Float64Array([1234.5]).toLocaleString()', '[1234567].map(new Intl.NumberFormat().format)', '({}).toLocaleString()', 'true.toLocaleString()',
  '(1).toLocaleString(undefined, { maximumFractionDigits: 101 })', '(1).toLocaleString(undefined, { minimumFractionDigits: 3, maximumFractionDigits: 2 })')
for (const options of ["'de'", "'fr'", "'en-IN'", "'ar'", "undefined, { style: 'currency', currency: 'USD' }", "undefined, { notation: 'compact' }", "undefined, { style: 'unit', unit: 'byte' }",
  'undefined, { maximumSignificantDigits: 3 }', "undefined, { signDisplay: 'always' }", "undefined, { roundingMode: 'floor' }", "undefined, { numberingSystem: 'deva' }", "'en-u-nu-deva'"]) refused.push(`(1234567.891).toLocaleString(${options})`)
const dates = ['0', '86399999', '1700000000000', '-1', 'Date.UTC(2024, 1, 29, 13, 5, 9)', 'NaN', '-62198755200000']
for (const it of dates) for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
  (it.startsWith('-62') ? refused : same).push(`new Date(${it}).${name}()`)
  refused.push(`new Date(${it}).${name}('de')`, `new Date(${it}).${name}(undefined, { year: 'numeric' })`, `new Date(${it}).${name}('en-GB')`, `new Date(${it}).${name}('en-US', { timeZone: 'America/New_York' })`)
}
for (const it of ["new Intl.DateTimeFormat().format(0)", "new Intl.PluralRules('en').select(1)", "new Intl.ListFormat('en').format(['a', 'b'])", "new Intl.RelativeTimeFormat('en').format(-1, 'day')", "Array.from(new Intl.Segmenter().segment('ab'), (s) => s.segment)", "new Intl.DisplayNames('en', { type: 'region' }).of('DE')"]) refused.push(it)
for (const it of ['straße', 'ÀÉ', 'ﬁ', 'ǆ', 'İ', 'ı', 'ΑΣ', 'ὀ', 'i\u0307', 'ŉ', '𐐨', 'ა', 'ß']) {
  for (const name of ['toUpperCase', 'toLowerCase', 'toLocaleUpperCase', 'toLocaleLowerCase']) same.push(`${q(it)}.${name}()`)
  for (const tag of ['de', 'en-US']) same.push(`${q(it)}.toLocaleUpperCase('${tag}')`, `${q(it)}.toLocaleLowerCase('${tag}')`)
  for (const tag of ['tr', 'az', 'lt', 'el', 'nl']) refused.push(`${q(it)}.toLocaleUpperCase('${tag}')`, `${q(it)}.toLocaleLowerCase('${tag}')`)
}
for (const it of [...words, '\u1e9b\u0323', '\u212b', '\uac00', '\u1100\u1161', '①', 'ｶﾞ', '\u0344', 'ǅ', '\ufb2c', '\u0958']) for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) same.push(`${q(it)}.normalize('${form}')`)

// What is cheap and only computes.
const urls = ['https://user:pa%20ss@example.com:8080/a/b/../c?q=1&q=2#frag', 'http://EXAMPLE.com', 'file:///a/b.txt', 'HTTP://a:80/', 'https://bücher.de/ü?ä=ö', 'data:text/plain,hi', 'not a url', '', 'http://[::1]:3000/x', 'http://1.2.3/', '//x/y', 'mailto:a@b.c', 'http://a b/', 'https://x/%zz?a=%']
for (const it of urls) {
  for (const part of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']) same.push(`new URL(${q(it)}).${part}`)
  same.push(`JSON.stringify([new URL(${q(it)})])`, `URL.canParse(${q(it)})`, `Array.from(new URL(${q(it)}).searchParams)`)
}
for (const it of ['../x', '/x?y', '#z', '?q', 'b/c', 'http://other/', '']) same.push(`new URL(${q(it)}, 'https://example.com/a/b?c#d').href`)
for (const [part, value] of [['protocol', 'http'], ['hostname', 'other.org'], ['port', '99'], ['port', 'x'], ['pathname', '/ä b'], ['search', 'a=b c'], ['hash', 'h'], ['username', 'ü'], ['href', 'http://new/'], ['search', ''], ['host', 'h:1']]) {
  same.push(`(() => { const u = new URL('https://example.com:81/a?b=1#c'); const p = u.searchParams; u.${part} = ${q(value)}; return [u.href, String(p), u.toString()] })()`)
}
same.push("(() => { const u = new URL('https://x/?a=1&b=2&a=3'); u.searchParams.append('c d', 'é&='); u.searchParams.delete('b'); u.searchParams.set('a', '9'); return [u.href, u.searchParams.getAll('a'), u.searchParams.has('c d'), u.searchParams.get('none')] })()",
  "String(new URLSearchParams({ a: '1', b: 'x y' }))", "String(new URLSearchParams([['a', 1], ['a', 2]]))", "String(new URLSearchParams('?a=1&b=%20+&c'))", "(() => { const p = new URLSearchParams('b=1&a=2&b=0'); p.sort(); return [String(p), p.size, [...p.keys()], Object.fromEntries(p)] })()",
  'Object.prototype.toString.call(new URL("http://x"))')
for (const it of ['', 'abc', 'é', '😀', 'a\ud800b', '\ufeffx', '中文']) {
  same.push(`Array.from(new TextEncoder().encode(${q(it)}))`, `new TextDecoder().decode(new TextEncoder().encode(${q(it)}))`, `encodeURIComponent(${q(it)})`, `btoa(${q(it)})`)
}
for (const it of ['[255, 254]', '[0xe2, 0x82]', '[0xf0, 0x9f, 0x98]', '[0xed, 0xa0, 0x80]', '[0xc0, 0x80]', '[65, 0xef, 0xbb, 0xbf]', '[0xef, 0xbb, 0xbf, 65]', '[97, 0xe2, 98]']) {
  same.push(`new TextDecoder().decode(new Uint8Array(${it}))`, `new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(${it}))`, `new TextDecoder('utf8', { ignoreBOM: true }).decode(new Uint8Array(${it}).buffer)`)
}
same.push("new TextEncoder().encodeInto('aé😀', new Uint8Array(4))")
refused.push("new TextDecoder('latin1').decode(new Uint8Array([233]))", "new TextDecoder('utf-16le').decode(new Uint8Array([65, 0]))")
for (const it of ['aGk=', 'aGk', ' aG k= ', 'a', '!', '', 'w6k=']) same.push(`atob(${q(it)})`)
same.push('structuredClone({ a: new Map([[1, new Set([2])]]), d: new Date(0), r: /x/g, u: undefined, n: [1, , 2], b: 1n }).a.get(1).has(2)', 'structuredClone(new Uint8Array([1, 2])).length', 'structuredClone(new ArrayBuffer(3)).byteLength', 'structuredClone(() => 1)',
  'structuredClone(new DataView(new ArrayBuffer(4), 1)).byteLength', '(() => { const o = {}; o.o = o; const c = structuredClone(o); return c.o === c && c !== o })()', 'structuredClone(Object.assign(new Error("x"), {})).message')
const paths = ['', '.', '..', '/', 'a', 'a/b', '/a/b', 'a/b/', './a', '../a', 'a/../b', 'a//b', 'a/./b', '/..', 'a/b.c', 'a/b.c.d', '.b', 'a/.b', 'a/.b.c', 'a.', 'b..', '/a.b/c', 'a/b/../../..', '//a', 'a\\b']
for (const it of paths) {
  // Node.js takes `/..` for a name with an extension.
  for (const name of ['normalize', 'basename', 'extname', 'dirname', 'isAbsolute', 'parse']) if (name + it !== 'parse/..') same.push(`path.${name}(${q(it)})`)
  same.push(`path.basename(${q(it)}, '.c')`, `path.join(${q(it)}, '../x', 'y')`, `path.join(${q(it)})`, `path.relative('/a/b', path.join('/', ${q(it)}))`, `path.resolve('/r', ${q(it)}, 'x')`, `path.format(path.parse(${q(it)}))`)
}
same.push("path.join()", "path.resolve('/a', '/b', 'c')", "path.format({ dir: 'a', name: 'b', ext: '.c' })", "path.format({ root: '/', base: 'b' })", "[path.sep, path.delimiter, path.posix === path]", 'path.relative("a/b", "a/c/d")', 'path.relative("a", "a")', 'path.relative("/a", "/ab")')

// Returns a value as a text: JSON, with the digits of BigInts and the sign of zero.
const shown = (it) => (typeof it === 'string' ? it : JSON.stringify(it, (_, it) => (typeof it === 'bigint' ? `${it}n` : Object.is(it, -0) ? '-0' : it)) ?? 'undefined')
const value = (text) => {
  try {
    return shown(new Function('path', `return ${text}`)(path))
  } catch {
    return null // an error
  }
}
const list = (expressions) => `[\n${Array.from(new Set(expressions), (text) => JSON.stringify([text, value(text)])).join(',\n')}\n]`
console.log(`{"node": "${process.version}", "same": ${list(same)}, "refused": ${list(refused)}}`)
