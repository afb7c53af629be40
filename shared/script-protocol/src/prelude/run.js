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
      while (typeof value === 'function' && !isClass(value)) value = await value(globalThis.args) // a program that is one function
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
  // The value of a program as JSON: what is no data is a text, or if it is long, data with texts in it.
  const MOST_TEXT = 12_000
  function json(value) {
    const isJson = (text) => {
      try {
        parse(text)
        return true
      } catch {
        return false
      }
    }
    const text = inspect(value, [], { isData: true })
    if (isJson(text)) return text
    if (text.length <= MOST_TEXT) return stringify(text)
    const quoted = inspect(value, [], { isData: true, isQuoted: true })
    return isJson(quoted) ? quoted : stringify(text)
  }
  return { run, settle, callback, tick, describe, ending, state: () => ({ promise, waiting: open.size }) }
