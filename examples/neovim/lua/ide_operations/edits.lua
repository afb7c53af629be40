--- Previews of edits, and applying them. An edit holds the whole texts before and after, so that nothing is written that
--- was not shown.

local diagnostics = require("ide_operations.diagnostics")
local servers = require("ide_operations.servers")
local task = require("ide_operations.task")
local text = require("ide_operations.text")

local M = {}

--- The lines that a preview shows of one file.
local MOST_LINES = 200

--- Returns the changed lines of two texts, and the number of changed places.
local function diff(before, after)
  local old, new = text.lines(before), text.lines(after)
  local said = {}
  local hunks = vim.diff(before, after, { result_type = "indices" })
  for _, hunk in ipairs(hunks) do
    local from, removed, to, added = unpack(hunk)
    said[#said + 1] = "@@ " .. math.max(removed > 0 and from or from + 1, 1)
    for number = from, from + removed - 1 do
      said[#said + 1] = "-" .. (old[number] or "")
    end
    for number = to, to + added - 1 do
      said[#said + 1] = "+" .. (new[number] or "")
    end
  end
  local cut = math.max(#said - MOST_LINES, 0)
  if cut > 0 then
    said = vim.list_slice(said, 1, MOST_LINES)
    said[#said + 1] = ("… and %d more lines"):format(cut)
  end
  return table.concat(said, "\n"), #hunks, cut > 0 and cut or nil
end

--- Returns an edit as answers have it.
local function shown(question, edit)
  local files = {}
  for _, file in ipairs(edit.files) do
    local lines, changes, cut = diff(file.before or "", file.after or "")
    local fate = not file.before and "created" or not file.after and "deleted" or nil
    local path = text.spelled(question.root, file.path)
    files[#files + 1] = { path = path, changes = changes, diff = lines, cut = cut, fate = fate }
  end
  return { id = edit.id, title = edit.title, kind = edit.kind, files = files }
end

--- Keeps an edit of this session under a new id, and returns the result that previews it. Files whose text stays are no
--- part of it.
function M.preview(question, prefix, edit, is_ready)
  edit.files = vim.tbl_filter(function(file)
    return file.before ~= file.after
  end, edit.files)
  table.sort(edit.files, function(a, b)
    return a.path < b.path
  end)
  local session = question.session
  session.next_edit = (session.next_edit or 0) + 1
  edit.id = ("%s-%d"):format(prefix, session.next_edit)
  session.edits[edit.id] = edit
  return { complete = is_ready ~= false, source = "editor", edits = { shown(question, edit) } }
end

--- Returns the files of a `WorkspaceEdit`, with their texts before and after.
function M.files_of(question, workspace_edit, encoding)
  local edits_of = {}
  local function add(uri, edits)
    local path = vim.uri_to_fname(uri)
    if not vim.startswith(path, question.root .. "/") then
      task.fail("outsideWorkspace", ("The edit would change `%s`, outside the workspace."):format(path))
    end
    edits_of[path] = vim.list_extend(edits_of[path] or {}, edits)
  end
  for _, change in ipairs(workspace_edit.documentChanges or {}) do
    if change.kind then
      task.fail("serverFailed", ("This editor makes no edits that %s files."):format(change.kind))
    end
    add(change.textDocument.uri, change.edits)
  end
  for uri, edits in pairs(workspace_edit.documentChanges and {} or workspace_edit.changes or {}) do
    add(uri, edits)
  end
  local files = {}
  for path, edits in pairs(edits_of) do
    local before = text.text(path)
    files[#files + 1] = { path = path, before = before, after = text.edited(before, edits, encoding) }
  end
  return files
end

--- Returns the edits with these ids.
local function known(question)
  return vim.tbl_map(function(id)
    local edit = question.session.edits[id]
    if not edit then
      task.fail("notFound", ("There is no edit `%s`."):format(id), "Preview it again, and use the new id.")
    end
    return edit
  end, question.edits or {})
end

--- Answers `edits`.
function M.again(question)
  local edits = vim.tbl_map(function(edit)
    return shown(question, edit)
  end, known(question))
  return { complete = true, source = "editor", edits = edits }
end

--- Returns the files that edits change, in order of path, each with the text before the first and after the last.
local function texts(edits)
  local files, of_path = {}, {}
  for _, edit in ipairs(edits) do
    for _, file in ipairs(edit.files) do
      local earlier = of_path[file.path]
      if not earlier then
        of_path[file.path] = vim.deepcopy(file)
        files[#files + 1] = of_path[file.path]
      elseif earlier.after == file.before then
        earlier.after = file.after
      else
        task.fail("invalidRequest", ("Two of the edits change `%s`; apply them one by one."):format(file.path))
      end
    end
  end
  table.sort(files, function(a, b)
    return a.path < b.path
  end)
  return files
end

--- Answers `editedTexts`.
function M.texts(question)
  local files = vim.tbl_map(function(file)
    return { path = text.spelled(question.root, file.path), before = file.before, after = file.after }
  end, texts(known(question)))
  return { complete = true, source = "editor", files = files }
end

--- Writes, creates or deletes a file.
local function put(path, new)
  if new then
    vim.fn.mkdir(vim.fs.dirname(path), "p")
    return text.write(path, new)
  end
  local buffer = text.buffer(path)
  if buffer then
    vim.api.nvim_buf_delete(buffer, { force = true })
  end
  assert(vim.uv.fs_unlink(path))
end

--- Answers `apply`: all edits or none.
function M.apply(question)
  local edits = known(question)
  local files = texts(edits)
  for _, file in ipairs(files) do
    if text.text(file.path) ~= file.before then
      local path = text.spelled(question.root, file.path)
      task.fail("invalidRequest", ("`%s` has changed since the edit was previewed."):format(path), "Preview it again.")
    end
  end
  local written = {}
  for _, file in ipairs(files) do
    local ok, problem = pcall(put, file.path, file.after)
    if not ok then
      for _, earlier in ipairs(written) do
        pcall(put, earlier.path, earlier.before)
      end
      task.fail("serverFailed", ("`%s` cannot be written: %s"):format(file.path, problem))
    end
    written[#written + 1] = file
  end
  local changed = vim.tbl_map(function(file)
    local _, changes = diff(file.before or "", file.after or "")
    local fate = not file.before and "created" or not file.after and "deleted" or nil
    return { path = text.spelled(question.root, file.path), changes = changes, fate = fate }
  end, files)
  return { complete = true, source = "editor", files = changed }
end

--- Answers `draft`: new texts of files, as a program computed them.
function M.draft(question)
  local files = {}
  for _, file in ipairs(question.files) do
    if file.to then
      task.fail("invalidRequest", "This editor moves no files.")
    end
    local path = file.before and text.file(question.root, file.path)
      or vim.fs.normalize(vim.fs.joinpath(question.root, file.path))
    if not vim.startswith(path, question.root .. "/") then
      task.fail("outsideWorkspace", ("`%s` lies outside the workspace."):format(file.path))
    end
    if text.text(path) ~= file.before then
      task.fail("invalidRequest", ("`%s` has another text now."):format(file.path), "Read it again.")
    end
    files[#files + 1] = { path = path, before = file.before, after = file.after }
  end
  return M.preview(question, "draft", { title = question.title, files = files })
end

--- Returns the code actions of a range, each with the client that offers it. Some servers offer fixes only for the
--- diagnostics that they are told.
local function actions(question, path, range_of, only)
  local clients, buffer, is_ready = servers.clients(question, path, "textDocument/codeAction")
  local items = diagnostics.items(question, path)
  local found = {}
  for _, client in ipairs(clients) do
    local range = range_of(client.offset_encoding)
    local problems = {}
    for _, item in ipairs(items[client.id] or {}) do
      if item.range.start.line <= range["end"].line and range.start.line <= item.range["end"].line then
        problems[#problems + 1] = item
      end
    end
    local context = { diagnostics = problems, only = only }
    local params = { textDocument = { uri = vim.uri_from_fname(path) }, range = range, context = context }
    for _, action in ipairs(servers.ask(question, client, "textDocument/codeAction", params, buffer) or {}) do
      found[#found + 1] = { action = action, client = client, buffer = buffer }
    end
  end
  return found, is_ready
end

--- Returns the whole range of a file, or that between two points.
local function range_of(path, from, to)
  return function(encoding)
    local last = #text.lines_of(path) + 1
    return {
      start = from and text.position(path, from, encoding) or { line = 0, character = 0 },
      ["end"] = to and text.position(path, to, encoding) or { line = last - 1, character = 0 },
    }
  end
end

--- Answers `codeActions`.
function M.code_actions(question)
  local path = text.file(question.root, question.path)
  local only = question.kind and { question.kind } or nil
  local found, is_ready = actions(question, path, range_of(path, question.start, question["end"]), only)
  local session, said = question.session, {}
  for number, it in ipairs(found) do
    local action = it.action
    session.next_action = (session.next_action or 0) + 1
    local id = ("action-%d"):format(session.next_action)
    local can_be_had = action.edit or it.client:supports_method("codeAction/resolve") and action.data
    session.actions[id] = { path = path, text = text.text(path), found = it }
    said[number] = {
      id = id,
      title = action.title,
      kind = action.kind,
      preferred = action.isPreferred or nil,
      disabled = action.disabled and action.disabled.reason or not can_be_had and "it runs something" or nil,
    }
  end
  return { complete = is_ready, source = "editor", actions = said }
end

--- Returns the files that a code action changes.
local function files_of_action(question, it)
  local action = it.action
  if not action.edit and it.client:supports_method("codeAction/resolve") then
    action = servers.ask(question, it.client, "codeAction/resolve", action, it.buffer) or action
  end
  return M.files_of(question, action.edit or {}, it.client.offset_encoding)
end

--- Answers `takeAction`.
function M.take_action(question)
  local known_action = question.session.actions[question.action]
  if not known_action then
    task.fail("notFound", ("There is no code action `%s`."):format(question.action), "List them again.")
  end
  if text.text(known_action.path) ~= known_action.text then
    task.fail("invalidRequest", "The file has changed since the action was listed.", "List them again.")
  end
  local action = known_action.found.action
  local files = files_of_action(question, known_action.found)
  return M.preview(question, "action", { title = action.title, kind = action.kind, files = files })
end

--- Answers `organizeImports`.
function M.organize_imports(question)
  local path = text.file(question.root, question.path)
  local kind = "source.organizeImports"
  local found, is_ready = actions(question, path, range_of(path), { kind })
  for _, it in ipairs(found) do
    local files = files_of_action(question, it)
    if #files > 0 then
      return M.preview(question, "imports", { title = it.action.title, kind = kind, files = files }, is_ready)
    end
  end
  return M.preview(question, "imports", { title = "Organize imports", kind = kind, files = {} }, is_ready)
end

--- Answers `format`.
function M.format(question)
  local path = text.file(question.root, question.path)
  local is_part = question.start ~= nil
  local method = is_part and "textDocument/rangeFormatting" or "textDocument/formatting"
  local clients, buffer, is_ready = servers.clients(question, path, method)
  local client = clients[1]
  local params = {
    textDocument = { uri = vim.uri_from_fname(path) },
    options = { tabSize = vim.bo[buffer].tabstop, insertSpaces = vim.bo[buffer].expandtab },
    range = is_part and range_of(path, question.start, question["end"])(client.offset_encoding) or nil,
  }
  local changes = servers.ask(question, client, method, params, buffer) or {}
  local before = text.text(path)
  local after = text.edited(before, changes, client.offset_encoding)
  local title = "Format " .. question.path
  local files = { { path = path, before = before, after = after } }
  return M.preview(question, "format", { title = title, files = files }, is_ready)
end

return M
