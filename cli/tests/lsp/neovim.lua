-- Works on main.md through the server, and writes to result.json what came of it.
local result = {}
local patience = 60000

local function finish()
  local file = io.open("result.json", "w")
  file:write(vim.json.encode(result))
  file:close()
  vim.cmd("qall!")
end

local function step()
  local buffer = vim.fn.bufnr("main.md")
  vim.api.nvim_set_current_buf(buffer)
  local client = vim.lsp.start_client({
    name = "ailang",
    cmd = { os.getenv("AILANG"), "lsp" },
    root_dir = vim.fn.getcwd(),
    get_language_id = function() return "ailang" end,
  })
  vim.lsp.buf_attach_client(buffer, client)
  local server = vim.lsp.get_client_by_id(client)
  local function ask(method, params)
    local answer = server.request_sync(method, params, patience, buffer)
    assert(answer, method .. " was not answered")
    return answer.result, answer.err
  end
  local function line_with(text)
    for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
      local column = line:find(text, 1, true)
      if column then return number, column - 1, line end
    end
    error("no line has " .. text)
  end
  local function at(text, offset)
    local number, column = line_with(text)
    local document = { uri = vim.uri_from_bufnr(buffer) }
    return { textDocument = document, position = { line = number - 1, character = column + (offset or 0) } }
  end

  local function count() return #vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR }) end
  assert(vim.wait(patience, function() return count() > 0 end, 20), "no diagnostics came")
  result.diagnostic = vim.diagnostic.get(buffer)[1].message

  local params = at("Adress")
  params.range = { start = params.position, ["end"] = params.position }
  params.context = { diagnostics = {} }
  local actions = ask("textDocument/codeAction", params)
  result.action = actions[1].title
  vim.lsp.util.apply_workspace_edit(actions[1].edit, server.offset_encoding)
  local _, _, fixed = line_with("tool send")
  result.fixed = fixed
  assert(vim.wait(patience, function() return count() == 0 end, 20), "the mistake stayed")
  result.clean = count()

  local items = ask("textDocument/completion", at("to: Address", 5))
  result.completion = vim.tbl_map(function(item) return item.label end, items)
  result.hover = ask("textDocument/hover", at("to: Address", 5)).contents.value

  params = at("to: Address", 5)
  params.newName = "Mailbox"
  vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", params), server.offset_encoding)
  _, _, result.renamed = line_with("tool send")
  vim.cmd("wall")
  for line in io.lines("types.md") do
    if line:find("type Mailbox", 1, true) then result.elsewhere = line end
  end

  local lens = ask("textDocument/codeLens", { textDocument = { uri = vim.uri_from_bufnr(buffer) } })[1]
  local ran, refused = ask("workspace/executeCommand", lens.command)
  result.example = ran and ran.output or refused.message
end

vim.schedule(function()
  local worked, problem = pcall(step)
  if not worked then result.problem = tostring(problem) end
  finish()
end)
