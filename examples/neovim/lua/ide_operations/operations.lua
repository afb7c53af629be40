--- The operations that Neovim answers, by their names on the wire: from its language servers, from its buffers, saved or
--- not, and from the user's selection. Those that are not here are answered by Dialect's own fallback.

local diagnostics = require("ide_operations.diagnostics")
local edits = require("ide_operations.edits")
local servers = require("ide_operations.servers")
local symbols = require("ide_operations.symbols")
local task = require("ide_operations.task")
local text = require("ide_operations.text")

local M = {}

--- The links that a hierarchy lists at most.
local MOST_LINKS = 300

local function result(is_ready, fields)
  fields.complete = is_ready
  fields.source = "editor"
  if not is_ready then
    fields.note = "the language servers of the editor are still loading"
  end
  return fields
end

local function name_at(it)
  return it.nameAt
end

--- Asks about a place, and returns the definitions at the locations that the servers answer.
local function definitions_at(question, method, path, at)
  local found = {}
  local is_ready = servers.ask_at(question, path, at, method, nil, function(locations, client)
    for _, location in ipairs(vim.islist(locations) and locations or { locations }) do
      found[#found + 1] = symbols.at_location(question, location, client)
    end
  end)
  return symbols.sorted(found, name_at), is_ready
end

function M.definitions(question)
  local target = question.target
  if not target.at then
    local found, is_ready, nearest = symbols.named(question, target.name)
    return result(is_ready, { definitions = found, nearest = nearest })
  end
  local path = text.file(question.root, target.at.path)
  if not target.name and target.at.column then
    local found, is_ready = definitions_at(question, "textDocument/definition", path, target.at)
    return result(is_ready, { definitions = found })
  end
  local own = target.name and target.name:match("[^.:#]+$")
  local nearest = {}
  local all, is_ready = symbols.of_file(question, path)
  for _, it in ipairs(all) do
    local is_on_line = it.nameAt.start.line == target.at.line or it.definedAt.start.line == target.at.line
    if not own and is_on_line then
      nearest[#nearest + 1] = it
    elseif own == it.name then
      local distance = math.abs(it.nameAt.start.line - target.at.line)
      if not nearest[1] or distance < math.abs(nearest[1].nameAt.start.line - target.at.line) then
        nearest = { it }
      end
    end
  end
  return result(is_ready, { definitions = nearest })
end

--- Returns the operation that asks a method about one symbol, and answers with definitions.
local function navigation(method)
  return function(question)
    local path, at = symbols.point(question, question.target)
    local found, is_ready = definitions_at(question, method, path, at)
    return result(is_ready, { definitions = found })
  end
end

M.declarations = navigation("textDocument/declaration")
M.typeDefinitions = navigation("textDocument/typeDefinition")
M.implementations = navigation("textDocument/implementation")

function M.references(question)
  local path, at = symbols.point(question, question.target)
  local found = {}
  local more = { context = { includeDeclaration = question.includeDeclaration or false } }
  local is_ready = servers.ask_at(question, path, at, "textDocument/references", more, function(locations, client)
    for _, it in ipairs(locations) do
      found[#found + 1] = text.range(question.root, vim.uri_to_fname(it.uri), it.range, client.offset_encoding)
    end
  end)
  return result(is_ready, {
    references = symbols.sorted(found, function(it)
      return it
    end),
  })
end

--- Returns the definition that an item of a hierarchy is.
local function definition(question, item, encoding)
  local path, kind = vim.uri_to_fname(item.uri), vim.lsp.protocol.SymbolKind[item.kind]
  return {
    name = item.name,
    kind = kind:sub(1, 1):lower() .. kind:sub(2),
    definedAt = text.range(question.root, path, item.range, encoding),
    nameAt = text.range(question.root, path, item.selectionRange, encoding),
  }
end

--- Returns the operation for one direction of a hierarchy. `far` is the field of the other side, if a link is more than
--- that side; `is_upstream` says that the other side is the one a link comes from.
local function hierarchy(prepare, method, far, is_upstream)
  return function(question)
    local path, at = symbols.point(question, question.target)
    local links, seen = {}, {}
    local is_ready = servers.ask_at(question, path, at, prepare, nil, function(items, client)
      local encoding, level = client.offset_encoding, items
      for _ = 1, question.depth or 1 do
        local beyond, of_level = {}, {}
        for _, item in ipairs(level) do
          for _, link in ipairs(servers.ask(question, client, method, { item = item }) or {}) do
            local other = far and link[far] or link
            local from, to = is_upstream and other or item, is_upstream and item or other
            local key = vim.inspect({ from.uri, from.selectionRange, to.uri, to.selectionRange })
            if not seen[key] and #links + #of_level < MOST_LINKS then
              seen[key] = true
              local calls = vim.tbl_map(function(range)
                return text.range(question.root, vim.uri_to_fname(from.uri), range, encoding)
              end, link.fromRanges or {})
              of_level[#of_level + 1] = {
                from = definition(question, from, encoding),
                to = definition(question, to, encoding),
                at = #calls > 0 and calls or nil,
              }
              beyond[#beyond + 1] = other
            end
          end
        end
        table.sort(of_level, function(a, b)
          local x, y = (is_upstream and a.from or a.to).nameAt, (is_upstream and b.from or b.to).nameAt
          return x.path < y.path or (x.path == y.path and x.start.line < y.start.line)
        end)
        vim.list_extend(links, of_level)
        level = beyond
      end
    end)
    local answer = result(is_ready, { links = links })
    if #links == MOST_LINKS then
      answer.complete, answer.gap = false, "limit"
      answer.note = ("only the first %d links"):format(MOST_LINKS)
    end
    return answer
  end
end

M.callers = hierarchy("textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls", "from", true)
M.callees = hierarchy("textDocument/prepareCallHierarchy", "callHierarchy/outgoingCalls", "to", false)
M.supertypes = hierarchy("textDocument/prepareTypeHierarchy", "typeHierarchy/supertypes", nil, false)
M.subtypes = hierarchy("textDocument/prepareTypeHierarchy", "typeHierarchy/subtypes", nil, true)

function M.description(question)
  local path, at = symbols.point(question, question.target)
  local signature, docs
  local is_ready = servers.ask_at(question, path, at, "textDocument/hover", nil, function(hover)
    local lines = vim.lsp.util.convert_input_to_markdown_lines(hover.contents)
    local code, prose, in_code = {}, {}, false
    for _, line in ipairs(lines) do
      if vim.startswith(line, "```") then
        in_code = not in_code
      elseif in_code and #prose == 0 then
        code[#code + 1] = line
      elseif not line:match("^%-%-%-+$") and (line ~= "" or #prose > 0) then
        -- Without the marks of Markdown: headings, links, emphasis, escapes.
        line = line:gsub("^#+ ", ""):gsub("%[([^%]]*)%]%([^)]*%)", "%1"):gsub("%*%*(.-)%*%*", "%1"):gsub("\\(%p)", "%1")
        prose[#prose + 1] = line:gsub("&nbsp;", " ")
      end
    end
    if not signature and #code + #prose > 0 then
      local words = #code > 0 and code or { table.remove(prose, 1) }
      signature = table.concat(words, "\n"):gsub("^%([%w ]+%) ", "")
      docs = #prose > 0 and vim.trim(table.concat(prose, "\n")) or nil
    end
  end)
  if not signature then
    task.fail("unavailable", "The language server says nothing about this symbol.")
  end
  return result(is_ready, { signature = signature, docs = docs })
end

function M.outline(question)
  local found, is_ready = symbols.of_file(question, text.file(question.root, question.path))
  return result(is_ready, { definitions = found })
end

function M.symbols(question)
  local below = question.path and text.inside(question.root, question.path)
  below = below and text.spelled(question.root, below)
  local function folded(name)
    return name:lower():gsub("_", "")
  end
  local wanted = folded(question.query:match("[^.:#]*$"))
  local all, is_ready = symbols.of_workspace(question, question.query:match("[^.:#]*$"))
  local found = vim.tbl_filter(function(it)
    local path = it.nameAt.path
    local is_below = not below or path == below or vim.startswith(path, below .. "/")
    return is_below and folded(it.name):find(wanted, 1, true) ~= nil
  end, all)
  return result(is_ready, { total = #found, definitions = vim.list_slice(found, 1, 100) })
end

function M.diagnostics(question)
  local below = question.path and text.inside(question.root, question.path) or question.root
  if vim.fn.isdirectory(below) == 0 then
    local found, is_ready = diagnostics.of_file(question, below)
    return result(is_ready, { files = 1, diagnostics = found })
  end
  local all, files = {}, 0
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local path = vim.api.nvim_buf_get_name(buffer)
    if vim.startswith(path, below .. "/") and #vim.lsp.get_clients({ bufnr = buffer }) > 0 then
      files = files + 1
      vim.list_extend(all, (diagnostics.of_file(question, path)))
    end
  end
  local note = "the editor has checked its open files only"
  return { complete = false, source = "editor", note = note, files = files, diagnostics = all }
end

function M.lines(question)
  local path = text.file(question.root, question.path)
  local all, lines = text.lines_of(path), {}
  if question.first > math.max(#all, 1) then
    task.fail("invalidRequest", ("`%s` has %d lines."):format(question.path, #all))
  end
  for number = question.first, math.min(question.last, #all) do
    lines[#lines + 1] = { line = number, text = all[number] }
  end
  return result(true, { path = text.spelled(question.root, path), lineCount = #all, lines = lines })
end

function M.text(question)
  local path = text.file(question.root, question.path)
  local whole = text.text(path)
  if not whole or not text.is_text(whole) then
    task.fail("invalidRequest", ("`%s` is no text."):format(question.path))
  end
  return result(true, { path = text.spelled(question.root, path), text = whole })
end

--- The last selection in a file, which stays while another window has the focus.
local selected

--- Remembers what the user selects in the current window, if that shows a file.
function M.remember_selection()
  local buffer = vim.api.nvim_get_current_buf()
  if vim.bo[buffer].buftype ~= "" or vim.api.nvim_buf_get_name(buffer) == "" then
    return
  end
  local mode = vim.api.nvim_get_mode().mode
  if mode:sub(1, 1) == "c" then
    return -- the command line ends visual mode, and its command may be for the agent
  end
  local is_visual = mode:match("^[vV\22]") ~= nil
  local from, to = vim.fn.getpos(is_visual and "v" or "."), vim.fn.getpos(".")
  if from[2] > to[2] or (from[2] == to[2] and from[3] > to[3]) then
    from, to = to, from
  end
  selected = { buffer = buffer, from = { from[2], from[3] - 1 }, to = { to[2], to[3] - 1 }, is_empty = not is_visual }
  if mode == "V" then
    selected.from[2], selected.to[2] = 0, math.huge
  end
end

function M.selection(question)
  M.remember_selection()
  local it = selected
  if not it or not vim.api.nvim_buf_is_valid(it.buffer) then
    return result(true, { selections = {} })
  end
  local path = vim.api.nvim_buf_get_name(it.buffer)
  local spelled, is_external = text.spelled(question.root, path)
  local function line(number)
    return vim.api.nvim_buf_get_lines(it.buffer, number - 1, number, false)[1] or ""
  end
  local last = line(it.to[1])
  local to = math.min(it.to[2], #last)
  if not it.is_empty and to < #last then
    to = to + vim.str_utf_end(last, to + 1) + 1 -- the character under the cursor is selected too
  end
  local function point(number, byte)
    return { line = number, column = vim.str_utfindex(line(number), "utf-32", byte, false) + 1 }
  end
  local words = vim.api.nvim_buf_get_text(it.buffer, it.from[1] - 1, it.from[2], it.to[1] - 1, to, {})
  return result(true, {
    selections = {
      {
        path = spelled,
        start = point(it.from[1], it.from[2]),
        ["end"] = point(it.to[1], to),
        text = table.concat(words, "\n"),
        external = is_external or nil,
      },
    },
  })
end

function M.rename(question)
  local path, at = symbols.point(question, question.target)
  local files = {}
  local more = { newName = question.newName }
  local is_ready = servers.ask_at(question, path, at, "textDocument/rename", more, function(edit, client)
    if #files == 0 then
      files = edits.files_of(question, edit, client.offset_encoding)
    end
  end)
  local title = ("Rename `%s` to `%s`"):format(question.target.name or "it", question.newName)
  return edits.preview(question, "rename", { title = title, files = files }, is_ready)
end

M.codeActions = edits.code_actions
M.takeAction = edits.take_action
M.format = edits.format
M.organizeImports = edits.organize_imports
M.draft = edits.draft
M.edits = edits.again
M.editedTexts = edits.texts
M.apply = edits.apply

return M
