import ast
import sys


def is_hit(node):
    function = node.func
    name = getattr(function, "attr", None) or getattr(function, "id", None)
    return name == "hit"


for program in sys.stdin.read().split("\0"):
    try:
        calls = [it for it in ast.walk(ast.parse(program)) if isinstance(it, ast.Call)]
        print(sum(map(is_hit, calls)))
    except SyntaxError:
        print("-")
