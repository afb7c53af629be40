--- Diagnostics of a file's current text, as its servers give them: when they are asked, or by themselves.

local servers = require("ide_operations.servers")
local task = require("ide_operations.task")
local text = require("ide_operations.text")

local M = {}

--- The time that a server may take to publish diagnostics by itself.
local PATIENCE = 10000

local severities = { "error", "warning", "information", "hint" }

--- The diagnostics that servers published for the current version of a buffer, by buffer and client.
local published = {}

local publish = vim.lsp.handlers["textDocument/publishDiagnostics"]
vim.lsp.handlers["textDocument/publishDiagnostics"] = function(failure, params, context, ...)
  local buffer = params and vim.fn.bufnr(vim.uri_to_fname(params.uri)) or -1
  if buffer > 0 then
    local is_current = not params.version or params.version == vim.lsp.util.buf_versions[buffer]
    published[buffer .. "/" .. context.client_id] = is_current and params.diagnostics or nil
  end
  return publish(failure, params, context, ...)
end

vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "BufReadPost" }, {
  group = vim.api.nvim_create_augroup("ide_operations_diagnostics", {}),
  callback = function(event)
    for key in pairs(published) do
      if vim.startswith(key, event.buf .. "/") then
        published[key] = nil
      end
    end
  end,
})

--- Returns the items of each client by its id, and whether all of them gave theirs for the current text.
function M.items(question, path)
  local buffer, is_ready = servers.ready(question, path)
  local items = {}
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = buffer })) do
    if client:supports_method("textDocument/diagnostic") then
      local params = { textDocument = { uri = vim.uri_from_fname(path) } }
      items[client.id] = (servers.ask(question, client, "textDocument/diagnostic", params, buffer) or {}).items or {}
    else
      local key = buffer .. "/" .. client.id
      task.wait_until(math.min(question.deadlineMs or PATIENCE, PATIENCE), function()
        return published[key] ~= nil
      end)
      items[client.id] = published[key] or {}
      is_ready = is_ready and published[key] ~= nil
    end
  end
  return items, is_ready
end

--- Returns the diagnostics of a file as the protocol has them, and whether every server gave its own.
function M.of_file(question, path)
  local all, is_ready = M.items(question, path)
  local found = {}
  for client, items in pairs(all) do
    local encoding = vim.lsp.get_client_by_id(client).offset_encoding
    for _, item in ipairs(items) do
      local range = text.range(question.root, path, item.range, encoding)
      found[#found + 1] = {
        severity = severities[item.severity or 1],
        message = item.message,
        code = item.code and tostring(item.code) or nil,
        source = item.source,
        path = range.path,
        start = range.start,
        ["end"] = range["end"],
      }
    end
  end
  table.sort(found, function(a, b)
    local x, y = a.start, b.start
    if x.line ~= y.line then
      return x.line < y.line
    end
    return x.column < y.column or (x.column == y.column and a.message < b.message)
  end)
  return found, is_ready
end

return M
