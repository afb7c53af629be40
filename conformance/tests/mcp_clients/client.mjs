// The official TypeScript SDK as a client: lists, calls, answers a question, and cancels a call that waits for an answer.
//
// Arguments: a URL or a command. `SDK` is the folder of the SDK. Prints what it saw as one JSON object.
import { pathToFileURL } from 'node:url'

const part = async (path) => import(pathToFileURL(`${process.env.SDK}/dist/esm/${path}`))
const { Client } = await part('client/index.js')
const { StdioClientTransport } = await part('client/stdio.js')
const { StreamableHTTPClientTransport } = await part('client/streamableHttp.js')
const { ElicitRequestSchema } = await part('types.js')

const server = process.argv.slice(2)
const transport = () => server[0].startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(server[0]))
  : new StdioClientTransport({ command: server[0], args: server.slice(1), env: process.env })
const edit = (from, to) => ({ name: 'script', arguments: { code: `await fs.edit('src/lib.py', '${from}', '${to}', true)` } })
const call = (program) => ({ name: 'ide_operation', arguments: { program } })

async function during(answer, work) {
  const client = new Client({ name: 'typescript', version: '0' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, (request) => answer(request.params))
  await client.connect(transport())
  await work(client)
  await client.close()
}

const said = {}
const allow = (params) => {
  if (!params.requestedSchema.properties.decision.enum.includes('Allow once')) throw new Error(JSON.stringify(params))
  return { action: 'accept', content: { decision: 'Allow once' } }
}
await during(allow, async (it) => {
  said.tools = (await it.listTools()).tools.map((tool) => tool.name).sort()
  said.call = (await it.callTool(call('files(`*.py`).count()'))).structuredContent
  said.edit = (await it.callTool(edit('twice', 'thrice'))).structuredContent.outcome
  said.pages = (await it.listResources()).resources.length
})
await during(() => ({ action: 'decline' }), async (it) => {
  said.declined = (await it.callTool(edit('thrice', 'twice'))).structuredContent.outcome
})
let asked
const isAsked = new Promise((resolve) => { asked = resolve })
await during(() => { asked(); return new Promise(() => {}) }, async (it) => {
  const abort = new AbortController()
  const running = it.callTool(edit('thrice', 'twice'), undefined, { signal: abort.signal }).catch(() => 'cancelled')
  await isAsked
  abort.abort()
  await running
  said.after = (await it.callTool(call('1 + 1'))).structuredContent.answer
})
console.log(JSON.stringify(said))
process.exit(0)
