--- Requests as coroutines: each waits for language servers without keeping Neovim waiting.

local M = {}

--- An error of the protocol, as `error()` raises it.
local codes = {
  invalidRequest = -32602,
  notFound = -32040,
  outsideWorkspace = -32041,
  unavailable = -32042,
  notReady = -32043,
  serverFailed = -32044,
}

--- Fails the running request with an error of the protocol.
function M.fail(kind, message, recovery)
  local data = { kind = kind, message = message, recovery = recovery, retryable = kind == "notReady" }
  error({ code = codes[kind], message = message, data = data }, 0)
end

--- Says that there is no such operation here: whoever asks has another source, and asks that one.
function M.absent(message)
  error({ code = -32601, message = message }, 0)
end

--- Runs a request. `respond(error, result)` is called once, with the error -32800 if the task was cancelled.
function M.run(task, work, respond)
  task.co = coroutine.create(function()
    local ok, result = xpcall(work, function(raised)
      if type(raised) == "table" and raised.code then
        return raised
      end
      local message = "the editor failed: " .. tostring(raised)
      return { code = codes.serverFailed, message = message, data = { kind = "serverFailed", message = message } }
    end)
    if not task.is_cancelled then
      respond(not ok and result or nil, ok and result or nil)
    end
  end)
  task.cancel = function()
    if coroutine.status(task.co) ~= "dead" and not task.is_cancelled then
      task.is_cancelled = true
      if task.stop then
        task.stop()
      end
      respond({ code = -32800, message = "cancelled" })
    end
  end
  assert(coroutine.resume(task.co))
end

--- Suspends the running request until `start(resume)` calls `resume(…)`, and returns what that was called with.
function M.await(start)
  local co = coroutine.running()
  local results
  start(function(...)
    local values = vim.F.pack_len(...)
    vim.schedule(function()
      results = values
      if coroutine.status(co) == "suspended" then
        coroutine.resume(co)
      end
    end)
  end)
  coroutine.yield()
  return vim.F.unpack_len(results)
end

--- Waits until `condition()` holds, at most so many milliseconds. Returns whether it does.
function M.wait_until(milliseconds, condition)
  local deadline = vim.uv.now() + milliseconds
  while not condition() do
    if vim.uv.now() >= deadline then
      return false
    end
    M.await(function(resume)
      vim.defer_fn(resume, 25)
    end)
  end
  return true
end

return M
