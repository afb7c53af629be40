(function (host, { functions, arguments: given, now, seed, name: program, isExternal = false, ended = () => {} }) {
  // The program can replace global variables, but not these.
  const {
    Array, ArrayBuffer, Error, JSON, Map, Math, Number, Object, Promise, Proxy, Reflect, RegExp, Set, String, Symbol, TypeError,
  } = globalThis
  const { stringify, parse } = JSON
  const { getOwnPropertyNames, getOwnPropertyDescriptor, getPrototypeOf, defineProperty, freeze } = Object

  // An external runtime has a clock, timers and chance of its own.
  const RealDate = Date
  let [time, timers, timerCount] = [now, [], 0]
  if (isExternal) globalThis.args = given
  else standIns()
  if (!isExternal) protect()

  // A program may add to what this prelude relies on, and replace nothing of it.
  function protect() {
    const iterators = [[], new Map(), new Set()].map((it) => getPrototypeOf(it[Symbol.iterator]()))
    const owners = [Array, Map, Object, Promise, Proxy, Reflect, RegExp, Set, String].flatMap((it) => [it, it.prototype])
    for (const owner of [JSON, ...iterators, ...owners]) {
      if (!owner || owner === Object.prototype) continue // errors have a `name`, and other objects a `toString`, of their own
      for (const key of Reflect.ownKeys(owner)) {
        const { configurable, get, set } = getOwnPropertyDescriptor(owner, key)
        if (configurable) defineProperty(owner, key, get || set ? { configurable: false } : { configurable: false, writable: false })
      }
    }
    Object.preventExtensions(Object.prototype)
    for (const [key, value] of [['stackTraceLimit', Error.stackTraceLimit], ['prepareStackTrace', undefined]]) {
      defineProperty(Error, key, { get: () => value, set() {}, configurable: false })
    }
  }

  function standIns() {
    // The clock stands still while the program computes, and random numbers follow from the seed: the same program with
    // the same answers does the same.
    globalThis.Date = new Proxy(RealDate, {
      construct: (target, values, self) => Reflect.construct(target, values.length ? values : [time], self),
      apply: () => new RealDate(time).toString(),
      get: (target, key, self) => (key === 'now' ? () => time : Reflect.get(target, key, self)),
    })
    RealDate.prototype.constructor = globalThis.Date
    let state = seed >>> 0 || 1
    Math.random = () => {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
    }
    globalThis.performance = freeze({ now: () => time - now, timeOrigin: now })

    // Timers fire in order when nothing else can happen; nobody waits for them.
    const later = (repeats) => (action, delay = 0, ...values) => {
      if (typeof action !== 'function') throw new TypeError('a timer needs a function')
      const wait = Math.max(Number(delay) || 0, 1)
      timers.push({ id: ++timerCount, at: time + wait, every: repeats ? wait : 0, action, values })
      return timerCount
    }
    Object.assign(globalThis, {
      setTimeout: later(false), setInterval: later(true), clearTimeout: clear, clearInterval: clear,
      setImmediate: (action, ...values) => later(false)(action, 0, ...values), clearImmediate: clear,
      queueMicrotask: (action) => { Promise.resolve().then(action) },
      structuredClone: (value) => clone(value, new Map()),
      args: given,
    })
  }
  function clear(id) { timers = timers.filter((it) => it.id !== id) }
  function tick() {
    if (!timers.length) return false
    const next = timers.reduce((first, it) => (it.at < first.at ? it : first))
    time = Math.max(time, next.at)
    if (next.every) next.at += next.every
    else clear(next.id)
    next.action(...next.values)
    return true
  }

  function clone(value, seen) {
    if (typeof value === 'function') throw new TypeError('a function cannot be cloned')
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return seen.get(value)
    const remember = (copy) => { seen.set(value, copy); return copy }
    if (value instanceof RealDate) return remember(new RealDate(value.getTime()))
    if (value instanceof RegExp) return remember(new RegExp(value.source, value.flags))
    if (value instanceof Map) {
      const copy = remember(new Map())
      for (const [key, item] of value) copy.set(clone(key, seen), clone(item, seen))
      return copy
    }
    if (value instanceof Set) {
      const copy = remember(new Set())
      for (const item of value) copy.add(clone(item, seen))
      return copy
    }
    if (ArrayBuffer.isView(value)) return remember(value.slice())
    const copy = remember(Array.isArray(value) ? [] : value instanceof Error ? Object.create(Object.getPrototypeOf(value)) : {})
    for (const key of value instanceof Error ? getOwnPropertyNames(value) : Object.keys(value)) copy[key] = clone(value[key], seen)
    return copy
  }

  // Text is printed as it is, and anything else as JSON, which a program can read again.
  function show(value, nested = false) {
    switch (typeof value) {
      case 'string': return nested ? stringify(value.toWellFormed()) : value
      case 'bigint': return `${value}n`
      case 'function': return `[function ${value.name || 'without a name'}]`
      case 'object': break
      default: return String(value)
    }
    if (value === null) return 'null'
    if (value instanceof Error) return nested ? stringify(String(value)) : String(value)
    if (value instanceof Map) return show(Array.from(value), true)
    if (value instanceof Set) return show(Array.from(value), true)
    if (value instanceof Promise) return '[a promise: await it]'
    const open = []
    const text = stringify(value, function (_, it) {
      while (open.length && open[open.length - 1] !== this) open.pop()
      if (typeof it === 'string') return it.toWellFormed() // half a surrogate pair is no Unicode
      if (typeof it === 'bigint') return `${it}n`
      if (typeof it === 'function') return `[function ${it.name}]`
      if (it instanceof Map || it instanceof Set) return Array.from(it)
      if (it instanceof Promise) return '[a promise: await it]'
      if (it instanceof Error) return String(it)
      if (typeof it === 'object' && it !== null) {
        if (open.includes(it)) return '[circular]'
        open.push(it)
      }
      return it
    })
    return text === undefined ? String(value) : text
  }
  function format(values) {
    const [first, ...rest] = values
    if (typeof first !== 'string' || !rest.length || !/%[sdifoOj%]/.test(first)) {
      return values.map((it) => show(it)).join(' ')
    }
    const text = first.replace(/%[sdifoOj%]/g, (mark) => {
      if (mark === '%%') return '%'
      if (!rest.length) return mark
      const value = rest.shift()
      if (mark === '%d' || mark === '%f') return String(Number(value))
      if (mark === '%i') return String(Math.trunc(Number(value)))
      return show(value, mark !== '%s')
    })
    return [text, ...rest.map((it) => show(it))].join(' ')
  }
  let indent = ''
  const printer = (isError) => (...values) => host.print((indent + format(values).replaceAll('\n', `\n${indent}`)).toWellFormed(), isError)
  const [print, printError] = [printer(false), printer(true)]
  globalThis.console = {
    log: print, info: print, debug: print, dir: (value) => print(value), error: printError, warn: printError, trace: printError,
    table: (rows) => print(rows), assert: (holds, ...values) => { if (!holds) printError('Assertion failed:', ...values) },
    group: (...values) => { if (values.length) print(...values); indent += '  ' },
    groupEnd: () => { indent = indent.slice(2) },
    time: () => {}, timeEnd: () => {}, timeLog: () => {}, count: () => {},
  }

  // The places in the program that a stack trace names, the innermost first.
  function places(stack) {
    const found = []
    for (const line of String(stack ?? '').split('\n')) {
      const match = /^\s*at (?:(.*?) \()?(?:.*[^\w.-])?([\w.-]+):(\d+):(\d+)\)?$/.exec(line)
      if (match && match[2] === program) {
        const called = match[1] && match[1] !== '<anonymous>' ? { function: match[1] } : {}
        found.push({ ...called, line: Number(match[3]), column: Number(match[4]) })
      }
    }
    return found
  }

  class OperationError extends Error {
    constructor(told, call) {
      super(told.message)
      const { operation, kind } = told
      Object.assign(this, { operation, kind })
      defineProperty(this, 'call', { value: call })
    }
    get name() { return this.constructor.name }
  }
  class AmbiguousError extends OperationError {
    constructor(told, call) {
      super(told, call)
      this.candidates = told.candidates.map(({ description, program }, index) => {
        const candidate = { description, program }
        defineProperty(candidate, 'choose', {
          value: function choose() { return send('choose()', { candidate: { of: call, index } }, value) },
        })
        return candidate
      })
    }
  }
  Object.assign(globalThis, { OperationError, AmbiguousError })

  // Calls.
  let count = 0
  const open = new Map()
  const calls = []
  const value = (answer) => {
    if ('error' in answer) throw answer.error
    return answer.value
  }
  const outcome = (answer) => {
    if (!('error' in answer)) return { outcome: 'success', value: answer.value, notes: answer.notes }
    const { error } = answer
    const isAmbiguous = error instanceof AmbiguousError
    return isAmbiguous ? { outcome: 'ambiguity', candidates: error.candidates, error } : { outcome: 'failure', error }
  }
  function send(label, target, read) {
    const { stack } = new Error()
    const [place] = places(stack)
    const call = ++count
    const problem = host.call(call, stringify(target), place?.line, place?.column)
    if (problem) throw new TypeError(problem)
    let settle
    const promise = new Promise((resolve) => { settle = resolve })
    const entry = { settle, place, trace: stack, isAwaited: false, error: undefined }
    calls.push(entry)
    open.set(call, entry)
    return awaited(label, promise, read, entry)
  }
  // A promise that knows whether anybody waits for it, and says so where it is used as its value.
  function awaited(label, settled, read, entry) {
    const promise = settled.then(read)
    promise.catch(() => {})
    const use = (name) => (...actions) => {
      entry.isAwaited = true
      return promise[name](...actions)
    }
    const members = { then: use('then'), catch: use('catch'), finally: use('finally'), toJSON: () => '[a promise: await it]' }
    Object.setPrototypeOf(members, Promise.prototype)
    return new Proxy(members, {
      get(target, key) {
        if (typeof key === 'symbol' ? key !== Symbol.iterator : key in target) return target[key]
        throw new TypeError(`${label} returns a promise: write \`await\` before it to use its ${key === Symbol.iterator ? 'elements' : `\`${key}\``}`)
      },
    })
  }

  function settle(call, kind, text, notes) {
    const entry = open.get(call)
    open.delete(call)
    if (!entry) return
    if (kind === 'value') return entry.settle({ value: parse(text), notes })
    const told = parse(text)
    const error = new (told.kind === 'ambiguous' ? AmbiguousError : OperationError)({ candidates: [], ...told }, call)
    // The program's own places, not those of the event loop.
    defineProperty(error, 'stack', { value: entry.trace, writable: true, configurable: true })
    entry.error = error
    entry.settle({ error })
  }
  // Rejected promises that nobody handles (yet).
  const rejected = new Map()
  defineProperty(globalThis, '$rejected', {
    value: (promise, reason, isHandled) => { isHandled ? rejected.delete(promise) : rejected.set(promise, reason) },
  })

  const isPlain = (it) => {
    if (typeof it !== 'object' || it === null || Array.isArray(it)) return false
    const prototype = Object.getPrototypeOf(it)
    return prototype === Object.prototype || prototype === null
  }
  // Arguments stand in order, or in one object with their names, which may follow those in order.
  function sorted(label, parameters, values) {
    while (values.length && values[values.length - 1] === undefined) values.pop()
    const last = values[values.length - 1]
    const rest = parameters.slice(values.length - 1)
    const named = isPlain(last) && Object.keys(last).length && Object.keys(last).every((it) => rest.includes(it))
    const checked = (it, key) => {
      const kind = typeof it
      if (it instanceof Promise) throw new TypeError(`${label}: \`${key}\` is a promise; write \`await\` before it`)
      if (kind === 'function') throw new TypeError(`${label} takes no functions; use those of JavaScript: xs.filter(…)`)
      if (kind === 'bigint' || kind === 'symbol') throw new TypeError(`${label}: \`${key}\` is a ${kind}, which is no data`)
      return it
    }
    values.forEach((it, index) => checked(it, parameters[index] ?? String(index + 1)))
    const byName = named ? values.pop() : {}
    Object.entries(byName).forEach(([key, it]) => checked(it, key))
    return { positional: values.map((it) => (it === undefined ? null : it)), named: byName }
  }
  const namespaces = {}
  const dialect = {}
  for (const { namespace, name, parameters } of functions) {
    const label = `${namespace}.${name}`
    const target = (values) => ({ function: { namespace, name, ...sorted(label, parameters, values) } })
    const stub = function (...values) { return send(label, target(values), value) }
    const tried = function (...values) { return send(`${label}.outcome`, target(values), outcome) }
    defineProperty(stub, 'name', { value: name })
    defineProperty(stub, 'outcome', { value: tried })
    namespaces[namespace] ??= {}
    namespaces[namespace][name] = stub
    if (!(name in dialect)) dialect[name] = stub
  }
  // A name that does not exist is an error at once, with the names that do.
  for (const [name, functions] of Object.entries(namespaces)) {
    namespaces[name] = new Proxy(freeze(functions), {
      get(target, key) {
        if (typeof key !== 'string' || key in target || key === 'then' || key === 'toJSON') return target[key]
        const names = Object.keys(target)
        const similar = names.filter((it) => it.toLowerCase().includes(key.toLowerCase().slice(0, 4)))
        const others = (similar.length ? similar : names).slice(0, 12).join(', ')
        throw new TypeError(`${name} has no function \`${key}\`; it has ${others}${names.length > 12 ? ', …' : ''}`)
      },
    })
  }
  Object.assign(dialect, namespaces)
  dialect.OperationError = OperationError
  dialect.AmbiguousError = AmbiguousError
  for (const [name, it] of Object.entries(dialect)) {
    // Node.js has modules of its own under some of these names.
    if (name in namespaces || !(name in globalThis)) defineProperty(globalThis, name, { value: it, writable: true, configurable: true })
  }
  const path = pathModule()
  const files = namespaces.fs ?? {}
  const nodeFiles = {
    readFile: (path) => files.read(String(path)),
    writeFile: (path, text) => files.write(String(path), String(text)),
    readdir: (path) => files.list(String(path)),
    rm: (path) => files.remove(String(path)),
    unlink: (path) => files.remove(String(path)),
    rename: (from, to) => files.rename(String(from), String(to)),
    mkdir: async () => undefined,
  }
  defineProperty(globalThis, '$modules', { value: freeze({ dialect, path, files: { ...nodeFiles, promises: nodeFiles } }) })

  function pathModule() {
    const normal = (text) => {
      const parts = []
      for (const part of text.split('/')) {
        if (part === '..' && parts.length && parts[parts.length - 1] !== '..') parts.pop()
        else if (part === '..' && text.startsWith('/')) continue
        else if (part && part !== '.') parts.push(part)
      }
      return (text.startsWith('/') ? '/' : '') + parts.join('/') || '.'
    }
    const basename = (text, suffix = '') => {
      const last = text.replace(/\/+$/, '').split('/').pop()
      return suffix && last !== suffix && last.endsWith(suffix) ? last.slice(0, -suffix.length) : last
    }
    const extname = (text) => /[^/](\.[^./]*)$/.exec(text)?.[1] ?? ''
    const dirname = (text) => {
      const stripped = text.replace(/\/+$/, '')
      const end = stripped.lastIndexOf('/')
      return end < 0 ? '.' : stripped.slice(0, end) || '/'
    }
    const join = (...parts) => normal(parts.filter(Boolean).join('/'))
    const resolve = (...parts) => normal(parts.reduce((at, it) => (it.startsWith('/') ? it : `${at}/${it}`), ''))
    const relative = (from, to) => {
      const [a, b] = [from, to].map((it) => normal(it).split('/').filter((it) => it !== '.'))
      while (a.length && b.length && a[0] === b[0]) { a.shift(); b.shift() }
      return [...a.map(() => '..'), ...b].join('/')
    }
    const parsePath = (text) => {
      const base = basename(text)
      const ext = extname(base)
      return { root: text.startsWith('/') ? '/' : '', dir: dirname(text), base, ext, name: base.slice(0, base.length - ext.length) }
    }
    const isAbsolute = (text) => text.startsWith('/')
    const path = { normalize: normal, basename, extname, dirname, join, resolve, relative, parse: parsePath, isAbsolute, sep: '/', delimiter: ':' }
    path.posix = path
    return path
  }

  // The run.
  const MOST_MESSAGE = 10_000
  let promise = 'pending'
  let result
  // An error may be anything, and its properties may run code of the program.
  function describe(error) {
    try {
      return readError(error)
    } catch {
      return { reason: 'exception', name: 'Error', message: 'the error that was thrown cannot be read', stack: [] }
    }
  }
  function readError(error) {
    const short = (it) => (it.length > MOST_MESSAGE ? `${it.slice(0, MOST_MESSAGE)}…` : it).toWellFormed()
    const isLike = typeof error === 'object' && error !== null && 'message' in error
    if (!isLike && !(error instanceof Error)) return { reason: 'exception', name: '', message: short(show(error)), stack: [] }
    const property = (key) => {
      try {
        const it = error[key]
        return short(typeof it === 'string' ? it : show(it))
      } catch {
        return '(it cannot be read)'
      }
    }
    const call = error instanceof OperationError && typeof error.call === 'number' ? { call: error.call } : {}
    return { reason: 'exception', name: property('name'), message: property('message'), stack: places(property('stack')), ...call }
  }
  function run(main) {
    Promise.resolve(main()).then(async (value) => {
      while (typeof value === 'function') value = await value() // a program that is one function
      result = value
      promise = 'resolved'
    }).catch((error) => {
      result = error
      promise = 'rejected'
    }).then(ended)
  }
  function ending() {
    if (promise === 'rejected') return describe(result)
    for (const { error, isAwaited } of calls) if (error && !isAwaited) throw error
    for (const reason of rejected.values()) return { failed: { ...describe(reason), reason: 'rejection' } }
    const unawaited = calls.filter((it) => !it.isAwaited && it.place).map(({ place }) => [place.line, place.column])
    return { value: result === undefined ? undefined : json(result), unawaited }
  }
  function json(value) {
    const text = show(value, true)
    try {
      parse(text)
      return text
    } catch {
      return stringify(text)
    }
  }
  return { run, settle, tick, describe, ending, state: () => ({ promise, waiting: open.size }) }
})
