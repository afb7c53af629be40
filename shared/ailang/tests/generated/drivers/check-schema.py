"""Validates each value of a file of vectors with jsonschema. Fails where it takes or refuses the wrong ones."""

import json
import pathlib
import re
import sys

from jsonschema import Draft202012Validator

schema, vectors = (json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:])
# Python's patterns have no properties of characters.
beyond = [name for name, part in schema["$defs"].items() if "\\\\p{" in json.dumps(part)]
for name in beyond:
    del schema["$defs"][name]
Draft202012Validator.check_schema(schema)


def is_limit(value):
    """Tells values that Python's patterns take for others: `$` before a last line break, digits of other scripts."""
    return re.search(r"\n(?![ ,\]}])|[^\x00-\x7f]", json.dumps(value, ensure_ascii=False).replace("\\n", "\n")) is not None


wrong = 0
for vector in vectors:
    name = vector["name"]
    if name in beyond:
        continue
    validator = Draft202012Validator({**schema, "$ref": f"#/$defs/{name}"})
    for wanted, value in [(True, it) for it in vector["ok"]] + [(False, it) for it in vector["bad"]]:
        if validator.is_valid(value) != wanted and not is_limit(value):
            wrong += 1
            print(f"{name}: {value!r} should be {'accepted' if wanted else 'refused'}")
sys.exit(1 if wrong else 0)
