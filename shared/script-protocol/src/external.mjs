// The loop of frames in an external runtime (Node.js, Deno, Bun), around the prelude: $PRELUDE. Frames go over the standard
// streams, or to the endpoint that the environment names.
import process from 'node:process'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const { stdin, stdout } = process
const write = stdout.write.bind(stdout)
const encode = (frame) => encodeText(JSON.stringify(frame))
// Values come as JSON, whose integers may have more digits than a number.
const encodeText = (json) => {
  const body = Buffer.from(json)
  const head = Buffer.alloc(4)
  head.writeUInt32LE(body.length)
  return Buffer.concat([head, body])
}
const { DIALECT_ENDPOINT: endpoint, DIALECT_TOKEN: token } = process.env
delete process.env.DIALECT_TOKEN
async function post(body) {
  const answer = await (await fetch(endpoint, { method: 'POST', headers: { 'x-dialect-token': token }, body })).text()
  if (answer) receive(JSON.parse(answer))
}
// Frames that have no answer arrive in their order.
let sent = Promise.resolve()
const send = (frame, then) => sendText(JSON.stringify(frame), then)
const sendText = (json, then = () => {}) => {
  if (endpoint) sent = sent.then(() => post(json)).then(then, () => process.exit(1))
  else write(encodeText(json), then)
}
const MOST = 8 * 1024 * 1024
let [limit, printed, dropped] = [0, 0, 0]
function print(text, isError) {
  const bytes = Buffer.byteLength(text) + 1
  if (printed + bytes > limit) return void (dropped += bytes)
  printed += bytes
  send({ log: isError ? { is_error: true, text } : { text } })
}
// What packages write to standard output is output of the program.
stdout.write = (text, ...rest) => {
  print(String(text).replace(/\n$/, ''), false)
  const done = rest.find((it) => typeof it === 'function')
  if (done) queueMicrotask(done)
  return true
}
const host = {
  print,
  call(call, target, line, column) {
    const place = line === undefined ? undefined : { line, column }
    const frame = encodeText(`{"call":{"call":${call},"target":${target}${place ? `,"place":${JSON.stringify(place)}` : ''}}}`)
    if (frame.length > MOST) return 'the arguments are too large'
    if (endpoint) post(frame.subarray(4)).catch(() => process.exit(1))
    else write(frame)
  },
  returned(call, callback, outcome) {
    const frame = (outcome) => encodeText(`{"returned":{"call":${call},"callback":${callback},"outcome":${outcome}}}`)
    const whole = frame(outcome)
    const sent = whole.length > MOST ? frame('{"Err":"the result is too large"}') : whole
    // The host's next frame for the call is the answer.
    if (endpoint) post(sent.subarray(4)).catch(() => process.exit(1))
    else write(sent)
  },
}
// Modules are those of the folder that the process works in, wherever this text stands.
const required = createRequire(pathToFileURL(resolve(process.cwd(), 'program.js')))
globalThis.$import = async (name) => {
  if (name.startsWith('.')) return await import(pathToFileURL(resolve(process.cwd(), name)).href)
  try {
    return await import(name)
  } catch (error) {
    let found
    try {
      found = required.resolve(name)
    } catch {
      throw error
    }
    try {
      return await import(pathToFileURL(found).href)
    } catch {
      const exported = required(name)
      return { ...exported, default: exported?.default ?? exported }
    }
  }
}

let control
const cpu = () => Math.round((process.cpuUsage().user + process.cpuUsage().system) / 1000)
function finish() {
  const { promise, waiting } = control.state()
  if (promise === 'pending' || (waiting && promise === 'resolved')) return
  let frame
  let value = ''
  try {
    const ending = control.ending()
    if (promise === 'rejected') frame = { failed: ending }
    else if (ending.failed) frame = { failed: ending.failed }
    else {
      if (ending.value !== undefined) value = `"value":${ending.value},`
      frame = { done: { unawaited: ending.unawaited.map(([line, column]) => ({ line, column })) } }
    }
  } catch (error) {
    frame = { failed: control.describe(error) }
  }
  const told = Object.values(frame)[0]
  Object.assign(told, { dropped, cpuMs: cpu() })
  let text = JSON.stringify(frame).replace('{"done":{', () => `{"done":{${value}`)
  if (encodeText(text).length > MOST) {
    frame = { failed: { name: 'RangeError', message: "the program's value is too large to return; return less" } }
    text = JSON.stringify(frame)
  }
  sendText(text, () => process.exit(0))
}
function start({ code, name, functions, arguments: given, limits }) {
  limit = limits.output
  const prelude = $PRELUDE
  control = prelude(host, { functions, arguments: given, now: Date.now(), seed: 1, name, isExternal: true, ended: () => setImmediate(finish) })
  process.on('unhandledRejection', (reason, promise) => { globalThis.$rejected(promise, reason, false) })
  process.on('rejectionHandled', (promise) => { globalThis.$rejected(promise, undefined, true) })
  try {
    control.run((0, eval)(`${code}\n//# sourceURL=${name}`))
  } catch (error) {
    send({ failed: { ...control.describe(error), cpuMs: cpu() } }, () => process.exit(0))
  }
}

function receive(frame) {
  if (frame.start) start(frame.start)
  else if (frame.answered) {
    const { call, outcome } = frame.answered
    if (outcome.success) control.settle(call, 'value', JSON.stringify(outcome.success.value), outcome.success.notes ?? [], outcome.success.mark)
    else control.settle(call, 'error', JSON.stringify(outcome.error), [])
    setImmediate(finish)
  } else if (frame.callback) {
    const { call, callback, function: given, arguments: values } = frame.callback
    control.callback(call, callback, given, values.json, values.mark)
  }
}
let bytes = Buffer.alloc(0)
stdin.on('data', (chunk) => {
  bytes = Buffer.concat([bytes, chunk])
  while (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32LE(0)) {
    const end = 4 + bytes.readUInt32LE(0)
    const frame = JSON.parse(bytes.subarray(4, end).toString())
    bytes = bytes.subarray(end)
    receive(frame)
  }
})
stdin.on('end', () => process.exit(0))
send({ ready: {} })
