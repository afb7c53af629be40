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
  function send(label, target, read, parameters = []) {
    const { stack } = new Error()
    const [place] = places(stack)
    const call = ++count
    const problem = host.call(call, dataText(label, target, parameters), place?.line, place?.column)
    if (problem) throw new TypeError(problem)
    let settle
    const promise = new Promise((resolve) => { settle = resolve })
    const entry = { settle, place, trace: stack, isAwaited: false, error: undefined }
    calls.push(entry)
    open.set(call, entry)
    return awaited(label, promise, read, entry)
  }
  // The JSON of a call. What JSON would change or leave out without a word is an error.
  function dataText(label, target, parameters) {
    const refuse = (text) => { throw new TypeError(text) }
    let [mark, hasDigits] = ['', false]
    const write = () => stringify(target, function (key, it) {
      const name = this === target.function?.positional ? parameters[key] ?? key : key
      const isNo = (what, instead) => refuse(`${label}: \`${name}\` is ${what}; ${instead}`)
      if (this[key] instanceof Promise) isNo('a promise', 'write `await` before it')
      switch (typeof it) {
        case 'function': return refuse(`${label} takes no functions; use those of JavaScript: xs.filter(…)`)
        case 'symbol': return isNo('a symbol, which is no data', 'pass a text')
        case 'bigint':
          hasDigits = true
          return mark && mark + it
        case 'number':
          if (!Number.isFinite(it)) isNo(`${it}, which is no data`, 'pass a number or null')
          if (Number.isInteger(it) && !Number.isSafeInteger(it) && Math.abs(it) < 2 ** 64) {
            isNo(`${it}, and numbers lose digits beyond 2^53`, 'use a BigInt: 9007199254740993n')
          }
          return it
        case 'object':
          if (it instanceof Map) isNo('a Map, which is no data', 'pass Object.fromEntries(map) or [...map]')
          if (it instanceof Set) isNo('a Set, which is no data', 'pass [...set]')
          if (it instanceof RegExp) isNo('a RegExp, which is no data', 'pass a text: re.source')
          if (it instanceof Error) isNo('an Error, which is no data', 'pass its message')
          return it
        default: return it
      }
    })
    const plain = write()
    if (!hasDigits) return plain
    mark = '#'
    while (plain.includes(mark)) mark += '#'
    return write().replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
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

  function settle(call, kind, text, notes, mark) {
    const entry = open.get(call)
    open.delete(call)
    if (!entry) return
    if (kind === 'value') return entry.settle({ value: exactly(text, mark), notes })
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
      if (kind === 'symbol') throw new TypeError(`${label}: \`${key}\` is a ${kind}, which is no data`)
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
    const stub = function (...values) { return send(label, target(values), value, parameters) }
    const tried = function (...values) { return send(`${label}.outcome`, target(values), outcome, parameters) }
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
