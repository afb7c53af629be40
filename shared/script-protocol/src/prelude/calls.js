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
  function send(label, target, read, stub = { parameters: [] }) {
    const { stack } = new Error()
    const [place] = places(stack)
    const call = ++count
    const problem = host.call(call, dataText(label, target, stub), ...(place ? [place.line, place.column] : []))
    if (problem) throw new TypeError(problem)
    let settle
    const promise = new Promise((resolve) => { settle = resolve })
    const entry = { settle, place, trace: stack, isAwaited: false, error: undefined }
    calls.push(entry)
    open.set(call, entry)
    return awaited(label, promise, read, entry)
  }
  // The functions that calls were given, by their numbers from 1.
  const givenFunctions = []
  // The JSON of a call, or of the result of a function that a call was given. What JSON would change or leave out without a
  // word is an error.
  function dataText(label, target, { parameters, takesFunctions = false }) {
    const refuse = (text) => { throw new TypeError(text) }
    const owner = target.function ?? target.Ok
    let [mark, hasMarks, hasReferences] = ['', false, false]
    const marked = (text) => {
      hasMarks = true
      return mark && mark + text()
    }
    const reference = (text) => {
      hasReferences = true
      return marked(text)
    }
    const write = () => stringify(target, function (key, it) {
      const name = this === target.function?.positional ? parameters[key] ?? key : key
      const isNo = (what, instead) => refuse(`${label}: \`${name}\` is ${what}; ${instead}`)
      if (this === owner && key === 'mark') return (hasReferences && mark) || undefined
      const before = this[key]
      if (before instanceof Promise) isNo('a promise', 'write `await` before it')
      if (before instanceof RemoteObject) return reference(() => `o${RemoteObject.typeOf(before)} ${before.ref}`)
      switch (typeof it) {
        case 'function':
          if (!takesFunctions) return refuse(`${label} takes no functions${target.function ? '; use those of JavaScript: xs.filter(…)' : ''}`)
          return reference(() => {
            if (!givenFunctions.includes(it)) givenFunctions.push(it)
            return `f${givenFunctions.indexOf(it) + 1}`
          })
        case 'symbol': return isNo('a symbol, which is no data', 'pass a text')
        case 'bigint': return marked(() => it)
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
    if (!hasMarks) return plain
    mark = '#'
    while (plain.includes(mark)) mark += '#'
    return write().replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
  }
  // Calls a function that a call was given, and tells the host what came of it.
  function callback(call, number, given, json, mark) {
    const text = (error) => {
      const { name, message } = describe(error)
      return error instanceof OperationError || !name ? message : `${name}: ${message}`
    }
    const returned = async () => {
      const value = await givenFunctions[given - 1](...exactly(json, mark))
      return dataText('the function that was passed', { Ok: { value: value === undefined ? null : value, mark: '' } }, { parameters: [] })
    }
    returned().catch((error) => stringify({ Err: text(error).toWellFormed() })).then((outcome) => host.returned(call, number, outcome))
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
  function sorted(label, { parameters, takesFunctions }, values) {
    while (values.length && values[values.length - 1] === undefined) values.pop()
    const last = values[values.length - 1]
    const rest = parameters.slice(values.length - 1)
    const named = isPlain(last) && Object.keys(last).length && Object.keys(last).every((it) => rest.includes(it))
    const checked = (it, key) => {
      const kind = typeof it
      if (it instanceof Promise) throw new TypeError(`${label}: \`${key}\` is a promise; write \`await\` before it`)
      if (kind === 'function' && !takesFunctions) throw new TypeError(`${label} takes no functions; use those of JavaScript: xs.filter(…)`)
      if (kind === 'symbol') throw new TypeError(`${label}: \`${key}\` is a ${kind}, which is no data`)
      return it
    }
    values.forEach((it, index) => checked(it, parameters[index] ?? String(index + 1)))
    const byName = named ? values.pop() : {}
    Object.entries(byName).forEach(([key, it]) => checked(it, key))
    return { positional: values.map((it) => (it === undefined ? null : it)), named: byName }
  }
  // A function of the host. `first` are arguments before those that it is called with.
  function operation(stub, first = []) {
    const { namespace, name, parameters, takesFunctions } = stub
    const label = `${namespace}.${name}`
    const rest = { parameters: parameters.slice(first.length), takesFunctions }
    const target = (values) => {
      const { positional, named } = sorted(label, rest, values)
      return { function: { namespace, name, positional: [...first, ...positional], named, mark: '' } }
    }
    const call = function (...values) { return send(label, target(values), value, stub) }
    const tried = function (...values) { return send(`${label}.outcome`, target(values), outcome, stub) }
    defineProperty(call, 'name', { value: name.slice(name.lastIndexOf('.') + 1) })
    defineProperty(call, 'outcome', { value: tried })
    return call
  }
  // A name that does not exist is an error at once, with the names that do.
  function strict(functions, refusal) {
    return new Proxy(freeze(functions), {
      get(target, key) {
        if (typeof key !== 'string' || key in target || key === 'then' || key === 'toJSON') return target[key]
        const names = Object.keys(target)
        const similar = names.filter((it) => it.toLowerCase().includes(key.toLowerCase().slice(0, 4)))
        const others = (similar.length ? similar : names).slice(0, 12).join(', ')
        throw new TypeError(`${refusal} \`${key}\`; it has ${others}${names.length > 12 ? ', …' : ''}`)
      },
    })
  }

  // Objects that live in plugins. Their members are functions of the host, whose first argument is the object.
  const members = new Map()
  class RemoteObject {
    #type
    constructor(type, ref) {
      this.#type = type
      this.ref = ref
      Object.setPrototypeOf(this, prototypeOf(type))
      freeze(this)
    }
    static typeOf(it) { return it.#type }
  }
  const prototypes = new Map()
  function prototypeOf(type) {
    if (!prototypes.has(type)) prototypes.set(type, makePrototype(type, members.get(type) ?? []))
    return prototypes.get(type)
  }
  function makePrototype(type, stubs) {
    const own = {}
    for (const stub of stubs) own[stub.name.slice(stub.name.lastIndexOf('.') + 1)] = stub
    for (const name of ['then', 'constructor', 'toJSON', 'ref']) delete own[name] // functions of the class have them
    const { prototype } = { [type]: class extends RemoteObject {} }[type]
    Object.setPrototypeOf(prototype, strictly(Object.create(RemoteObject.prototype), own, type))
    defineProperty(prototype, 'toJSON', { value: function toJSON() { return { ref: this.ref } } })
    for (const [name, stub] of Object.entries(own)) {
      defineProperty(prototype, name, {
        get() { return member(name, stub, this) },
        set() {
          const setter = `set${name[0].toUpperCase()}${name.slice(1)}`
          throw new TypeError(`${type}: \`${name}\` cannot be assigned${setter in own ? `; write \`await x.${setter}(…)\`` : ''}`)
        },
      })
    }
    return freeze(prototype)
  }
  function strictly(base, own, type) {
    return new Proxy(base, {
      get(target, key, self) {
        if (typeof key !== 'string' || key in target || key === 'then') return Reflect.get(target, key, self)
        throw new TypeError(`an object of ${type} has no \`${key}\`; it has ${Object.keys(own).join(', ')}`)
      },
    })
  }
  // A member of an object. A property is also read by `await`; where a method is awaited itself, its call was meant.
  function member(name, stub, self) {
    const call = operation(stub, [self])
    const label = `${stub.namespace}.${stub.name}`
    const refuse = (what) => { throw new TypeError(`${label} is ${what}: write \`await x.${name}${stub.isProperty ? '' : '(…)'}\``) }
    defineProperty(call, 'then', stub.isProperty
      ? { value: (...actions) => call().then(...actions) }
      : { get: () => refuse('a method') })
    defineProperty(call, Symbol.toPrimitive, { value: () => refuse(stub.isProperty ? 'a property' : 'a method') })
    return call
  }

  const namespaces = {}
  const dialect = {}
  for (const stub of functions) {
    const { namespace, name } = stub
    const path = name.split('.')
    const own = path.pop()
    let place = namespaces[namespace] ??= {}
    for (const part of path) place = place[part] ??= {}
    const earlier = place[own]
    place[own] = Object.assign(operation(stub), earlier)
    if (!path.length && !(name in dialect)) dialect[name] = place[own]
    if (stub.of) members.set(stub.of, [...(members.get(stub.of) ?? []), stub])
  }
  // The functions of the class `Counter`, whose objects are of the type `CounterRef`, are also those of its constructor.
  for (const { namespace, name } of functions.filter((it) => it.of)) {
    const [, owner, own] = /^(\w+)Ref\.(\w+)$/.exec(name) ?? []
    const maker = namespaces[namespace][owner]
    if (typeof maker === 'function' && !(own in maker)) maker[own] = namespaces[namespace][`${owner}Ref`][own]
  }
  const guarded = (path, functions) => {
    for (const [name, it] of Object.entries(functions)) if (typeof it === 'object') functions[name] = guarded(`${path}.${name}`, it)
    return strict(functions, `${path} has no function`)
  }
  for (const [name, functions] of Object.entries(namespaces)) namespaces[name] = guarded(name, functions)
  Object.assign(dialect, namespaces)
  dialect.OperationError = OperationError
  dialect.AmbiguousError = AmbiguousError
  for (const [name, it] of Object.entries(dialect)) {
    // Node.js has modules of its own under some of these names.
    if (name in namespaces || !(name in globalThis)) defineProperty(globalThis, name, { value: it, writable: true, configurable: true })
  }
