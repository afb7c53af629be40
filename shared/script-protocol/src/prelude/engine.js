  // The program can replace global variables, but not these.
  const {
    AggregateError, Array, ArrayBuffer, BigInt, DataView, Error, JSON, Map, Math, Number, Object, Promise, Proxy, RangeError, Reflect,
    RegExp, Set, String, Symbol, TypeError, Uint8Array, WeakSet,
  } = globalThis
  const { stringify, parse } = JSON
  const { getOwnPropertyNames, getOwnPropertyDescriptor, getPrototypeOf, defineProperty, freeze } = Object

  // An external runtime has a clock, timers and chance of its own.
  const RealDate = Date
  let [time, timers, timerCount] = [now, [], 0]
  if (isExternal) globalThis.args = exactly(given.json, given.mark)
  else standIns()
  if (!isExternal) protect()

  // JSON of the host. Texts that begin with `mark` stand for integers that no number holds, which are BigInts here, and for
  // objects of plugins.
  function exactly(json, mark) {
    if (typeof mark !== 'string') return parse(json)
    return parse(json, (_, it) => {
      if (typeof it !== 'string' || !it.startsWith(mark)) return it
      const rest = it.slice(mark.length)
      if (!rest.startsWith('o')) return BigInt(rest)
      const space = rest.indexOf(' ')
      return new RemoteObject(rest.slice(1, space), rest.slice(space + 1))
    })
  }
  // JSON with the digits of BigInts, which JSON has and the engine refuses.
  function withDigits(value, replacer, space) {
    const isList = Array.isArray(replacer)
    return stringify(value, function (key, it) {
      if (typeof replacer === 'function') it = Reflect.apply(replacer, this, [key, it])
      else if (isList && key !== '' && !Array.isArray(this) && !replacer.some((name) => String(name) === key)) return undefined
      return typeof it === 'bigint' ? JSON.rawJSON(String(it)) : it
    }, space)
  }

  // A program may add to what this prelude relies on, and replace nothing of it.
  function protect() {
    const iterators = [[], new Map(), new Set()].map((it) => getPrototypeOf(it[Symbol.iterator]()))
    const owners = [Array, Map, Object, Promise, Proxy, Reflect, RegExp, Set, String].flatMap((it) => [it, it.prototype])
    JSON.stringify = function (value, replacer, space) {
      try {
        return stringify(value, replacer, space)
      } catch (error) {
        if (!(error instanceof TypeError) || !error.message.startsWith('BigInt')) throw error
        return withDigits(value, replacer, space)
      }
    }
    locales()
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
      global: globalThis,
      args: exactly(given.json, given.mark),
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
    if (value instanceof ArrayBuffer) return remember(value.slice(0))
    if (value instanceof DataView) return remember(new DataView(clone(value.buffer, seen), value.byteOffset, value.byteLength))
    if (ArrayBuffer.isView(value)) return remember(value.slice())
    const copy = remember(Array.isArray(value) ? [] : value instanceof Error ? Object.create(Object.getPrototypeOf(value)) : {})
    for (const key of value instanceof Error ? getOwnPropertyNames(value) : Object.keys(value)) copy[key] = clone(value[key], seen)
    return copy
  }
