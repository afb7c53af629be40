"""Validates each value of files of vectors with jsonschema. Fails where it takes or refuses the wrong ones.

The arguments are pairs of a schema and its vectors.
"""

import json
import pathlib
import re
import sys
import urllib.parse

from jsonschema import Draft202012Validator


def is_limit(value):
    """Tells values that Python's patterns take for others: `$` before a last line break, digits of other scripts."""
    return re.search(r"\n(?![ ,\]}])|[^\x00-\x7f]", json.dumps(value, ensure_ascii=False).replace("\\n", "\n")) is not None


def check(path, schema, vectors):
    # Python's patterns have no properties of characters, nor characters by their code in braces.
    beyond = [name for name, part in schema["$defs"].items() if re.search(r"\\\\[pPu]\{", json.dumps(part))]
    for name in beyond:
        del schema["$defs"][name]
    Draft202012Validator.check_schema(schema)
    wrong = 0
    for vector in vectors:
        name = vector["name"]
        if name in beyond:
            continue
        validator = Draft202012Validator({**schema, "$ref": f"#/$defs/{urllib.parse.quote(name)}"})
        refused = [] if vector["loose"] else vector["bad"] + vector["newer"]
        for wanted, value in [(True, it) for it in vector["ok"]] + [(False, it) for it in refused]:
            if validator.is_valid(value) != wanted and not is_limit(value):
                wrong += 1
                print(f"{path}: {name}: {value!r} should be {'accepted' if wanted else 'refused'}")
    return wrong


files = [(path, json.loads(pathlib.Path(path).read_text())) for path in sys.argv[1:]]
wrong = sum(check(path, schema, vectors) for (path, schema), (_, vectors) in zip(files[::2], files[1::2]))
sys.exit(1 if wrong else 0)
