  // Texts, numbers and dates as a locale has them: the order of texts in every locale, and the rest as in English. What is not
  // here is refused, so that nothing has another value than elsewhere.
  function locales() {
    const refuse = (what, instead) => { throw new RangeError(`${what} is not here; ${instead}`) }
    const tagsOf = (given) => (given === undefined ? [] : typeof given === 'string' ? [given] : Array.from(given, String))
    const tagOf = (given) => {
      const tags = tagsOf(given)
      if (tags.length > 1) refuse('a choice between locales', `give one: '${tags[0]}'`)
      const problem = tags.length && host.locale(tags[0])
      if (problem) throw new RangeError(`Incorrect locale information provided: ${tags[0]}`)
      return tags[0] ?? 'en-US'
    }
    const english = (what, given) => {
      const tag = tagOf(given)
      if (!/^en(-(US|GB|CA|AU|NZ|IE))?$/i.test(tag)) refuse(`${what} in \`${tag}\``, 'only English (en-US) is: put the text together yourself')
    }
    const choice = (options, name, allowed, otherwise) => {
      const it = options[name]
      if (it === undefined) return otherwise
      if (!allowed.includes(String(it))) throw new RangeError(`Value ${String(it)} out of range for Intl options property ${name}`)
      return String(it)
    }
    const object = (options) => (options === undefined ? {} : Object(options))
    const only = (what, options, known, instead) => {
      for (const key of Object.keys(options)) {
        if (options[key] !== undefined && !known.includes(key)) refuse(`the option \`${key}\` of ${what}`, instead)
      }
    }

    // The order of texts.
    const collators = new Map()
    function collator(given, wanted) {
      const [tag, options] = [tagOf(given), object(wanted)]
      const resolved = {
        locale: tag, usage: choice(options, 'usage', ['sort', 'search'], 'sort'),
        sensitivity: choice(options, 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant'),
        ignorePunctuation: options.ignorePunctuation === undefined ? null : Boolean(options.ignorePunctuation),
        collation: options.collation === undefined ? null : String(options.collation),
        numeric: options.numeric === undefined ? null : Boolean(options.numeric),
        caseFirst: choice(options, 'caseFirst', ['upper', 'lower', 'false'], null),
      }
      if (resolved.usage === 'search') refuse("the usage 'search' of Intl.Collator", "compare with sensitivity: 'base'")
      const key = stringify(resolved)
      if (!collators.has(key)) {
        const { sensitivity, ignorePunctuation, collation, numeric, caseFirst } = resolved
        const made = host.collator(tag, sensitivity, ignorePunctuation ?? undefined, collation ?? undefined, numeric ?? undefined, caseFirst ?? undefined)
        if (made === undefined) refuse(`the order of texts in \`${tag}\` with these options`, 'use another locale')
        collators.set(key, { resolved, number: made })
      }
      return collators.get(key)
    }
    let first
    const compare = ({ number }, a, b) => (a === b ? 0 : host.compare(number, a.toWellFormed(), b.toWellFormed()))
    class Collator {
      #made
      constructor(given, options) { this.#made = collator(given, options) }
      get compare() {
        const made = this.#made
        const bound = (a, b) => compare(made, String(a), String(b))
        defineProperty(this, 'compare', { value: bound, configurable: true })
        return bound
      }
      resolvedOptions() {
        const { resolved } = this.#made
        const { ignorePunctuation, collation, numeric, caseFirst } = resolved
        return {
          ...resolved, ignorePunctuation: ignorePunctuation ?? false, collation: collation ?? 'default', numeric: numeric ?? false, caseFirst: caseFirst ?? 'false',
        }
      }
      static supportedLocalesOf(given) { return tagsOf(given) }
    }

    // Numbers. The digits are the shortest that name the number, as elsewhere.
    const NUMBER = 'put the text together yourself, with toFixed or toPrecision'
    const KNOWN = ['style', 'minimumIntegerDigits', 'minimumFractionDigits', 'maximumFractionDigits', 'useGrouping', 'localeMatcher']
    function numberFormat(given, wanted) {
      const options = object(wanted)
      english('the format of numbers', given)
      only('numbers', options, KNOWN, NUMBER)
      const style = choice(options, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal')
      if (style === 'currency' || style === 'unit') refuse(`the style '${style}' of numbers`, NUMBER)
      const digits = (name, least, most) => {
        if (options[name] === undefined) return undefined
        const it = Math.floor(Number(options[name]))
        if (!(it >= least && it <= most)) throw new RangeError(`${name} value is out of range.`)
        return it
      }
      const isPercent = style === 'percent'
      const integers = digits('minimumIntegerDigits', 1, 21) ?? 1
      let [least, most] = [digits('minimumFractionDigits', 0, 100), digits('maximumFractionDigits', 0, 100)]
      if (least > most) throw new RangeError('maximumFractionDigits value is out of range.')
      most ??= Math.max(isPercent ? 0 : 3, least ?? 0)
      least = Math.min(least ?? 0, most)
      const { useGrouping = true } = options
      if (![true, false, 'true', 'false', 'auto', 'always'].includes(useGrouping)) refuse(`useGrouping: ${inspect(useGrouping)}`, NUMBER)
      const groups = useGrouping !== false && useGrouping !== 'false'
      return (it) => formatNumber(it, { isPercent, integers, least, most, groups })
    }
    // Returns the digits before and after the point.
    function decimals(it, isPercent) {
      let [, whole, fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(it))
      let shift = Number(exponent) + (isPercent ? 2 : 0)
      if (shift > 0) {
        fraction = fraction.padEnd(shift, '0')
        whole += fraction.slice(0, shift)
        fraction = fraction.slice(shift)
      } else if (shift < 0) {
        whole = whole.padStart(1 - shift, '0')
        fraction = whole.slice(shift) + fraction
        whole = whole.slice(0, shift)
      }
      return [whole.replace(/^0+(?=\d)/, ''), fraction]
    }
    function formatNumber(given, { isPercent, integers, least, most, groups }) {
      const it = typeof given === 'bigint' ? given : Number(given)
      const sign = it < 0 || Object.is(it, -0) ? '-' : ''
      const end = isPercent ? '%' : ''
      if (Number.isNaN(it)) return `NaN${end}`
      if (it === Infinity || it === -Infinity) return `${sign}∞${end}`
      let [whole, fraction] = decimals(it < 0 ? -it : it, isPercent)
      if (fraction.length > most) {
        const isUp = fraction[most] >= '5'
        const all = (BigInt(whole + fraction.slice(0, most)) + BigInt(isUp ? 1 : 0)).toString().padStart(most + 1, '0')
        whole = all.slice(0, all.length - most)
        fraction = all.slice(all.length - most)
      }
      while (fraction.length > least && fraction.endsWith('0')) fraction = fraction.slice(0, -1)
      fraction = fraction.padEnd(least, '0')
      whole = whole.padStart(integers, '0')
      if (groups) whole = whole.replace(/\B(?=(\d{3})+$)/g, ',')
      return `${sign}${whole}${fraction ? `.${fraction}` : ''}${end}`
    }
    class NumberFormat {
      #format
      constructor(given, options) { this.#format = numberFormat(given, options) }
      get format() {
        const bound = this.#format
        defineProperty(this, 'format', { value: bound, configurable: true })
        return bound
      }
      formatToParts() { return refuse('formatToParts', NUMBER) }
      formatRange() { return refuse('formatRange', NUMBER) }
      resolvedOptions() { return refuse('resolvedOptions of Intl.NumberFormat', NUMBER) }
    }

    // Dates, in UTC.
    const DATE = 'write date.toISOString() and take parts of it, or put getUTCFullYear() and the like together'
    function dateText(it, given, wanted, hasDate, hasTime) {
      english('the format of dates', given)
      if (given !== undefined && !/^en(-US)?$/i.test(tagOf(given))) refuse(`the format of dates in \`${given}\``, DATE)
      const options = object(wanted)
      only('dates', options, ['timeZone'], DATE)
      if (options.timeZone !== undefined && !/^(utc|gmt)$/i.test(String(options.timeZone))) refuse(`the time zone ${inspect(options.timeZone)}`, DATE)
      if (Number.isNaN(it.getTime())) return 'Invalid Date'
      const year = it.getUTCFullYear()
      const date = `${it.getUTCMonth() + 1}/${it.getUTCDate()}/${year > 0 ? year : `${1 - year} BC`}`
      if (year <= 0) refuse('a year before 1', DATE)
      const pad = (part) => String(part).padStart(2, '0')
      const hours = it.getUTCHours()
      const time = `${hours % 12 || 12}:${pad(it.getUTCMinutes())}:${pad(it.getUTCSeconds())} ${hours < 12 ? 'AM' : 'PM'}`
      return [hasDate && date, hasTime && time].filter(Boolean).join(', ')
    }
    const others = {
      DateTimeFormat: DATE, PluralRules: "write n === 1 ? 'one' : 'other'", ListFormat: "write list.join(', ')",
      RelativeTimeFormat: 'put the text together yourself', DisplayNames: 'put the text together yourself',
      Segmenter: 'Array.from(text) has its characters, text.match(/\\w+/g) its words', Locale: 'take the tag apart: tag.split("-")',
      DurationFormat: 'put the text together yourself', getCanonicalLocales: 'use the tag as it is', supportedValuesOf: 'use the values themselves',
    }
    const intl = { Collator, NumberFormat }
    for (const [name, instead] of Object.entries(others)) intl[name] = function () { return refuse(`Intl.${name}`, instead) }
    defineProperty(intl, Symbol.toStringTag, { value: 'Intl' })
    for (const type of [Collator, NumberFormat]) {
      defineProperty(type.prototype, Symbol.toStringTag, { value: `Intl.${type.name}`, configurable: true })
      // They are functions too.
      intl[type.name] = new Proxy(type, { apply: (target, _, values) => new target(...values) })
    }
    defineProperty(globalThis, 'Intl', { value: intl, writable: true, configurable: true })

    const method = (owner, name, value) => defineProperty(owner, name, { value, writable: true, configurable: true })
    method(String.prototype, 'localeCompare', function localeCompare(other, given, options) {
      const made = given === undefined && options === undefined ? (first ??= collator()) : collator(given, options)
      return compare(made, String(this), String(other))
    })
    // Languages whose letters change otherwise.
    const special = /^(tr|az|lt|el|hy|nl)\b/i
    for (const [name, plain] of [['toLocaleUpperCase', String.prototype.toUpperCase], ['toLocaleLowerCase', String.prototype.toLowerCase]]) {
      method(String.prototype, name, { [name](given) {
        const tag = tagsOf(given)[0]
        if (tag !== undefined) tagOf(tag)
        if (special.test(tag ?? '')) refuse(`${name} in \`${tag}\``, `write ${plain.name}() and replace the letters that differ`)
        return Reflect.apply(plain, this, [])
      } }[name])
    }
    for (const owner of [Number.prototype, BigInt.prototype]) {
      const { valueOf } = owner
      method(owner, 'toLocaleString', function toLocaleString(given, options) {
        return numberFormat(given, options)(Reflect.apply(valueOf, this, []))
      })
    }
    const each = function toLocaleString(...given) {
      return Array.from(this, (it) => (it === undefined || it === null ? '' : it.toLocaleString(...given))).join(',')
    }
    method(Array.prototype, 'toLocaleString', each)
    method(getPrototypeOf(Uint8Array.prototype), 'toLocaleString', each)
    for (const [name, hasDate, hasTime] of [['toLocaleString', true, true], ['toLocaleDateString', true, false], ['toLocaleTimeString', false, true]]) {
      method(RealDate.prototype, name, { [name](given, options) { return dateText(this, given, options, hasDate, hasTime) } }[name])
    }
  }
