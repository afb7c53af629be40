"""Compares the code that generators make of public JSON schemas: its lines, what linters say, and which values it takes.

    npm install --prefix DIR quicktype @typespec/compiler @typespec/json-schema @typespec/openapi3 ajv zod typescript
    python3 -m venv DIR/python
    DIR/python/bin/pip install datamodel-code-generator jsonschema mypy 'pydantic[email]' pyyaml ruff
    git clone --depth 1 https://github.com/SchemaStore/schemastore DIR/schemastore
    DIR/python/bin/python compare.py DIR path/to/ailang

The schemas and the values are SchemaStore's: what its tests say is valid and what is not, and values that differ from
these in one part. ajv and Python's jsonschema judge each by the schema itself; where they differ, it does not count.
"""

import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tomllib
import warnings

import jsonschema
import yaml

warnings.filterwarnings("ignore")

SCHEMAS = """actionlint all-contributors aurora-1.0 chart chezmoi cloudbuild codecov dependabot-2.0 github-action
github-funding github-workflow hatch madge mail-servers-config packwiz-pack pubspec s3-bucket-cors unist yamlfmt
youtrack-app""".split()

# The values for each schema that differ from one of its tests in one part.
MUTATIONS = 100

HERE = pathlib.Path(__file__).resolve().parent


class PlainLoader(yaml.SafeLoader):
    """Reads YAML 1.2: dates and words such as `on` stay texts."""


TEXTS = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")
PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in all if tag not in TEXTS]
    for first, all in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
PlainLoader.add_implicit_resolver(TEXTS[1], re.compile("^(true|false)$"), "tf")


def read(path):
    """Returns the value of a file, as JSON has it; None if JSON cannot have it."""
    text = path.read_text(encoding="utf-8-sig")
    try:
        if path.suffix == ".toml":
            value = tomllib.loads(text)
        elif path.suffix in (".yml", ".yaml"):
            value = yaml.load(text, PlainLoader)
        else:
            value = json.loads(text)
        return json.loads(json.dumps(value))
    except (ValueError, TypeError, yaml.YAMLError):
        return None


def paths(value, at=()):
    yield at
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], (*at, key))
    if isinstance(value, list):
        for index in range(len(value)):
            yield from paths(value[index], (*at, index))


def mutated(value, others, rng):
    """Returns a value that differs in one part."""
    value = json.loads(json.dumps(value))
    path = rng.choice(list(paths(value)))
    if not path:
        return rng.choice([None, [], {}, "a", 1, [value]])
    *parents, last = path
    parent = value
    for step in parents:
        parent = parent[step]
    old = parent[last]
    kind = rng.randrange(6)
    if kind == 0:
        del parent[last]
    elif kind == 1 and isinstance(parent, dict):
        parent[rng.choice(["unknownKey", last + "s", last.upper()])] = old
    elif kind == 2:
        parent[last] = rng.choice([None, True, 0, -1, 1.5, "", "a", [], {}])
    elif kind == 3:
        parent[last] = [old] if rng.random() < 0.5 else str(old)
    elif kind == 4 and isinstance(old, str):
        parent[last] = rng.choice([old + "!", old[1:], old.upper(), ""])
    else:
        parent[last] = rng.choice(others)
    return value


def values(store, name):
    """Returns the values for a schema."""
    own = []
    for folder in ("test", "negative_test"):
        files = sorted((store / "src" / folder / name).glob("**/*"))
        own += [value for file in files if file.is_file() and (value := read(file)) is not None]
    rng = random.Random(name)
    parts = [part for value in own for path in paths(value) for part in [at(value, path)] if len(json.dumps(part)) < 200]
    all = own + [mutated(rng.choice(own), parts, rng) for _ in range(MUTATIONS)]
    return list({json.dumps(value): value for value in all}.values())


def at(value, path):
    for step in path:
        value = value[step]
    return value


def run(command, **options):
    return subprocess.run([str(it) for it in command], capture_output=True, text=True, **options)


def made(command, file, **options):
    """Runs a generator; returns an error as text, or None."""
    done = run(command, **options)
    if not file.exists() or not file.read_text().strip():
        return (done.stdout + done.stderr).strip()[-300:] or "nothing was made"
    return None


class Tools:
    def __init__(self, home, ailang):
        self.home, self.ailang = home, ailang
        self.bin, self.python = home / "node_modules/.bin", home / "python/bin"

    def ours(self, folder, schema, language, file):
        document = folder / "document.md"
        failed = made([self.ailang, "import", schema, "--from", "json-schema", "--output", document], document)
        if failed:
            return failed, None
        root = re.search(r"^type (\w+)", document.read_text(), re.M).group(1)
        out = folder / "out"
        failed = run([self.ailang, "generate", document, "--lang", language, "--output", out, "--force"])
        files = list(out.glob("*")) if out.exists() else []
        if not files:
            return failed.stderr[-300:], None
        files[0].rename(file)
        return None, root

    def ailang_python(self, folder, schema):
        file = folder / "made.py"
        return (file, *self.ours(folder, schema, "python", file))

    def ailang_typescript(self, folder, schema):
        file = folder / "made.ts"
        return (file, *self.ours(folder, schema, "typescript", file))

    def ailang_schema(self, folder, schema):
        file = folder / "made.json"
        return (file, *self.ours(folder, schema, "json-schema", file))

    def quicktype_python(self, folder, schema):
        file = folder / "made.py"
        return file, self.quicktype(schema, "python", file), "root"

    def quicktype_typescript(self, folder, schema):
        file = folder / "made.ts"
        return file, self.quicktype(schema, "typescript", file), "toRoot"

    def quicktype(self, schema, language, file):
        options = ["--src-lang", "schema", "--lang", language, "--top-level", "Root", "--out", file]
        return made([self.bin / "quicktype", *options, schema], file)

    def datamodel_code_generator(self, folder, schema):
        file = folder / "made.py"
        options = ["--input-file-type", "jsonschema", "--output-model-type", "pydantic_v2.BaseModel", "--class-name", "Root",
                   "--target-python-version", "3.11", "--field-constraints", "--disable-timestamp"]
        return file, made([self.python / "datamodel-codegen", "--input", schema, "--output", file, *options], file), "Root"

    def typespec(self, folder, schema):
        file = folder / "made.json"
        whole = json.loads(schema.read_text())
        text = json.dumps(whole).replace('"#/definitions/', '"#/components/schemas/').replace('"#"', '"#/components/schemas/Root"')
        root = json.loads(text)
        parts = root.pop("definitions", {})
        document = {"openapi": "3.0.0", "info": {"title": "T", "version": "1"}, "paths": {},
                    "components": {"schemas": {"Root": root, **parts}}}
        (folder / "openapi.json").write_text(json.dumps(document))
        (folder / "node_modules").symlink_to(self.home / "node_modules")
        run([self.bin / "tsp-openapi3", folder / "openapi.json", "--output-dir", folder / "tsp"])
        main = folder / "tsp/main.tsp"
        if not main.exists():
            return file, "tsp-openapi3 made nothing", None
        source = main.read_text()
        source = 'import "@typespec/json-schema";\n' + source.replace("namespace T;", "@TypeSpec.JsonSchema.jsonSchema\nnamespace T;")
        main.write_text(source)
        options = ["--emit", "@typespec/json-schema", "--option", "@typespec/json-schema.file-type=json", "--option",
                   "@typespec/json-schema.bundleId=made.json", "--output-dir", folder / "emitted"]
        done = run([self.bin / "tsp", "compile", main, *options], cwd=folder)
        bundles = list((folder / "emitted").glob("**/made.json"))
        if not bundles:
            return file, (done.stdout + done.stderr).strip()[-300:], None
        bundles[0].rename(file)
        return file, None, "Root"


GENERATORS = ["ailang_python", "ailang_typescript", "ailang_schema", "quicktype_python", "quicktype_typescript",
              "datamodel_code_generator", "typespec"]


def linted(tools, file):
    """Returns the number of the linters' complaints about a file."""
    if file.suffix == ".py":
        ruff = run([tools.python / "ruff", "check", "--ignore-noqa", "--isolated", "--output-format", "concise", file])
        mypy = run([tools.python / "mypy", "--strict", "--no-error-summary", "--cache-dir", "/dev/null", file])
        return len([it for it in (ruff.stdout + mypy.stdout).splitlines() if file.name in it and "note:" not in it])
    if file.suffix == ".ts":
        # It writes the program that is judged, too.
        options = ["--strict", "--noUnusedLocals", "--noUnusedParameters", "--noImplicitReturns", "--skipLibCheck",
                   "--target", "es2022", "--module", "nodenext", "--types", ""]
        done = run([tools.bin / "tsc", *options, file], cwd=file.parent)
        return done.stdout.count("error TS")
    return 0


def judged(tools, generator, file, root, given):
    """Returns for each value whether the generated code takes it; an error as text if it does not run."""
    request = file.parent / "values.json"
    request.write_text(json.dumps({"generator": generator, "file": str(file), "root": root, "values": given}))
    if file.suffix == ".py":
        done = run([tools.python / "python", HERE / "judge.py", request])
    else:
        done = run(["node", HERE / "judge.mjs", request], env=None, cwd=tools.home)
    try:
        return json.loads(done.stdout.splitlines()[-1]), None
    except (ValueError, IndexError):
        return None, (done.stdout + done.stderr).strip()[-300:]


def main():
    home, ailang = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    only = sys.argv[3:]
    tools, store = Tools(home, ailang), home / "schemastore"
    work = home / "work"
    run(["rm", "-rf", work])
    sums = {generator: collections.Counter() for generator in GENERATORS}
    total = collections.Counter()
    for name in SCHEMAS:
        schema = work / name / "schema.json"
        schema.parent.mkdir(parents=True)
        whole = json.loads((store / f"src/schemas/json/{name}.json").read_text())
        schema.write_text(json.dumps(whole))
        all = values(store, name)
        checker = jsonschema.validators.validator_for(whole)(whole)
        by_python = [checker.is_valid(value) for value in all]
        by_ajv, failed = judged(tools, "schema", schema, None, all)
        if by_ajv is None:
            sys.exit(f"{name}: {failed}")
        agreed = [(value, wanted) for value, wanted, other in zip(all, by_python, by_ajv) if wanted == other]
        total += collections.Counter(values=len(agreed), valid=sum(wanted for _, wanted in agreed), unclear=len(all) - len(agreed))
        for generator in GENERATORS:
            if only and generator not in only:
                continue
            folder = work / name / generator
            folder.mkdir()
            (folder / "package.json").write_text('{"type": "module"}')
            file, failed, root = getattr(tools, generator)(folder, schema)
            verdicts = None
            if not failed:
                sums[generator]["lines"] += len(file.read_text().splitlines())
                if file.suffix == ".ts" and not (folder / "node_modules").exists():
                    (folder / "node_modules").symlink_to(home / "node_modules")
                sums[generator]["warnings"] += linted(tools, file)
                verdicts, failed = judged(tools, generator, file, root, [value for value, _ in agreed])
            if failed:
                sums[generator]["failed"] += 1
                print(f"{name}: {generator}: {failed!r}", file=sys.stderr)
                continue
            wrong = collections.Counter(
                "accepted" if verdict else "refused" for verdict, (_, wanted) in zip(verdicts, agreed) if verdict != wanted
            )
            sums[generator] += wrong
            kept = [[value, wanted] for verdict, (value, wanted) in zip(verdicts, agreed) if verdict != wanted]
            (folder / "wrong.json").write_text(json.dumps(kept, indent=1))
            print(f"{name}: {generator}: {dict(wrong)}", file=sys.stderr)
    print(f"{len(SCHEMAS)} schemas, {total['values']} values, {total['valid']} of them valid ({total['unclear']} unclear)\n")
    print("| generator | failed | lines | warnings | wrongly accepted | wrongly refused |\n|---|---:|---:|---:|---:|---:|")
    for generator, it in sums.items():
        print("|", " | ".join([generator, *(str(it[key]) for key in ("failed", "lines", "warnings", "accepted", "refused"))]), "|")


main()
