// Compares texts that were erased with their sources: esbuild must make the same JavaScript of both, without the
// semicolons that the erased declarations leave.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import esbuild from 'esbuild'

const plain = (path, loader) => esbuild.transformSync(readFileSync(path, 'utf8'), { loader, minifyWhitespace: true, minifySyntax: true }).code
let [equal, different] = [0, []]
for await (const line of createInterface({ input: process.stdin })) {
  const [source, erased] = line.split('\t')
  if (plain(source, 'ts') === plain(erased, 'js')) equal++
  else different.push(source)
}
console.log(JSON.stringify({ equal, different }))
