--- A minimal ACP client: one agent, one session, and a window with what is said.

local connection = require("ide_operations.connection")
local ide = require("ide_operations")

local M = {}

local function read_file(params)
  local content = require("ide_operations.text").text(vim.fs.normalize(params.path))
  if not content then
    return { code = -32002, message = "there is no file " .. params.path }
  end
  if params.line or params.limit then
    local lines = vim.split(content, "\n", { plain = true })
    local first = params.line or 1
    content = table.concat(vim.list_slice(lines, first, params.limit and first + params.limit - 1), "\n")
  end
  return nil, { content = content }
end

local function write_file(params)
  local ok, problem = pcall(require("ide_operations.text").write, vim.fs.normalize(params.path), params.content)
  return not ok and { code = -32603, message = problem } or nil, ok and vim.empty_dict() or nil
end

--- Opens a session in `root` with the agent on two streams. `on` has functions for what happens: `update(params)`,
--- `permission(params, choose)`, `close()`. Returns the client.
function M.connect(input, output, root, on)
  local client = { waiting = {} }
  local opened
  opened = connection.open(input, output, function(method, params, respond, id)
    if vim.startswith(method, "_ide_operations/") then
      ide.answer(method, params, respond, id, opened.notify)
    elseif method == "fs/read_text_file" then
      respond(read_file(params))
    elseif method == "fs/write_text_file" then
      respond(write_file(params))
    elseif method == "session/request_permission" and on.permission then
      on.permission(params, function(option)
        local chosen = option and { outcome = "selected", optionId = option } or { outcome = "cancelled" }
        respond(nil, { outcome = chosen })
      end)
    else
      respond({ code = -32601, message = "this editor has no " .. method })
    end
  end, function(method, params)
    if method == "$/cancel_request" then
      ide.cancel(params.requestId)
    elseif method == "session/update" and on.update then
      on.update(params.update)
    end
  end)
  opened.on_close = on.close or opened.on_close

  --- Sends a prompt, as soon as the session is open; `done(error, result)` gets the end of the turn.
  function client.prompt(words, done)
    if not client.session then
      table.insert(client.waiting, { words, done })
      return
    end
    opened.request("session/prompt", { sessionId = client.session, prompt = { { type = "text", text = words } } }, done)
  end

  local version = vim.version()
  opened.request("initialize", {
    protocolVersion = 1,
    clientCapabilities = {
      fs = { readTextFile = true, writeTextFile = true },
      terminal = false,
      _meta = { ide_operations = ide.capability() },
    },
    clientInfo = { name = "neovim", version = ("%d.%d.%d"):format(version.major, version.minor, version.patch) },
  }, function(failure)
    if failure then
      return vim.notify("the agent refused: " .. failure.message, vim.log.levels.ERROR)
    end
    opened.request("session/new", { cwd = root, mcpServers = {} }, function(refused, result)
      if refused then
        return vim.notify("the agent opened no session: " .. refused.message, vim.log.levels.ERROR)
      end
      client.session = result.sessionId
      ide.open_session(client.session, root)
      for _, prompt in ipairs(client.waiting) do
        client.prompt(prompt[1], prompt[2])
      end
    end)
  end)
  return client
end

--- Starts an agent's command, and shows the talk with it in a window beside the current one. `:Agent PROMPT` prompts.
function M.start(command)
  local input, output = vim.uv.new_pipe(), vim.uv.new_pipe()
  local root = vim.uv.cwd()
  local panel = vim.api.nvim_create_buf(false, true)
  vim.bo[panel].filetype = "markdown"

  local function say(words)
    local last = vim.api.nvim_buf_get_lines(panel, -2, -1, true)[1]
    local lines = vim.split(last .. words, "\n", { plain = true })
    vim.api.nvim_buf_set_lines(panel, -2, -1, true, lines)
    for _, window in ipairs(vim.fn.win_findbuf(panel)) do
      vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(panel), 0 })
    end
  end

  local process, problem = vim.uv.spawn(command[1], {
    args = vim.list_slice(command, 2),
    cwd = root,
    stdio = { output, input, nil },
  }, function() end)
  if not process then
    error(("%s does not start: %s"):format(command[1], problem))
  end
  ide.follow_selection()
  local client = M.connect(input, output, root, {
    update = function(update)
      if update.sessionUpdate == "agent_message_chunk" and update.content.text then
        say(update.content.text)
      end
    end,
    permission = function(params, choose)
      vim.ui.select(params.options, {
        prompt = params.toolCall and params.toolCall.title or "The agent asks",
        format_item = function(option)
          return option.name
        end,
      }, function(option)
        choose(option and option.optionId)
      end)
    end,
    close = function()
      say("\n(the agent has ended)\n")
    end,
  })
  vim.api.nvim_create_user_command("Agent", function(arguments)
    if #vim.fn.win_findbuf(panel) == 0 then
      local window = vim.api.nvim_open_win(panel, false, { split = "right" })
      vim.wo[window].wrap = true
    end
    say("> " .. arguments.args .. "\n\n")
    client.prompt(arguments.args, function(failure)
      say(failure and ("\n(" .. failure.message .. ")\n\n") or "\n\n")
    end)
  end, { nargs = "+", range = true })
  return client
end

return M
