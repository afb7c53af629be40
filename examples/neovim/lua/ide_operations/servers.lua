--- Neovim's own LSP clients, as requests ask them.

local task = require("ide_operations.task")
local text = require("ide_operations.text")

local M = {}

--- The servers' work under way, by client and token: they may answer too little meanwhile.
local loading = {}

--- The time after its start in which a server may not have read the whole workspace: some say nothing about that.
local WARM_UP = 10000

--- The time at which each client was first attached.
local attached = {}

local group = vim.api.nvim_create_augroup("ide_operations_servers", {})
vim.api.nvim_create_autocmd("LspProgress", {
  group = group,
  callback = function(event)
    local params = event.data.params
    local key = event.data.client_id .. "/" .. tostring(params.token)
    loading[key] = params.value.kind ~= "end" and (params.value.message or params.value.title or "loading") or nil
  end,
})

vim.api.nvim_create_autocmd("LspAttach", {
  group = group,
  callback = function(event)
    local id = event.data.client_id
    attached[id] = attached[id] or vim.uv.now()
  end,
})

--- Returns whether the servers of a buffer started long enough ago.
local function are_warm(buffer)
  return vim.iter(vim.lsp.get_clients({ bufnr = buffer })):all(function(client)
    return vim.uv.now() - (attached[client.id] or vim.uv.now()) >= WARM_UP
  end)
end

--- Returns the names of the enabled configurations for a kind of file. Neovim 0.11 has no public list of them.
local function enabled(filetype)
  local names = {}
  for name in pairs(vim.lsp._enabled_configs or {}) do
    local config = vim.lsp.config[name]
    if config and vim.tbl_contains(config.filetypes or {}, filetype) then
      names[#names + 1] = name
    end
  end
  return names
end

--- Returns a file of the workspace for which a server is enabled, one that is open if there is one.
function M.any_file(root)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local path = vim.api.nvim_buf_get_name(buffer)
    if vim.startswith(path, root .. "/") and #enabled(vim.bo[buffer].filetype) > 0 then
      return path
    end
  end
  local function has_server(name)
    local filetype = vim.filetype.match({ filename = name })
    return filetype and #enabled(filetype) > 0
  end
  return vim.fs.find(has_server, { path = root, type = "file", limit = 1 })[1]
end

--- Waits until the servers of a file have started and loaded. Returns the buffer, whether they are known to know
--- everything, and whether they loaded in time.
function M.ready(question, path)
  local buffer = text.load(path)
  local wait = question.waitMs or question.deadlineMs or 30000
  local has_started = task.wait_until(wait, function()
    return vim.iter(enabled(vim.bo[buffer].filetype)):all(function(name)
      return #vim.lsp.get_clients({ bufnr = buffer, name = name }) > 0
    end)
  end)
  local said
  local has_loaded = task.wait_until(wait, function()
    local _, work = next(loading)
    if work and work ~= said and question.progressToken then
      said = work
      question.on_progress(work)
    end
    return work == nil
  end)
  local is_ready = has_started and has_loaded
  return buffer, is_ready and are_warm(buffer), is_ready
end

--- Returns the clients of a file that answer a method. Without one the operation counts as absent.
function M.clients(question, path, method)
  local buffer, is_ready, has_loaded = M.ready(question, path)
  local clients = vim.lsp.get_clients({ bufnr = buffer, method = method })
  if #clients == 0 then
    if not has_loaded then
      task.fail("notReady", "The language servers of the editor are still loading.")
    end
    task.absent(("no language server of the editor answers %s for %s"):format(method, vim.fs.basename(path)))
  end
  return clients, buffer, is_ready
end

--- Asks one client.
function M.ask(question, client, method, params, buffer)
  local failure, result = task.await(function(resume)
    local _, id = client:request(method, params, resume, buffer)
    question.task.stop = function()
      if id then
        client:cancel_request(id)
      end
    end
  end)
  if failure then
    task.fail("serverFailed", ("%s: %s"):format(client.name, failure.message or vim.inspect(failure)))
  end
  return result
end

--- Asks every client of a file that answers a method, about a place in it. `each(result, client)` gets the results.
--- Returns whether the servers had loaded.
function M.ask_at(question, path, at, method, more, each)
  local clients, buffer, is_ready = M.clients(question, path, method)
  for _, client in ipairs(clients) do
    local params = vim.tbl_extend("force", {
      textDocument = { uri = vim.uri_from_fname(path) },
      position = at and text.position(path, at, client.offset_encoding),
    }, more or {})
    local result = M.ask(question, client, method, params, buffer)
    if result then
      each(result, client)
    end
  end
  return is_ready
end

return M
