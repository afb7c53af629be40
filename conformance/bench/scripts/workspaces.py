"""The workspaces of the tasks, and the programs that solve them."""

TIERS_OF = ["gold", "basic", "trial"]

MIGRATE = """\
for (const path of await fs.list('services/svc*.ts')) {
  const text = await fs.read(path)
  if (!text.includes('client.legacy')) continue
  const tier = /tier: (\\w+)/.exec(text)![1]
  await fs.write(path, text.replace(/client\\.legacy\\((.*?)\\)/, `client.connect($1, "${tier}")`))
}"""

TIERS = 'search("services", "^// tier: (?<tier>[a-z]+)").map(h => [h.path, h.groups.tier])'


def size_name(size):
    return f"{size} B" if size < 1_000 else f"{size / 1_000:.1f} KB"


def migrate(folder, count, size):
    """Services with a tier in a comment, a deprecated call and a test each."""
    services = folder / "services"
    services.mkdir()
    (services / "client.ts").write_text(
        "export const legacy = (name: string) => `${name}@?`\n"
        "export const connect = (name: string, tier: string) => `${name}@${tier}`\n"
    )
    for number in range(count):
        name, tier = f"svc{number}", TIERS_OF[number % 3]
        text = f'// tier: {tier}\nimport * as client from "./client"\nexport const start = () => client.legacy("{name}")\n'
        lines = 0
        while len(text) < size - 40:
            lines += 1
            text += f"// {lines}: what this service did in an earlier release, and why it does it no more\n"
        (services / f"{name}.ts").write_text(text)
        (services / f"{name}.test.ts").write_text(
            f'import {{ expect, test }} from "bun:test"\nimport {{ start }} from "./{name}"\n'
            f'test("{name}", () => expect(start()).toBe("{name}@{tier}"))\n'
        )


MODULES = 30
LETTERS = "abcd"


def is_tested(module, letter):
    return (module * 7 + LETTERS.index(letter) * 5) % 11 != 0


UNTESTED = [f"fn{m}{it}" for m in range(MODULES) for it in LETTERS if not is_tested(m, it)]

UNTESTED_DIALECT = (
    "tests = search(`tests`, `fn[0-9]`).map(h => h.text).join(` `); "
    "definitions(`src`, `function`).filter(d => d.public && !tests.contains(d.name)).map(d => d.name)"
)

UNTESTED_SCRIPT = """\
const tests = (await ide.search('tests', 'fn[0-9]')).map(h => h.text).join(' ')
const all = await ide.definitions('src', 'function')
return all.filter(d => d.public && !tests.includes(d.name)).map(d => d.name)"""


def untested(folder):
    """Modules with four exported functions and one of their own, and tests of most."""
    for name in ["src", "tests"]:
        (folder / name).mkdir()
    for module in range(MODULES):
        bodies = [
            f"/** Returns part {it} of what module {module} knows of a number. */\n"
            f"export function fn{module}{it}(value: number): number {{\n  return own(value) + {module}\n}}\n"
            for it in LETTERS
        ]
        own = "function own(value: number): number {\n  return value * 2\n}\n"
        (folder / "src" / f"mod{module}.ts").write_text(own + "\n" + "\n".join(bodies))
        names = [f"fn{module}{it}" for it in LETTERS if is_tested(module, it)]
        tests = [f'test("{it}", () => expect({it}(1)).toBe(2 + {module}))\n' for it in names]
        head = f'import {{ expect, test }} from "bun:test"\nimport {{ {", ".join(names)} }} from "../src/mod{module}"\n'
        (folder / "tests" / f"mod{module}.test.ts").write_text(head + "".join(tests))


SETTINGS = 20
UNITS = {"s": 1_000, "ms": 1, "min": 60_000}

SETTINGS_SCRIPT = """\
const unit: any = { ms: 1, s: 1000, min: 60000 }
for (const path of await fs.list('conf')) {
  const text = await fs.read(path)
  const twice = /^legacy = true$/m.test(text) ? 2 : 1
  await fs.write(path, text.replace(/^timeout = (\\d+)(\\w+)$/m, (_, n, u) => `timeout_ms = ${n * unit[u] * twice}`))
}"""


def setting(number, is_adapted):
    """A file: a time with a unit, which counts twice where the application is old."""
    amount, unit, is_old = number + 3, list(UNITS)[number % 3], number % 4 == 0
    line = f"timeout_ms = {amount * UNITS[unit] * (2 if is_old else 1)}" if is_adapted else f"timeout = {amount}{unit}"
    old = "true" if is_old else "false"
    rest = "".join(f"pool.{it}.size = {it * 4 + number}\n" for it in range(12))
    return f"# The settings of application {number}\nname = app{number}\n{line}\nlegacy = {old}\n{rest}"


def settings(folder):
    (folder / "conf").mkdir()
    for number in range(SETTINGS):
        (folder / "conf" / f"app{number}.conf").write_text(setting(number, False))


def adapted(text):
    """What has to be replaced in a file, and by what: found by reading it, as an agent would."""
    line = next(it for it in text.splitlines() if it.startswith("timeout"))
    value = line.split(" = ")[1]
    unit = value.lstrip("0123456789")
    twice = 2 if "legacy = true" in text else 1
    return line, f"timeout_ms = {int(value.removesuffix(unit)) * UNITS[unit] * twice}"


def fixtures():
    """Eight new files that have nothing in common."""
    subjects = ["orders", "users", "invoices", "parcels", "returns", "refunds", "coupons", "carts"]
    verbs = ["ships", "greets", "sums", "weighs", "receives", "pays", "prints", "empties"]
    return {
        f"fixtures/{subject}.ts": f"// {subject.title()}: a fixture that {verb} them one by one.\n"
        f"export const {subject} = [\n"
        + "".join(f"  {{ id: {at * 100 + row}, note: '{verb} {subject} at step {row * at + 7}' }},\n" for row in range(5))
        + "]\n"
        for at, (subject, verb) in enumerate(zip(subjects, verbs), 1)
    }
