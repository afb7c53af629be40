--- Definitions of files and of the workspace, as the protocol has them.

local servers = require("ide_operations.servers")
local task = require("ide_operations.task")
local text = require("ide_operations.text")

local M = {}

--- Returns the word of the protocol for a kind of symbol.
local function kind_of(number)
  local name = vim.lsp.protocol.SymbolKind[number] or "Variable"
  return name:sub(1, 1):lower() .. name:sub(2)
end

local holds_locals = { ["function"] = true, method = true, constructor = true }
local are_locals = { variable = true, constant = true }

--- Returns the definitions in a file, each before those inside of it, with `at` in the server's own units. Local
--- variables of functions are left out.
function M.of_file(question, path)
  local found, is_ready = {}, nil
  local method = "textDocument/documentSymbol"
  local first = true
  is_ready = servers.ask_at(question, path, nil, method, nil, function(symbols, client)
    if not first then
      return -- one outline is enough
    end
    first = false
    local encoding = client.offset_encoding
    local function add(list, container, is_in_function)
      table.sort(list, function(a, b)
        local x, y = (a.range or a.location.range).start, (b.range or b.location.range).start
        return x.line < y.line or (x.line == y.line and x.character < y.character)
      end)
      for _, it in ipairs(list) do
        local kind = kind_of(it.kind)
        if not (is_in_function and are_locals[kind]) then
          local name_at = it.selectionRange or it.location.range
          found[#found + 1] = {
            name = it.name,
            kind = kind,
            definedAt = text.range(question.root, path, it.range or it.location.range, encoding),
            nameAt = text.range(question.root, path, name_at, encoding),
            container = container or it.containerName,
          }
          add(it.children or {}, it.name, holds_locals[kind])
        end
      end
    end
    add(symbols, nil, false)
  end)
  return found, is_ready
end

local function is_before(a, b)
  if a.path ~= b.path then
    return a.path < b.path
  end
  if a.start.line ~= b.start.line then
    return a.start.line < b.start.line
  end
  return a.start.column < b.start.column
end

--- Sorts ranges by path and place, each once. `range(item)` is that of an item.
function M.sorted(items, range)
  table.sort(items, function(a, b)
    return is_before(range(a), range(b))
  end)
  local unique = {}
  for _, item in ipairs(items) do
    local last = unique[#unique]
    if not last or is_before(range(last), range(item)) then
      unique[#unique + 1] = item
    end
  end
  return unique
end

--- Returns the definition at a location of a language server: the symbol whose name is there, or else a variable.
function M.at_location(question, location, client)
  local path = vim.uri_to_fname(location.targetUri or location.uri)
  local range = location.targetSelectionRange or location.range
  local place = text.range(question.root, path, range, client.offset_encoding)
  for _, it in ipairs(M.of_file(question, path)) do
    local name = it.nameAt
    if name.start.line == place.start.line and name.start.column == place.start.column then
      return it
    end
  end
  local line = text.lines_of(path)[place.start.line] or ""
  local from = vim.str_byteindex(line, "utf-32", place.start.column - 1, false)
  local to = vim.str_byteindex(line, "utf-32", place["end"].column - 1, false)
  local name = place.start.line == place["end"].line and line:sub(from + 1, to) or vim.fs.basename(path)
  return { name = name, kind = "variable", definedAt = place, nameAt = place }
end

--- Returns the name without its containers, and the innermost container.
local function parts(name)
  local container, own = name:match("^(.-)[.:#]+([^.:#]+)$")
  return own or name, container and container:match("[^.:#]+$")
end

--- Returns the symbols of the workspace that a query of the servers finds.
function M.of_workspace(question, query)
  local path = servers.any_file(question.root)
  if not path then
    task.absent("no language server of the editor is for a file of the workspace")
  end
  local _, _, is_ready = servers.clients(question, path, "workspace/symbol")
  local found = {}
  for _, client in ipairs(vim.lsp.get_clients({ method = "workspace/symbol" })) do
    for _, it in ipairs(servers.ask(question, client, "workspace/symbol", { query = query }) or {}) do
      local path = vim.uri_to_fname(it.location.uri)
      if vim.startswith(path, question.root .. "/") and vim.uv.fs_stat(path) then
        -- The outline knows where the name stands, and has no imported names and no local variables.
        for _, definition in ipairs(M.of_file(question, path)) do
          local line = it.location.range and it.location.range.start.line + 1
          local from, to = definition.definedAt.start.line, definition.definedAt["end"].line
          if definition.name == it.name and (not line or (from <= line and line <= to)) then
            found[#found + 1] = definition
          end
        end
      end
    end
  end
  local unique = M.sorted(found, function(it)
    return it.nameAt
  end)
  return unique, is_ready
end

--- Returns the symbols of exactly that name, possibly qualified, and similar names if there are none.
function M.named(question, name)
  local own, container = parts(name)
  local similar, is_ready = M.of_workspace(question, own)
  local exact = vim.tbl_filter(function(it)
    return it.name == own and (not container or it.container == container)
  end, similar)
  local nearest = {}
  for _, it in ipairs(#exact == 0 and similar or {}) do
    if not vim.tbl_contains(nearest, it.name) and #nearest < 5 then
      nearest[#nearest + 1] = it.name
    end
  end
  return exact, is_ready, nearest
end

--- Returns whether a name stands at a place.
local function stands_at(path, at, name)
  local line = text.lines_of(path)[at.line]
  if not line or not at.column then
    return false
  end
  local from = vim.str_byteindex(line, "utf-32", at.column - 1, false)
  local rest = line:sub(from + 1)
  return vim.startswith(rest, name) and not rest:sub(#name + 1):match("^[%w_]")
end

--- Returns the file and the point of the one symbol that a target names: its name there, or else the nearest definition
--- of that name in the file.
function M.point(question, target)
  if not target or not target.at then
    task.fail("invalidRequest", "The target needs a place.")
  end
  local path = text.file(question.root, target.at.path)
  local name = target.name and parts(target.name)
  if not name or stands_at(path, target.at, name) then
    return path, target.at
  end
  local nearest
  for _, it in ipairs(M.of_file(question, path)) do
    local distance = math.abs(it.nameAt.start.line - target.at.line)
    if it.name == name and (not nearest or distance < nearest.distance) then
      nearest = { distance = distance, at = it.nameAt.start }
    end
  end
  if not nearest then
    task.fail("notFound", ("`%s` defines no `%s`."):format(target.at.path, target.name))
  end
  return path, nearest.at
end

return M
