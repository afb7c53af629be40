--- `ide_operations` for Neovim: an ACP client that advertises the extension, and answers it.
---
--- An ACP client of your own needs two things of this module: `capability()` in the `_meta` of its `clientCapabilities`,
--- and `answer()` for requests whose method begins with `_ide_operations/`.

local operations = require("ide_operations.operations")
local task = require("ide_operations.task")

local M = {}

local PREFIX = "_ide_operations/"

--- The names in `operations` that are no operations.
local helpers = { remember_selection = true }

--- The open sessions, by id: their root, and the edits and actions that they were shown.
local sessions = {}

--- The requests under way, by their id.
local tasks = {}

--- Returns the value of the capability `ide_operations`.
function M.capability()
  local names = vim.tbl_filter(function(name)
    return not helpers[name]
  end, vim.tbl_keys(operations))
  table.sort(names)
  return { version = 1, operations = names }
end

--- Takes note of a session, whose working directory is `root`.
function M.open_session(id, root)
  sessions[id] = { root = vim.uv.fs_realpath(root) or root, edits = {}, actions = {} }
end

--- Answers a request. `respond(error, result)` is called once; `notify(method, params)` tells of its progress.
function M.answer(method, params, respond, id, notify)
  local operation = operations[method:sub(#PREFIX + 1)]
  local running = {}
  tasks[id] = running
  task.run(running, function()
    if not operation or helpers[method:sub(#PREFIX + 1)] then
      task.absent("this editor has no " .. method)
    end
    local session = sessions[params.sessionId]
    if not session then
      task.fail("notFound", ("There is no session `%s`."):format(params.sessionId))
    end
    params.session, params.root, params.task = session, session.root, running
    params.on_progress = function(message)
      local progress = { sessionId = params.sessionId, progressToken = params.progressToken, message = message }
      notify(PREFIX .. "progress", progress)
    end
    return operation(params)
  end, function(...)
    tasks[id] = nil
    respond(...)
  end)
end

--- Cancels a request that is under way.
function M.cancel(id)
  if tasks[id] then
    tasks[id].cancel()
  end
end

--- Remembers selections in files from now on, so that they are known while another window has the focus.
function M.follow_selection()
  vim.api.nvim_create_autocmd({ "CursorMoved", "ModeChanged", "BufEnter" }, {
    group = vim.api.nvim_create_augroup("ide_operations_selection", {}),
    callback = operations.remember_selection,
  })
end

return M
