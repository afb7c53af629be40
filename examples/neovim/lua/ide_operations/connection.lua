--- JSON-RPC as lines of JSON: one connection, over two libuv streams.

local M = {}

--- Speaks over two streams. `on_request(method, params, respond, id)` and `on_notification(method, params)` are called
--- on Neovim's main loop. Returns the connection.
function M.open(input, output, on_request, on_notification)
  local connection = { next_id = 1, waiting = {}, on_close = function() end }

  local function send(message)
    message.jsonrpc = "2.0"
    output:write(vim.json.encode(message) .. "\n")
  end

  --- Sends a request; `done(error, result)` gets its answer.
  function connection.request(method, params, done)
    local id = connection.next_id
    connection.next_id = id + 1
    connection.waiting[id] = done
    send({ id = id, method = method, params = params })
  end

  function connection.notify(method, params)
    send({ method = method, params = params })
  end

  local function handle(line)
    local is_json, message = pcall(vim.json.decode, line, { luanil = { object = true, array = true } })
    if not is_json or type(message) ~= "table" then
      return
    end
    if message.method and message.id ~= nil then
      on_request(message.method, message.params or {}, function(error, result)
        send(error and { id = message.id, error = error } or { id = message.id, result = result })
      end, message.id)
    elseif message.method then
      on_notification(message.method, message.params or {})
    elseif connection.waiting[message.id] then
      local done = connection.waiting[message.id]
      connection.waiting[message.id] = nil
      done(message.error, message.result)
    end
  end

  local unread = ""
  input:read_start(function(_, chunk)
    if not chunk then
      return vim.schedule(connection.on_close)
    end
    local lines = vim.split(unread .. chunk, "\n", { plain = true })
    unread = table.remove(lines)
    vim.schedule(function()
      for _, line in ipairs(lines) do
        handle(line)
      end
    end)
  end)
  return connection
end

return M
