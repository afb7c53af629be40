# The other side of Scriptling's library for plugins, and the ways in and out. Values cross as lists whose first element says
# what follows.


class _DialectRemote:
    def __init__(self, library, name, id):
        self.library = library
        self.name = name
        self.id = id


_dialect_functions = []
_dialect_objects = {}
_dialect_counts = {"objects": 0}
_dialect_classes = {}
_dialect_methods = {}
_dialect_names = {}
_dialect_stand_ins = {}


class _DialectExisting:
    def __init__(self, remote):
        self.remote = remote


def _dialect_function(id):
    for function, known in _dialect_functions:
        if known == id:
            return function

    def function(*args, **kwargs):
        return _dialect_ask("callback", ["v", id], args, kwargs)

    _dialect_functions.append((function, id))
    return function


def _dialect_in(it):
    kind = it[0]
    if kind == "v":
        return it[1]
    if kind == "l":
        return [_dialect_in(item) for item in it[1]]
    if kind == "d":
        return {key: _dialect_in(item) for key, item in it[1]}
    if kind == "f":
        return _dialect_function(it[1])
    if kind == "s":
        return _dialect_object(it[1])
    remote = _DialectRemote(it[1], it[2], it[3])
    if it[2] in _dialect_stand_ins:
        return _dialect_stand_ins[it[2]](_DialectExisting(remote))
    return remote


def _dialect_object(id):
    if id not in _dialect_objects:
        raise ValueError("unknown object " + id)
    return _dialect_objects[id]


def _dialect_kept(value, name):
    for id, known in _dialect_objects.items():
        if known is value:
            return ["s", name, id]
    _dialect_counts["objects"] = _dialect_counts["objects"] + 1
    id = "dialect-source-" + str(_dialect_counts["objects"])
    _dialect_objects[id] = value
    _dialect_names[id] = name
    return ["s", name, id]


def _dialect_out(it):
    if it is None or isinstance(it, (bool, int, float, str)):
        return ["v", it]
    if isinstance(it, (list, tuple)):
        return ["l", [_dialect_out(item) for item in it]]
    if isinstance(it, dict):
        for key in it:
            if not isinstance(key, str):
                raise TypeError("unsupported dict key type in a plugin value")
        return ["d", [[key, _dialect_out(item)] for key, item in it.items()]]
    if isinstance(it, _DialectRemote):
        return ["r", it.library, it.name, it.id]
    for function, id in _dialect_functions:
        if function is it:
            return ["f", id]
    for kind in _dialect_stand_ins.values():
        if isinstance(it, kind):
            return _dialect_out(it._plugin_remote)
    for name, kind in _dialect_classes.items():
        if isinstance(it, kind):
            return _dialect_kept(it, name)
    raise TypeError("unsupported plugin value type " + type(it).__name__)


def _dialect_ask(how, subject, args, kwargs):
    given = [_dialect_out(item) for item in args]
    named = [[key, _dialect_out(item)] for key, item in kwargs.items()]
    return _dialect_in(_dialect_host(how, subject, given, named))


class _DialectPlugin:
    def call_function(self, library, name, *args, **kwargs):
        return _dialect_ask("function", ["l", [["v", library], ["v", name]]], args, kwargs)

    def call_method(self, remote, name, *args, **kwargs):
        return _dialect_ask("method", ["l", [_dialect_out(remote), ["v", name]]], args, kwargs)

    def _new_object(self, library, name, *args, **kwargs):
        return _dialect_ask("new", ["l", [["v", library], ["v", name]]], args, kwargs)

    def release(self, remote):
        return _dialect_ask("release", _dialect_out(remote), [], {})


class _DialectScriptling:
    def __init__(self):
        self.plugin = _DialectPlugin()


scriptling = _DialectScriptling()


def _dialect_call(function, args, kwargs):
    _dialect_functions.clear()
    given = [_dialect_in(item) for item in args]
    named = {key: _dialect_in(item) for key, item in kwargs}
    return _dialect_out(function(*given, **named))


def _dialect_method(id, name, args, kwargs):
    it = _dialect_object(id)
    if name in _dialect_methods[_dialect_names[id]]:
        return _dialect_call(getattr(it, name), args, kwargs)
    if args:
        setattr(it, name, _dialect_in(args[0]))
        return ["v", None]
    return _dialect_out(getattr(it, name))


def _dialect_destroy(id):
    if id in _dialect_objects:
        it = _dialect_objects.pop(id)
        if hasattr(it, "__del__"):
            it.__del__()
    return ["v", None]
