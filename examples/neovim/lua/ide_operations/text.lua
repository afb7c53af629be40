--- Texts of files as Neovim shows them, and places in them. Lines and columns of the protocol count from 1, columns in
--- Unicode scalar values; those of language servers count from 0, in the units of the server.

local task = require("ide_operations.task")

local M = {}

--- Returns the loaded buffer of a file; nil if there is none.
function M.buffer(path)
  local buffer = vim.fn.bufnr("^" .. vim.fn.escape(path, "*?[]{}\\,^$") .. "$")
  return buffer > 0 and vim.api.nvim_buf_is_loaded(buffer) and buffer or nil
end

--- Loads a file into a hidden buffer, so that language servers know its text. Returns the buffer.
function M.load(path)
  local buffer = M.buffer(path)
  if not buffer then
    buffer = vim.fn.bufadd(path)
    vim.cmd(("silent noswapfile call bufload(%d)"):format(buffer))
  end
  if vim.bo[buffer].filetype == "" then
    vim.bo[buffer].filetype = vim.filetype.match({ buf = buffer }) or ""
  end
  return buffer
end

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then
    file:close()
  end
  return text and text:gsub("^\239\187\191", "")
end

local breaks = { dos = "\r\n", mac = "\r", unix = "\n" }

--- Returns the text of a file: that of its buffer, saved or not, or the bytes on disk; nil if there is none.
function M.text(path)
  local buffer = M.buffer(path)
  if not buffer then
    return read(path)
  end
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  if #lines == 1 and lines[1] == "" and (not vim.bo[buffer].eol or vim.fn.getfsize(path) == 0) then
    return ""
  end
  local line_break = breaks[vim.bo[buffer].fileformat]
  return table.concat(lines, line_break) .. (vim.bo[buffer].eol and line_break or "")
end

--- What no text in UTF-8 has: NUL, bytes that never occur, a lead without a tail, a tail without a lead.
local no_text = { "%z", "[\192\193\245-\255]", "[\194-\244][^\128-\191]", "[\194-\244]$", "[\1-\127][\128-\191]", "^[\128-\191]" }

--- Returns whether bytes are text, in UTF-8.
function M.is_text(bytes)
  for _, pattern in ipairs(no_text) do
    if bytes:find(pattern) then
      return false
    end
  end
  return true
end

--- Returns the lines of a text, without their line breaks.
function M.lines(text)
  local lines = vim.split(text:gsub("\r\n", "\n"):gsub("\r", "\n"), "\n", { plain = true })
  if lines[#lines] == "" then
    lines[#lines] = nil
  end
  return lines
end

--- Returns the lines of a file.
function M.lines_of(path)
  return M.lines(M.text(path) or "")
end

--- Returns the absolute path of a file that a question names, and checks that it lies in the root.
function M.inside(root, path)
  local absolute = vim.fs.normalize(path:sub(1, 1) == "/" and path or root .. "/" .. path)
  -- A file that was never saved is there too.
  local real = vim.uv.fs_realpath(absolute) or (M.buffer(absolute) and absolute)
  if not real then
    task.fail("notFound", ("There is no file `%s`."):format(path), "List the files, or search for the name.")
  end
  if real ~= root and not vim.startswith(real, root .. "/") then
    task.fail("outsideWorkspace", ("`%s` lies outside the workspace."):format(path))
  end
  return real
end

--- As `inside`, of a file with a text.
function M.file(root, path)
  local absolute = M.inside(root, path)
  if vim.fn.isdirectory(absolute) == 1 then
    task.fail("invalidRequest", ("`%s` is a folder."):format(path))
  end
  return absolute
end

--- Returns a path as answers spell it, and whether it lies outside the root.
function M.spelled(root, path)
  if vim.startswith(path, root .. "/") then
    return path:sub(#root + 2), false
  end
  return path, true
end

--- Returns the point of a position in a line.
local function point(lines, position, encoding)
  local line = lines[position.line + 1] or ""
  local byte = vim.str_byteindex(line, encoding, position.character, false)
  return { line = position.line + 1, column = vim.str_utfindex(line, "utf-32", byte, false) + 1 }
end

--- Returns a range of the protocol for one of a language server.
function M.range(root, path, range, encoding)
  local lines = M.lines_of(path)
  local spelled, is_external = M.spelled(root, path)
  local line = lines[range.start.line + 1]
  return {
    path = spelled,
    start = point(lines, range.start, encoding),
    ["end"] = point(lines, range["end"], encoding),
    text = line and vim.trim(line) or nil,
    external = is_external or nil,
  }
end

--- Returns the language server's position of a point.
function M.position(path, at, encoding)
  local line = M.lines_of(path)[at.line] or ""
  local byte = vim.str_byteindex(line, "utf-32", (at.column or 1) - 1, false)
  return { line = at.line - 1, character = vim.str_utfindex(line, encoding, byte, false) }
end

--- Returns the text with edits of a language server.
function M.edited(text, edits, encoding)
  local starts, lines = { 1 }, {}
  for at in text:gmatch("()\n") do
    starts[#starts + 1] = at + 1
  end
  for number, start in ipairs(starts) do
    lines[number] = text:sub(start, (starts[number + 1] or #text + 2) - 2):gsub("\r$", "")
  end
  local function offset(position)
    if position.line >= #starts then
      return #text
    end
    local line = lines[position.line + 1]
    return starts[position.line + 1] - 1 + vim.str_byteindex(line, encoding, position.character, false)
  end
  local changes = {}
  for order, edit in ipairs(edits) do
    local from, to = offset(edit.range.start), offset(edit.range["end"])
    changes[order] = { from = from, to = to, text = edit.newText, order = order }
  end
  table.sort(changes, function(a, b)
    return a.from > b.from or (a.from == b.from and a.order > b.order)
  end)
  for _, change in ipairs(changes) do
    text = text:sub(1, change.from) .. change.text .. text:sub(change.to + 1)
  end
  return text
end

--- Gives a file a new text: in its buffer, and on disk unless the buffer had changes that the user has not saved.
function M.write(path, text)
  local buffer = M.buffer(path)
  if not buffer then
    local file = assert(io.open(path, "wb"))
    assert(file:write(text))
    return file:close()
  end
  local was_modified = vim.bo[buffer].modified
  local old, new = vim.api.nvim_buf_get_lines(buffer, 0, -1, true), M.lines(text)
  local hunks = vim.diff(table.concat(old, "\n") .. "\n", table.concat(new, "\n") .. "\n", { result_type = "indices" })
  for at = #hunks, 1, -1 do
    local from, count, to, added = unpack(hunks[at])
    local first = count == 0 and from or from - 1
    vim.api.nvim_buf_set_lines(buffer, first, first + count, true, vim.list_slice(new, to, to + added - 1))
  end
  if not was_modified then
    vim.api.nvim_buf_call(buffer, function()
      local fixes = vim.bo.fixendofline
      vim.bo.fixendofline = false
      vim.cmd("silent keepalt write")
      vim.bo.fixendofline = fixes
    end)
  end
end

return M
