-- Works on main.md and ask.dialect through the server, and writes to result.json what came of it. The configuration is
-- the one that users load.
local version = vim.version()
local result = { notices = {}, version = version.major .. "." .. version.minor }
local patience = 60000

-- Newer versions show no messages beside the text unless they are told to.
vim.diagnostic.config({ virtual_text = true })

vim.notify = function(text) table.insert(result.notices, text) end

local function finish()
  local file = io.open("result.json", "w")
  file:write(vim.json.encode(result))
  file:close()
  vim.cmd("qall!")
end

local function wait(reason, condition)
  assert(vim.wait(patience, condition, 20), reason)
end

local buffer, server

-- Opens a file as a user does, and waits for the client.
local function edit(name)
  vim.cmd("edit " .. name)
  buffer = vim.api.nvim_get_current_buf()
  local function client()
    for _, it in pairs(vim.lsp.buf_get_clients(buffer)) do server = it end
    return server
  end
  wait("no client for " .. name, client)
end

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

local function diagnostics() return vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR }) end

local function count() return #diagnostics() end

-- Makes the first quick fix at a place.
local function fix(text)
  local params = at(text)
  params.range = { start = params.position, ["end"] = params.position }
  params.context = { diagnostics = {} }
  local action = ask("textDocument/codeAction", params)[1]
  vim.lsp.util.apply_workspace_edit(action.edit, server.offset_encoding)
  return action.title
end

local function labels(params)
  return vim.tbl_map(function(item) return item.label end, ask("textDocument/completion", params))
end

local function hover(params) return ask("textDocument/hover", params).contents.value end

-- The screen, without blanks at the ends of lines.
local function screen()
  vim.cmd("redraw!")
  local rows = {}
  for row = 1, vim.o.lines - 2 do
    local cells = {}
    for column = 1, vim.o.columns do table.insert(cells, vim.fn.screenstring(row, column)) end
    table.insert(rows, (table.concat(cells):gsub("%s+$", "")))
  end
  return table.concat(rows, "\n")
end

-- The screen with that line at the top, once it shows the mistake and the lens.
local function screen_from(line)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  vim.cmd("normal! zt")
  wait("the screen shows no lens: " .. screen(), function()
    local shown = screen()
    return shown:find("Run example", 1, true) and shown:find("■", 1, true)
  end)
  return screen()
end

local function lenses()
  vim.lsp.codelens.refresh()
  wait("no code lens", function() return #vim.lsp.codelens.get(buffer) > 0 end)
end

local function document()
  edit("main.md")
  wait("no diagnostics came", function() return count() > 0 end)
  result.diagnostic = diagnostics()[1].message
  lenses()
  result.screen = screen_from(9)

  result.action = fix("Adress")
  local _, _, fixed = line_with("tool send")
  result.fixed = fixed
  wait("the mistake stayed", function() return count() == 0 end)

  result.completion = labels(at("to: Address", 5))
  result.hover = hover(at("to: Address", 5))
  local params = at("to: Address", 5)
  params.newName = "Mailbox"
  vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", params), server.offset_encoding)
  _, _, result.renamed = line_with("tool send")
  vim.cmd("wall")
  for line in io.lines("types.md") do
    if line:find("type Mailbox", 1, true) then result.elsewhere = line end
  end

  -- Runs an example as a user does: on its line.
  lenses()
  vim.api.nvim_win_set_cursor(0, { (line_with("<example")), 0 })
  vim.cmd("AilangRun")
  -- Between the edits of the rename the documents did not fit.
  wait("the example did not fail", function()
    local found = diagnostics()
    return #found == 1 and found[1].source == "ailang run"
  end)
  result.example = diagnostics()[1].message
  result.exampleLine = diagnostics()[1].lnum + 1
  result.screenOfExample = screen_from(9)
end

local function program()
  edit("ask.dialect")
  wait("no diagnostics came", function() return count() > 0 end)
  result.program = { diagnostic = diagnostics()[1].message, filetype = vim.bo.filetype }
  result.program.action = fix("findReferencs")
  wait("the mistake stayed", function() return count() == 0 end)
  _, _, result.program.fixed = line_with("User")
  result.program.completion = labels(at("found.", 6))
  result.program.hover = hover(at("findReferences"))
  local edits = ask("textDocument/formatting", { textDocument = { uri = vim.uri_from_bufnr(buffer) }, options = { tabSize = 2, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(edits, buffer, server.offset_encoding)
  result.program.formatted = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
end

vim.schedule(function()
  local worked, problem = xpcall(function()
    document()
    server = nil
    program()
  end, debug.traceback)
  if not worked then result.problem = problem end
  finish()
end)
