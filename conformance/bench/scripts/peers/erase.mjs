// Erases the types of a file with each peer, again and again: the microseconds of each, least and median.
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import swc from '@swc/core'
import esbuild from 'esbuild'
import ts from 'typescript'

const [path, rounds] = process.argv.slice(2)
const text = readFileSync(path, 'utf8')
const jsc = { parser: { syntax: 'typescript' }, target: 'es2022' }
const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true }
const peers = {
  'esbuild 0.28.2 (its process)': () => esbuild.transformSync(text, { loader: 'ts' }),
  'swc 1.16.22 (in the process)': () => swc.transformSync(text, { jsc, swcrc: false }),
  'tsc 6.0.3, transpileModule': () => ts.transpileModule(text, { compilerOptions }),
  'node 24.21, stripTypeScriptTypes': () => stripTypeScriptTypes(text),
}
for (const [name, erase] of Object.entries(peers)) {
  const times = []
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    erase()
    times.push((performance.now() - begun) * 1000)
  }
  times.sort((a, b) => a - b)
  console.log(JSON.stringify([name, times[0], times[times.length >> 1]]))
}
