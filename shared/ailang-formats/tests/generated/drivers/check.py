"""Validates each value of files of vectors with the validator of its type. Fails where it takes or refuses the wrong ones.

The arguments are pairs of a module and its vectors.
"""

import importlib.util
import json
import pathlib
import sys

from pydantic import ValidationError


def check(module_path, vectors):
    spec = importlib.util.spec_from_file_location(module_path.stem, module_path)
    generated = importlib.util.module_from_spec(spec)
    sys.modules[module_path.stem] = generated
    spec.loader.exec_module(generated)
    wrong = 0
    for vector in json.loads(vectors.read_text()):
        name = vector["name"]
        validator = generated.VALIDATORS[name]
        # Results may have fields of a newer version.
        extra = {"extra": "ignore"} if name.endswith(".output") else {}
        for wanted, value in [(True, it) for it in vector["ok"] + vector["newer"]] + [(False, it) for it in vector["bad"]]:
            # Both ways into pydantic have rules of their own.
            for validate, given in [(validator.validate_python, value), (validator.validate_json, json.dumps(value))]:
                problem = None
                try:
                    validate(given, **extra)
                except ValidationError as error:
                    problem = error
                if (problem is None) != wanted:
                    wrong += 1
                    verdict = "accepted" if wanted else "refused"
                    print(f"{module_path.stem}: {name}: {value!r} should be {verdict}: {problem}")
    return wrong


paths = list(map(pathlib.Path, sys.argv[1:]))
wrong = sum(check(module, vectors) for module, vectors in zip(paths[::2], paths[1::2]))
sys.exit(1 if wrong else 0)
