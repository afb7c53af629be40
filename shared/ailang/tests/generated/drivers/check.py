"""Validates each value of a file of vectors with the validator of its type. Fails where it takes or refuses the wrong ones."""

import importlib.util
import json
import pathlib
import sys

from pydantic import ValidationError

module_path, vectors = map(pathlib.Path, sys.argv[1:])
spec = importlib.util.spec_from_file_location(module_path.stem, module_path)
generated = importlib.util.module_from_spec(spec)
sys.modules[module_path.stem] = generated
spec.loader.exec_module(generated)

wrong = 0
for vector in json.loads(vectors.read_text()):
    name = vector["name"]
    if name.endswith(".output"):
        continue  # results have no validator of their own
    validator = generated.VALIDATORS[name]
    for wanted, value in [(True, it) for it in vector["ok"]] + [(False, it) for it in vector["bad"]]:
        # Both ways into pydantic have rules of their own.
        for validate, given in [(validator.validate_python, value), (validator.validate_json, json.dumps(value))]:
            problem = None
            try:
                validate(given)
            except ValidationError as error:
                problem = error
            if (problem is None) != wanted:
                wrong += 1
                print(f"{name}: {value!r} should be {'accepted' if wanted else 'refused'}: {problem}")
sys.exit(1 if wrong else 0)
