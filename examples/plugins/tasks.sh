#!/usr/bin/env bash
# A plugin in bash: lists the tasks of a workspace (targets of its Makefile, scripts of its package.json), and runs one.
#
#     dialect eval --plugin examples/plugins/tasks.sh 'tasks.tasks()'
#     dialect eval --plugin examples/plugins/tasks.sh 'tasks.run("test")'
#
# It needs jq, which reads and writes the JSON. A message is a line. Calls run one after another, which the protocol
# permits; a task that runs long keeps the next call waiting.
#
# Behind the wall a task can change nothing but its own folders. To let it build in the workspace, widen the wall in
# your settings: [plugins.profile.tasks] write = ["/path/to/workspace"].

set -u
exec 3>&1 1>&2 # what a task prints is no message

command -v jq >/dev/null || { echo "jq is not installed"; exit 1; }

readonly LINES_KEPT=60

schema=$(jq -c . <<'JSON'
{
  "protocol": "1.0", "transport": "json", "capabilities": [],
  "library": {"name": "tasks", "version": "1.0", "description": "The tasks of the workspace: make and npm"},
  "schema": {
    "functions": [
      {"name": "tasks", "effect": "reads", "params": [], "returns": "List<object>",
       "description": "Returns the targets of the Makefile and the scripts of package.json. Each has `name`, `with` and `does`."},
      {"name": "run", "effect": "writes", "returns": "object",
       "params": [{"name": "name", "type": "string", "description": "The name of a task"}],
       "description": "Runs a task. Returns its exit `code` and the end of its `output`."}
    ],
    "classes": [], "constants": []
  }
}
JSON
)

# Converts JSON to a value of the protocol.
readonly to_wire='def wire:
  if type == "null" then {type: "null"}
  elif type == "boolean" then {type: "bool", value: .}
  elif type == "number" then {type: (if . == floor then "int" else "float" end), value: .}
  elif type == "string" then {type: "string", value: .}
  elif type == "array" then {type: "list", items: map(wire)}
  else {type: "dict", entries: map_values(wire)} end;'

answer() { # id, then the member and its JSON. What has no id wants no answer.
  [ "$1" = null ] || printf '{"jsonrpc":"2.0","id":%s,"%s":%s}\n' "$1" "$2" "${3:-null}" >&3
}

failure() { # id, text
  answer "$1" error "$(jq -cn --arg text "$2" '{code: -32000, message: $text}')"
}

tasks() {
  if [ -f Makefile ]; then
    # A rule that begins a line, is no pattern, no variable and no special target.
    sed -n -E 's/^([A-Za-z0-9][A-Za-z0-9_./-]*)[[:space:]]*:([^=].*)?$/\1/p' Makefile |
      sort -u | jq -cR '{name: ., with: "make", does: ("make " + .)}'
  fi
  if [ -f package.json ]; then
    jq -c '.scripts // {} | to_entries[] | {name: .key, with: "npm", does: (.value | tostring)}' package.json
  fi
}

call() { # id, name, the arguments as a JSON list
  case "$2" in
    tasks) answer "$1" result "$(tasks | jq -cs "$to_wire wire")" ;;
    run)
      local name known program output code
      name=$(jq -r '.[0] // empty | strings' <<<"$3")
      known=$(tasks | jq -rs --arg name "$name" 'map(select(.name == $name)) | first | .with // empty')
      case "$known" in
        make) program=(make --) ;;
        npm) program=(npm run --silent) ;;
        *) failure "$1" "there is no task \"$name\": tasks() lists them"; return ;;
      esac
      output=$("${program[@]}" "$name" 2>&1 </dev/null | tail -n "$LINES_KEPT"; exit "${PIPESTATUS[0]}")
      code=$?
      answer "$1" result "$(jq -cn --arg output "$output" --argjson code "$code" "$to_wire {\$code, \$output} | wire")"
      ;;
    *) failure "$1" "unknown function $2 (available: tasks, run)" ;;
  esac
}

# Returns a whole number as the id of a line has it: jq rounds large ones.
exact_id() { # line, the id as jq has it
  if [[ ${#2} -gt 15 && $1 =~ \"id\"[[:space:]]*:[[:space:]]*(-?[0-9]+) && $(jq -n "${BASH_REMATCH[1]}") = "$2" ]]; then
    echo "${BASH_REMATCH[1]}"
  else
    echo "$2"
  fi
}

while IFS= read -r line; do
  if ! message=$(jq -r '
    [(.id | tojson), (.method // "" | strings), (.params.name // "" | strings),
     ([(.params.args // [])[].value] + [(.params.kwargs.name.value // empty)] | tojson)] | join("\u001f")' \
    <<<"$line"); then
    # No message, or one that jq cannot read, such as values of more than 256 lists.
    if [[ $line =~ \"id\"[[:space:]]*:[[:space:]]*([0-9]+) ]]; then
      failure "${BASH_REMATCH[1]}" "the message cannot be read"
    fi
    continue
  fi
  IFS=$'\x1f' read -r id method name arguments <<<"$message"
  id=$(exact_id "$line" "$id")
  case "$method" in
    scriptling.handshake) answer "$id" result "$schema" ;;
    function.call) call "$id" "$name" "$arguments" ;;
    plugin.shutdown | environment.* | object.destroy) answer "$id" result null ;;
    '') ;;
    *) failure "$id" "unknown method $method" ;;
  esac
done
