//! Surroundings of programs elsewhere: modules and globals of Node.js, Deno, Bun and browsers. Some are here; of the others this
//! says what to write instead.

/// A module that programs can import.
#[derive(Debug, PartialEq, Eq)]
pub struct KnownModule {
    /// The names by which the module is imported, without `node:`.
    pub names: &'static [&'static str],
    /// The expression of its object, which is also its default.
    pub expression: &'static str,
    /// The names that it exports; empty for that of the functions of the host.
    pub members: &'static [&'static str],
}

/// The modules that are here.
pub const MODULES: &[KnownModule] = &[
    KnownModule {
        names: &["dialect", "ide", "tools", "tsforge-tools"],
        expression: "$modules.dialect",
        members: &[],
    },
    KnownModule { names: &["fs", "fs/promises"], expression: "$modules.files", members: FILES },
    KnownModule {
        names: &["path", "path/posix"],
        expression: "$modules.path",
        members: &[
            "normalize",
            "basename",
            "extname",
            "dirname",
            "join",
            "resolve",
            "relative",
            "parse",
            "format",
            "isAbsolute",
            "toNamespacedPath",
            "sep",
            "delimiter",
            "posix",
        ],
    },
    KnownModule { names: &["url"], expression: "$modules.url", members: &["URL", "URLSearchParams"] },
    KnownModule { names: &["buffer"], expression: "$modules.buffer", members: &["atob", "btoa"] },
    KnownModule {
        names: &["util"],
        expression: "$modules.util",
        members: &["TextEncoder", "TextDecoder", "inspect"],
    },
    KnownModule { names: &["perf_hooks"], expression: "$modules.hooks", members: &["performance"] },
    KnownModule {
        names: &["timers"],
        expression: "$modules.timers",
        members: &[
            "setTimeout",
            "setInterval",
            "setImmediate",
            "clearTimeout",
            "clearInterval",
            "clearImmediate",
            "promises",
        ],
    },
    KnownModule {
        names: &["timers/promises"],
        expression: "$modules.timers.promises",
        members: &["setTimeout", "setImmediate"],
    },
];

/// The members of the module of files: those of the host, and the names that Node.js has for them.
const FILES: &[&str] = &[
    "read",
    "exists",
    "list",
    "write",
    "edit",
    "remove",
    "rename",
    "commit",
    "readFile",
    "writeFile",
    "appendFile",
    "readdir",
    "access",
    "rm",
    "unlink",
    "copyFile",
    "mkdir",
    "promises",
];

/// The modules that stand for ours in external runtimes too, which have the others themselves.
const SHARED: &[&str] = &["$modules.dialect", "$modules.files", "$modules.path"];

/// Returns the module with that name, as an import spells it.
pub(crate) fn module(name: &str, is_external: bool) -> Option<&'static KnownModule> {
    let plain = plain(name);
    let mut modules = MODULES.iter().filter(|it| !is_external || SHARED.contains(&it.expression));
    modules.find(|it| it.names.contains(&plain))
}

fn plain(name: &str) -> &str {
    let name = name.strip_prefix("node:").unwrap_or(name);
    let name = name.strip_prefix("./").unwrap_or(name);
    [".ts", ".mts", ".js", ".mjs", ".d"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

const NO_NETWORK: &str = "Nothing here reaches the network; pass what the program needs as `args`.";
const NO_PROCESSES: &str = "Nothing here starts processes; run commands with your own tools.";
const NO_CRYPTO: &str =
    "There is no cryptography here; compare the texts themselves, or hash them with a loop.";
const NO_PAGE: &str = "There is no page here; leave it out.";
const NO_BYTES: &str =
    "Files are texts here: `await fs.read(path)`. For bytes: new TextEncoder().encode(text), btoa, atob.";
const NO_EVENTS: &str = "Nothing here sends events; call the function itself.";
const NO_STREAMS: &str = "There are no streams here: `await fs.read(path)` has the whole text.";
const NO_FOLDER: &str = "Paths are relative to the workspace: leave it out.";
const NO_ABORT: &str = "Nothing here can be aborted: leave it out.";
const NO_WORKERS: &str = "A program has one thread; Promise.all runs its calls in parallel.";
const NO_TESTS: &str = "There is no test runner here: write `if (!holds) throw new Error(…)`.";
const EXPORT: &str = "Write `export`, or `return` the value.";
const UTC_DATES: &str = "Use Date, whose toISOString() is in UTC.";

/// Returns what to write instead of a module that is not here.
pub(crate) fn instead_of_module(name: &str) -> String {
    let is_file = name.starts_with("./") || name.starts_with("../") || name.starts_with('/');
    let known = match plain(name) {
        "child_process" | "execa" | "shelljs" | "zx" | "cluster" => NO_PROCESSES,
        "process" => {
            "Return instead of process.exit; `args` has the data of the call; there is no environment."
        }
        "os" => "There is no machine to ask: paths are relative to the workspace, and lines end with \\n.",
        "http" | "https" | "http2" | "net" | "tls" | "dgram" | "dns" | "axios" | "node-fetch" | "undici" => {
            NO_NETWORK
        }
        "crypto" => NO_CRYPTO,
        "stream" | "stream/promises" | "readline" | "readline/promises" | "zlib" => NO_STREAMS,
        "events" => NO_EVENTS,
        "worker_threads" => NO_WORKERS,
        "assert" | "assert/strict" | "test" | "vitest" | "@jest/globals" | "bun:test" => NO_TESTS,
        "glob" | "fast-glob" | "globby" | "tinyglobby" => "Write `await fs.list(\"**/*.ts\")`.",
        "fs-extra" | "graceful-fs" => "Files are in `fs`, without an import: fs.read, fs.write, fs.list.",
        "typescript" | "ts-morph" | "@babel/parser" | "acorn" => {
            "Ask `ide` instead: ide.definitions(path), ide.findReferences(name), ide.findCode(pattern)."
        }
        "lodash" | "lodash-es" | "ramda" | "underscore" => {
            "JavaScript's own library has most of it: Object.groupBy, Array.prototype.flatMap, structuredClone, Set."
        }
        "chalk" | "kleur" | "picocolors" => "Colours are not shown: print the text itself.",
        "module" | "vm" | "v8" | "inspector" => "Programs load no others: write the code here.",
        _ if is_file => {
            return format!(
                "A program is one file; put the code here. `await fs.read(\"{}\")` has the text of a file.",
                name.strip_prefix("./").unwrap_or(name)
            );
        }
        _ => {
            "Functions need no import: they are in `ide`, `fs` and the other namespaces. Only JavaScript's own library \
             is there besides."
        }
    };
    known.to_owned()
}

/// Returns what to write instead of a member that a known module does not have.
pub(crate) fn instead_of_member(module: &KnownModule, member: &str) -> String {
    let is_files = module.expression == "$modules.files";
    let known = match member.strip_suffix("Sync").unwrap_or(member) {
        "exists" if is_files => "Write `await fs.exists(path)`.",
        "readFile" | "open" | "read" | "createReadStream" | "readv" if is_files => {
            "Write `await fs.read(path)`."
        }
        "writeFile" | "createWriteStream" | "write" if is_files => "Write `await fs.write(path, text)`.",
        "appendFile" if is_files => "Write `await fs.write(path, (await fs.read(path)) + text)`.",
        "readdir" | "opendir" if is_files => {
            "Write `await fs.list(folder)`: the paths of all files below it."
        }
        "glob" if is_files => "Write `await fs.list(\"**/*.ts\")`.",
        "unlink" | "rm" | "rmdir" if is_files => "Write `await fs.remove(path)`.",
        "rename" if is_files => "Write `await fs.rename(from, to)`.",
        "copyFile" | "cp" if is_files => "Write `await fs.write(to, await fs.read(from))`.",
        "mkdir" | "mkdtemp" if is_files => "Folders are made with their files: leave it out.",
        "access" if is_files => "Write `await fs.exists(path)`.",
        "stat" | "lstat" | "fstat" | "statfs" if is_files => {
            "Write `await fs.exists(path)`; a size is (await fs.read(path)).length, and there are no times."
        }
        "watch" | "watchFile" if is_files => "A program ends: read the file when it is needed.",
        _ if is_files => "It has read, write, edit, list, exists, remove and rename: await fs.read(path).",
        "fileURLToPath" => "Write new URL(url).pathname.",
        "pathToFileURL" => "Write new URL(path, \"file:///\").",
        "promisify" => "Functions here give promises already: leave it out.",
        "format" => "Write a template: `${a} ${b}`.",
        "isDeepStrictEqual" => "Compare JSON.stringify of both.",
        "Buffer" => NO_BYTES,
        _ => return format!("It has {}.", module.members.join(", ")),
    };
    known.to_owned()
}

/// Returns what to write instead of a global that is not here; `member` is the one that is used of it.
pub(crate) fn instead_of_global(name: &str, member: Option<&str>) -> Option<&'static str> {
    Some(match (name, member) {
        ("process", Some("exit" | "exitCode")) => "Write `return`, or throw an error.",
        ("process", Some("cwd" | "chdir")) => NO_FOLDER,
        ("process", Some("argv" | "env")) => {
            "There is no environment: pass data as `args`, which the program finds."
        }
        ("process", Some("stdout" | "stderr")) => "Write console.log(text).",
        ("process", Some("stdin")) => "Pass data as `args`.",
        ("process", Some("nextTick")) => "Write queueMicrotask(action).",
        ("process", Some("hrtime" | "uptime" | "memoryUsage" | "cpuUsage")) => "Write performance.now().",
        ("process", Some("on" | "once")) => {
            "An error that nobody catches ends the program and is told: leave it out."
        }
        ("process", Some("platform" | "arch" | "version" | "versions")) => {
            "The same program runs alike everywhere: leave it out."
        }
        ("process", _) => {
            "There is no process: `args` has the data of the call; return, or throw an error, to end."
        }
        ("Buffer", _) => NO_BYTES,
        ("require", _) => "Write `import`; `ide`, `fs` and the other namespaces need none.",
        ("module", _) => EXPORT,
        ("__dirname" | "__filename", _) => NO_FOLDER,
        ("Deno", Some(it)) if it.starts_with("read") => {
            "Write `await fs.read(path)`, or `await fs.list(folder)`."
        }
        ("Bun", Some("file")) => "Write `await fs.read(path)`.",
        ("Deno", Some(it)) if it.starts_with("write") => "Write `await fs.write(path, text)`.",
        ("Bun", Some("write")) => "Write `await fs.write(path, text)`.",
        ("Deno", Some("args" | "env")) | ("Bun", Some("argv" | "env")) => {
            "There is no environment: pass data as `args`, which the program finds."
        }
        ("Bun", Some("Glob")) => "Write `await fs.list(\"**/*.ts\")`.",
        ("Deno", Some("Command" | "run")) | ("Bun", Some("spawn" | "spawnSync" | "$")) => NO_PROCESSES,
        ("Deno" | "Bun", _) => "Files are in `fs`: fs.read, fs.write, fs.list; nothing else of it is here.",
        ("fetch" | "Request" | "Response" | "Headers" | "FormData" | "XMLHttpRequest" | "WebSocket", _)
        | ("EventSource", _) => NO_NETWORK,
        ("crypto" | "Crypto" | "CryptoKey" | "SubtleCrypto", _) => NO_CRYPTO,
        ("Temporal", _) => UTC_DATES,
        ("AbortController" | "AbortSignal", _) => NO_ABORT,
        ("Event" | "EventTarget" | "CustomEvent" | "addEventListener" | "dispatchEvent", _) => NO_EVENTS,
        ("Worker" | "SharedWorker" | "MessageChannel" | "BroadcastChannel" | "MessagePort", _) => NO_WORKERS,
        (
            "ReadableStream" | "WritableStream" | "TransformStream" | "CompressionStream" | "Blob" | "File",
            _,
        ) => NO_STREAMS,
        ("WebAssembly", _) => "Programs load no others: write the code here.",
        ("window" | "document" | "self" | "location" | "history" | "localStorage" | "sessionStorage", _)
        | ("alert" | "confirm" | "requestAnimationFrame" | "HTMLElement" | "DOMParser", _) => NO_PAGE,
        ("prompt", _) => "Nobody can be asked: pass data as `args`.",
        ("navigator", _) => "The same program runs alike everywhere: leave it out.",
        ("describe" | "it" | "test" | "expect" | "beforeEach" | "afterEach" | "jest" | "vi", _) => NO_TESTS,
        ("React" | "jQuery" | "$", _) => NO_PAGE,
        ("gc", _) => "Memory is freed by itself: leave it out.",
        _ => return None,
    })
}

/// Returns what to write instead of a member of `Intl` that is not here.
pub(crate) fn instead_of_intl(member: &str) -> Option<&'static str> {
    Some(match member {
        "DateTimeFormat" => "Write date.toISOString() and take parts of it.",
        "PluralRules" => "Write n === 1 ? \"one\" : \"other\".",
        "ListFormat" => "Write list.join(\", \").",
        "Segmenter" => "Array.from(text) has its characters, text.match(/\\w+/g) its words.",
        "RelativeTimeFormat" | "DisplayNames" | "DurationFormat" => "Put the text together yourself.",
        "Locale" => "Take the tag apart: tag.split(\"-\").",
        _ => return None,
    })
}
