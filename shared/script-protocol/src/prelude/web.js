  // What the web has, and computes only: URLs, UTF-8 and base64.
  if (!isExternal) web()
  function web() {
    let refill
    class URLSearchParams {
      #pairs = []
      #changed
      static { refill = (it, text) => { it.#pairs = parse(host.readQuery(text.replace(/^\?/, ''))) } }
      constructor(given = '', changed = () => {}) {
        this.#changed = changed
        if (given instanceof URLSearchParams) this.#pairs = Array.from(given)
        else if (typeof given === 'object' && given !== null) {
          const pairs = typeof given[Symbol.iterator] === 'function' ? Array.from(given) : Object.entries(given)
          this.#pairs = pairs.map((pair) => {
            const [name, value, ...rest] = pair
            if (rest.length || Array.from(pair).length !== 2) throw new TypeError('Each query pair must be an iterable [name, value] tuple')
            return [String(name).toWellFormed(), String(value).toWellFormed()]
          })
        } else this.#pairs = parse(host.readQuery(String(given).toWellFormed().replace(/^\?/, '')))
      }
      get size() { return this.#pairs.length }
      append(name, value) { this.#pairs.push([String(name).toWellFormed(), String(value).toWellFormed()]); this.#changed(this) }
      delete(name, value) {
        this.#pairs = this.#pairs.filter(([key, it]) => key !== String(name) || (value !== undefined && it !== String(value)))
        this.#changed(this)
      }
      get(name) { return this.#pairs.find(([key]) => key === String(name))?.[1] ?? null }
      getAll(name) { return this.#pairs.filter(([key]) => key === String(name)).map(([, it]) => it) }
      has(name, value) { return this.#pairs.some(([key, it]) => key === String(name) && (value === undefined || it === String(value))) }
      set(name, value) {
        const [key, text] = [String(name).toWellFormed(), String(value).toWellFormed()]
        const at = this.#pairs.findIndex((it) => it[0] === key)
        if (at < 0) this.#pairs.push([key, text])
        else this.#pairs = this.#pairs.filter((it, index) => it[0] !== key || index === at).map((it) => (it[0] === key ? [key, text] : it))
        this.#changed(this)
      }
      sort() { this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); this.#changed(this) }
      forEach(action, self) { for (const [name, value] of this.#pairs) Reflect.apply(action, self, [value, name, this]) }
      *keys() { for (const [name] of this.#pairs) yield name }
      *values() { for (const [, value] of this.#pairs) yield value }
      *entries() { for (const [name, value] of this.#pairs) yield [name, value] }
      [Symbol.iterator]() { return this.entries() }
      toString() { return host.writeQuery(stringify(this.#pairs)) }
    }

    const PARTS = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']
    class URL {
      #parts
      #query
      constructor(given, base) {
        const text = String(given).toWellFormed()
        const parts = host.readUrl(text, base === undefined ? undefined : String(base).toWellFormed())
        if (parts === undefined) throw Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: text })
        this.#parts = parse(parts)
      }
      static canParse(given, base) {
        return host.readUrl(String(given).toWellFormed(), base === undefined ? undefined : String(base).toWellFormed()) !== undefined
      }
      static parse(given, base) { return URL.canParse(given, base) ? new URL(given, base) : null }
      get searchParams() {
        this.#query ??= new URLSearchParams(this.search, (it) => { this.#set('search', String(it)) })
        return this.#query
      }
      #set(name, value) {
        const parts = host.setUrl(this.#parts.href, name, value)
        if (parts === undefined) throw new TypeError('Invalid URL')
        this.#parts = parse(parts)
      }
      static {
        for (const name of PARTS) {
          const set = function (value) {
            this.#set(name, String(value).toWellFormed())
            if (this.#query) refill(this.#query, this.search)
          }
          defineProperty(URL.prototype, name, {
            get() { return this.#parts[name] }, set: name === 'origin' ? undefined : set, enumerable: true, configurable: true,
          })
        }
      }
      toString() { return this.href }
      toJSON() { return this.href }
    }

    class TextEncoder {
      get encoding() { return 'utf-8' }
      encode(text = '') { return new Uint8Array(host.encode(String(text).toWellFormed())) }
      encodeInto(text, into) {
        let [read, written] = [0, 0]
        for (const it of String(text).toWellFormed()) {
          const bytes = this.encode(it)
          if (written + bytes.length > into.length) break
          into.set(bytes, written)
          written += bytes.length
          read += it.length
        }
        return { read, written }
      }
    }
    class TextDecoder {
      #fatal
      #ignoresMark
      constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
        if (!/^\s*(unicode-1-1-)?utf-?8\s*$/i.test(String(label))) throw new RangeError(`the encoding '${label}' is not here; only UTF-8 is`)
        this.#fatal = Boolean(fatal)
        this.#ignoresMark = Boolean(ignoreBOM)
      }
      get encoding() { return 'utf-8' }
      get fatal() { return this.#fatal }
      get ignoreBOM() { return this.#ignoresMark }
      decode(bytes, { stream = false } = {}) {
        if (stream) throw new RangeError('decoding in pieces is not here; put the pieces together first')
        if (bytes === undefined) return ''
        const view = ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes)
        const text = host.decode(Array.from(view), this.#fatal)
        if (text === undefined) throw Object.assign(new TypeError('The encoded data was not valid for encoding utf-8'), { code: 'ERR_ENCODING_INVALID_ENCODED_DATA' })
        return !this.#ignoresMark && text.startsWith('\ufeff') ? text.slice(1) : text
      }
    }
    shownClasses.set(URL, (it, { isData }) => (isData ? stringify(it.href) : `URL {"href":${stringify(it.href)}}`))
    shownClasses.set(URLSearchParams, (it, { isData }) => {
      const pairs = Array.from(it, ([name, value]) => `${stringify(name)} => ${stringify(value)}`)
      return isData ? stringify(String(it)) : `URLSearchParams {${pairs.join(', ')}}`
    })
    for (const [name, value] of Object.entries({ URL, URLSearchParams, TextEncoder, TextDecoder })) {
      if (name.startsWith('URL')) defineProperty(value.prototype, Symbol.toStringTag, { value: name, configurable: true })
      defineProperty(globalThis, name, { value, writable: true, configurable: true })
    }
  }
