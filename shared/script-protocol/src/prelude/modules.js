  const path = pathModule()
  const files = namespaces.fs ?? {}
  const nodeFiles = fileModule()
  defineProperty(globalThis, '$modules', {
    value: freeze({
      dialect, path, files: { ...nodeFiles, promises: nodeFiles },
      url: { URL: globalThis.URL, URLSearchParams: globalThis.URLSearchParams },
      buffer: { atob: globalThis.atob, btoa: globalThis.btoa },
      util: { TextEncoder: globalThis.TextEncoder, TextDecoder: globalThis.TextDecoder, inspect: (it) => show(it, true) },
      hooks: { performance: globalThis.performance },
      timers: timerModule(),
    }),
  })

  function timerModule() {
    const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = globalThis
    const after = (delay, it) => new Promise((resolve) => { setTimeout(resolve, delay, it) })
    const promises = { setTimeout: after, setImmediate: (it) => after(0, it) }
    return { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, promises }
  }

  // Functions with the names that Node.js has, over those of `fs`. Texts are UTF-8.
  function fileModule() {
    const refuse = (name, problem) => { throw new TypeError(`${name}: ${problem}`) }
    // Returns the options of a call that has no others.
    const options = (name, given, ...known) => {
      if (typeof given === 'function') refuse(name, 'there are no callbacks here; write `await`')
      const all = typeof given === 'string' ? { encoding: given } : given ?? {}
      for (const [key, it] of Object.entries(all)) {
        if (it === undefined || it === null || it === false || known.includes(key)) continue
        const isText = key === 'encoding' && /^utf-?8$/i.test(String(it))
        if (!isText) refuse(name, `there is no ${key} ${inspect(it)} here; files are texts in UTF-8`)
      }
      return all
    }
    const textual = (name, it) => (typeof it === 'string' ? it : refuse(name, 'only texts can be written'))
    const readFile = async (path, given) => {
      options('readFile', given)
      return await files.read(String(path))
    }
    const writeFile = async (path, text, given) => {
      options('writeFile', given, 'mode')
      await files.write(String(path), textual('writeFile', text))
    }
    const appendFile = async (path, text, given) => {
      options('appendFile', given, 'mode')
      const before = (await files.exists(String(path))) ? await files.read(String(path)) : ''
      await files.write(String(path), before + textual('appendFile', text))
    }
    // The names in a folder, or with `recursive` the paths below it, folders among them.
    const readdir = async (of, given) => {
      const { recursive } = options('readdir', given, 'recursive')
      const folder = path.normalize(String(of)).replace(/\/$/, '')
      const below = folder === '.' ? '' : `${folder}/`
      const names = new Set()
      for (const file of await files.list(folder)) {
        const parts = (file.startsWith(below) ? file.slice(below.length) : file).split('/')
        for (let count = 1; count <= (recursive ? parts.length : 1); count++) names.add(parts.slice(0, count).join('/'))
      }
      return Array.from(names).sort()
    }
    const access = async (path) => {
      if (!(await files.exists(String(path)))) throw Object.assign(new Error(`ENOENT: no such file or directory, access '${path}'`), { code: 'ENOENT' })
    }
    const remove = async (path, given) => {
      const { force } = options('rm', given, 'force', 'recursive')
      if (force && !(await files.exists(String(path)))) return
      await files.remove(String(path))
    }
    const copyFile = async (from, to) => { await files.write(String(to), await files.read(String(from))) }
    const rename = async (from, to) => { await files.rename(String(from), String(to)) }
    const own = Object.fromEntries(Object.entries({ ...files }))
    return { ...own, readFile, writeFile, appendFile, readdir, access, rm: remove, unlink: (path) => remove(path), copyFile, rename, mkdir: async () => undefined }
  }

  // Paths as Node.js has them, on systems with slashes. Those that are not absolute are in the workspace.
  function pathModule() {
    const text = (it) => {
      if (typeof it !== 'string') throw new TypeError(`a path must be a text, got ${inspect(it)}`)
      return it
    }
    const normalize = (it) => {
      const isAbsolute = text(it).startsWith('/')
      const parts = []
      for (const part of it.split('/')) {
        if (part === '..' && parts.length && parts[parts.length - 1] !== '..') parts.pop()
        else if (part === '..' && isAbsolute) continue
        else if (part && part !== '.') parts.push(part)
      }
      const end = parts.length && it.endsWith('/') ? '/' : ''
      return (isAbsolute ? '/' : '') + parts.join('/') + end || (it.endsWith('/') && it ? './' : '.')
    }
    const basename = (it, suffix = '') => {
      const last = text(it).replace(/\/+$/, '').split('/').pop()
      return suffix && last !== suffix && last.endsWith(suffix) ? last.slice(0, -suffix.length) : last
    }
    const extname = (it) => {
      const base = basename(it)
      return base === '..' ? '' : /[^/](\.[^./]*)$/.exec(base)?.[1] ?? ''
    }
    const dirname = (it) => {
      const stripped = text(it).replace(/(?<=.)\/+$/, '')
      const end = stripped.lastIndexOf('/')
      if (end < 0) return '.'
      const folder = stripped.slice(0, end)
      return folder === '' ? (stripped.startsWith('//') ? '//' : '/') : /^\/+$/.test(folder) ? folder + '/' : folder
    }
    const join = (...parts) => normalize(parts.map(text).filter(Boolean).join('/'))
    const absolute = (...parts) => {
      const all = parts.map(text).reduce((at, it) => (it.startsWith('/') ? it : it ? `${at}/${it}` : at), '.')
      const normal = normalize(all)
      return normal.length > 1 ? normal.replace(/\/$/, '') : normal
    }
    const relative = (from, to) => {
      const [a, b] = [from, to].map((it) => absolute(it).split('/').filter((it) => it && it !== '.'))
      while (a.length && b.length && a[0] === b[0]) { a.shift(); b.shift() }
      return [...a.map(() => '..'), ...b].join('/')
    }
    const parsePath = (it) => {
      const [base, root] = [basename(it), text(it).startsWith('/') ? '/' : '']
      const ext = extname(it)
      const dir = it.replace(/(?<=.)\/+$/, '').includes('/') ? dirname(it) : ''
      return { root, dir: dir === '//' ? '/' : dir, base, ext, name: base.slice(0, base.length - ext.length) }
    }
    const formatPath = ({ dir, root = '', base, name = '', ext = '' }) => {
      const last = base || name + (ext && !ext.startsWith('.') ? `.${ext}` : ext)
      const before = dir || root
      return before ? (before === root ? before + last : `${before}/${last}`) : last
    }
    const isAbsolute = (it) => text(it).startsWith('/')
    const path = {
      normalize, basename, extname, dirname, join, resolve: absolute, relative, parse: parsePath, format: formatPath, isAbsolute, toNamespacedPath: (it) => it,
      sep: '/', delimiter: ':',
    }
    path.posix = path
    return path
  }

