  // Text is printed as it is, data as JSON, which a program can read again, and what JSON does not have as Node.js names it.
  function show(value, isNested = false) {
    if (typeof value === 'string') return isNested ? inspect(value) : value
    if (value instanceof Error) return shownError(value, [], {})
    return inspect(value)
  }
  const textOf = (method) => (it, ...values) => Reflect.apply(method, it, values)
  const [dateText, functionText, symbolText] = [RealDate.prototype.toISOString, Function.prototype.toString, Symbol.prototype.toString].map(textOf)
  const dateTime = textOf(RealDate.prototype.getTime)
  const boxes = ['Number', 'String', 'Boolean', 'Symbol', 'BigInt'].map((name) => ({ name, type: globalThis[name] }))
  const weak = ['WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry'].map((name) => ({ name, type: globalThis[name] }))
  // The classes whose instances are shown by a function here.
  const shownClasses = new Map()
  const MOST_ELEMENTS = 200
  // What functions `toJSON` have returned.
  const converted = new WeakSet()

  // `style` has `isData` for the value of a program, whose dates and large integers are those of JSON, and `isQuoted` where
  // everything has to be JSON.
  function inspect(value, open = [], style = {}) {
    const mark = (text) => (style.isQuoted ? stringify(text) : text)
    switch (typeof value) {
      case 'string': return stringify(value.toWellFormed()) // half a surrogate pair is no Unicode
      case 'bigint': return style.isData ? String(value) : `${value}n`
      case 'number': return Number.isFinite(value) ? (Object.is(value, -0) ? '-0' : String(value)) : mark(String(value))
      case 'symbol': return mark(symbolText(value))
      case 'function': return mark(shownFunction(value))
      case 'object': break
      default: return value === undefined ? mark('undefined') : String(value)
    }
    if (value === null) return 'null'
    if (value instanceof Promise) return mark('[a promise: await it]')
    if (open.includes(value)) return mark('[circular]')
    open.push(value)
    const text = shownObject(value, open, style, mark)
    open.pop()
    return text
  }
  function isClass(it) {
    return typeof it === 'function' && /^class\b/.test(functionText(it))
  }
  function shownFunction(it) {
    const descriptor = getOwnPropertyDescriptor(it, 'name')
    const name = typeof descriptor?.value === 'string' ? descriptor.value.replace(/^\$default$/, 'default') : ''
    if (isClass(it)) return `[class ${name || '(anonymous)'}]`
    return name ? `[Function: ${name}]` : '[Function (anonymous)]'
  }
  // The name of the class of an object; none for plain ones.
  function className(it) {
    const prototype = getPrototypeOf(it)
    if (prototype === null || prototype === Object.prototype) return ''
    const maker = getOwnPropertyDescriptor(prototype, 'constructor')?.value
    const name = typeof maker === 'function' ? getOwnPropertyDescriptor(maker, 'name')?.value : ''
    if (typeof name === 'string' && name && maker !== Object) return name
    const tag = it[Symbol.toStringTag]
    return typeof tag === 'string' ? `Object [${tag}]` : ''
  }
  function shownObject(it, open, style, mark) {
    const each = (items) => items.map((item) => inspect(item, open, style))
    const named = (name, text) => (style.isQuoted ? text : `${name} ${text}`)
    for (const [type, shown] of shownClasses) if (it instanceof type) return shown(it, style)
    if (it instanceof Error) return mark(`[${shownError(it, open, style)}]`)
    if (it instanceof RegExp) return mark(`/${it.source}/${it.flags}`)
    if (it instanceof RealDate) {
      const isValid = !Number.isNaN(dateTime(it))
      return style.isData && isValid ? stringify(dateText(it)) : mark(isValid ? dateText(it) : 'Invalid Date')
    }
    if (it instanceof Map) {
      const pairs = Array.from(it, ([key, item]) => [inspect(key, open, style), inspect(item, open, style)])
      if (style.isQuoted) return `[${pairs.map((pair) => `[${pair.join(',')}]`).join(',')}]`
      return `Map(${pairs.length}) {${pairs.map((pair) => pair.join(' => ')).join(', ')}}`
    }
    if (it instanceof Set) {
      const items = each(Array.from(it))
      return style.isQuoted ? `[${items.join(',')}]` : `Set(${items.length}) {${items.join(',')}}`
    }
    if (ArrayBuffer.isView(it) && !(it instanceof DataView)) {
      const items = each(Array.from(it.subarray(0, MOST_ELEMENTS)))
      if (it.length > MOST_ELEMENTS) items.push(mark(`… ${it.length - MOST_ELEMENTS} more`))
      return named(`${className(it)}(${it.length})`, `[${items.join(',')}]`)
    }
    if (it instanceof ArrayBuffer || it instanceof DataView) {
      return named(className(it), `{"byteLength":${it.byteLength}}`)
    }
    for (const { name, type } of boxes) {
      if (it instanceof type) return mark(`[${name}: ${inspect(it.valueOf(), open, {})}]`)
    }
    for (const { name, type } of weak) if (it instanceof type) return mark(`${name} {<items unknown>}`)
    return Array.isArray(it) ? shownArray(it, open, style, mark) : shownFields(it, open, style, mark, named)
  }
  function shownArray(it, open, style, mark) {
    const items = []
    for (let index = 0; index < it.length; index++) {
      if (index in it) {
        items.push(inspect(it[index], open, style))
        continue
      }
      let end = index
      while (end < it.length && !(end in it)) end++
      items.push(mark(`<${end - index} empty item${end - index > 1 ? 's' : ''}>`))
      index = end - 1
    }
    // The match of a pattern holds its whole text.
    const isMatch = 'input' in it && 'index' in it
    const isShown = (key) => !/^\d+$/.test(key) && !(isMatch && (key === 'input' || key === 'index' || it[key] === undefined))
    if (!style.isQuoted) {
      for (const key of Object.keys(it).filter(isShown)) items.push(`${key}: ${inspect(it[key], open, style)}`)
    }
    const name = className(it)
    return `${name === 'Array' || style.isQuoted ? '' : `${name}(${it.length}) `}[${items.join(',')}]`
  }
  function shownFields(it, open, style, mark, named) {
    if (style.isData && typeof it.toJSON === 'function' && !converted.has(it)) {
      const data = it.toJSON('')
      if (typeof data === 'object' && data !== null) converted.add(data)
      return inspect(data, data === it ? open.filter((other) => other !== it) : open, style)
    }
    const fields = []
    for (const key of style.isData ? Object.keys(it) : Reflect.ownKeys(it)) {
      const descriptor = getOwnPropertyDescriptor(it, key)
      if (!descriptor?.enumerable) continue
      const { get, set } = descriptor
      const isComputed = !style.isData && (get || set)
      const shown = isComputed ? mark(`[${[get && 'Getter', set && 'Setter'].filter(Boolean).join('/')}]`) : inspect(it[key], open, style)
      fields.push(`${typeof key === 'symbol' ? stringify(`[${symbolText(key)}]`) : stringify(key.toWellFormed())}:${shown}`)
    }
    const [name, text] = [className(it), `{${fields.join(',')}}`]
    return name ? named(name, text) : text
  }
  // An error is its text with its own fields and its cause.
  function shownError(it, open, style) {
    let text = String(it)
    if (it instanceof OperationError) return text
    const fields = {}
    for (const key of Object.keys(it)) if (!['name', 'message', 'stack'].includes(key)) fields[key] = it[key]
    if (it instanceof AggregateError) fields.errors = it.errors
    if (Object.keys(fields).length) text += ` ${inspect(fields, open, { ...style, isQuoted: false })}`
    if ('cause' in it) text += ` [cause]: ${inspect(it.cause, open, { ...style, isQuoted: false })}`
    return text
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
  const counts = new Map()
  const printer = (isError) => (...values) => host.print((indent + format(values).replaceAll('\n', `\n${indent}`)).toWellFormed(), isError)
  const [print, printError] = [printer(false), printer(true)]
  globalThis.console = {
    log: print, info: print, debug: print, dir: (value) => print(value), error: printError, warn: printError, trace: printError,
    table: (rows) => print(rows), assert: (holds, ...values) => { if (!holds) printError('Assertion failed:', ...values) },
    group: (...values) => { if (values.length) print(...values); indent += '  ' },
    groupEnd: () => { indent = indent.slice(2) },
    groupCollapsed: (...values) => console.group(...values), dirxml: print, clear: () => {}, time: () => {},
    timeEnd: (label = 'default') => print(`${label}: no time passes while a program computes`),
    timeLog: (label = 'default', ...values) => print(`${label}:`, ...values),
    count: (label = 'default') => {
      counts.set(String(label), (counts.get(String(label)) ?? 0) + 1)
      print(`${label}: ${counts.get(String(label))}`)
    },
    countReset: (label = 'default') => { counts.delete(String(label)) },
  }
