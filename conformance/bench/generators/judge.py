"""Prints for each value of a request whether generated Python takes it."""

import importlib.util
import json
import pathlib
import sys

request = json.loads(pathlib.Path(sys.argv[1]).read_text())
spec = importlib.util.spec_from_file_location("made", request["file"])
module = importlib.util.module_from_spec(spec)
sys.modules["made"] = module
spec.loader.exec_module(module)

if request["generator"] == "quicktype_python":
    take = getattr(module, f"{request['root']}_from_dict")
elif request["generator"] == "ailang_python":
    take = module.VALIDATORS[request["root"]].validate_python
else:
    take = getattr(module, request["root"]).model_validate


def is_taken(value):
    try:
        take(value)
    except Exception:
        return False
    return True


print(json.dumps([is_taken(value) for value in request["values"]]))
