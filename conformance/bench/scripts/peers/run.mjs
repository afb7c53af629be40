// The package `run`: one line of JSON in (a program with its limits), one to standard error: `answer` and its
// outcome, among what programs print.
// The line `run` runs fifty calls that follow each other, and answers with the value.
import { createInterface } from 'node:readline'
import { readFile, readdir } from 'node:fs/promises'
import { inspect } from 'node:util'
import { run } from 'run'

const FIFTY = 'let n = 0; for (let i = 0; i < 50; i++) n = await test.next(n); return n'
const hostFunctions = {
  test: { next: (n) => n + 1 },
  fs: {
    read: (path) => readFile(path, 'utf8'),
    list: (folder) => readdir(folder),
    exists: (path) => readFile(path).then(() => true, () => false),
  },
  ide: { search: async (path, pattern) => [{ path, pattern }] },
}

async function outcome({ source, limits }) {
  const begun = performance.now()
  const used = process.cpuUsage()
  const told = await run({ source, hostFunctions, limits }).then(
    ({ value }) => ({ outcome: 'done', value }),
    (error) => ({ outcome: error.code ?? error.name, name: error.name, message: String(error.message), stack: String(error.stack).split('\n').slice(0, 4) }),
  )
  const { user, system } = process.cpuUsage(used)
  // A value may be anything that the package takes across: cycles, maps, big integers.
  const value = told.value === undefined ? undefined : inspect(told.value).slice(0, 1_000)
  return JSON.stringify({ ...told, value, ms: performance.now() - begun, cpu: (user + system) / 1000 })
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'run') console.log((await run({ source: FIFTY, hostFunctions })).value)
  else process.stderr.write(`\nanswer ${await outcome(JSON.parse(line))}\n`)
}
process.exit(0)
