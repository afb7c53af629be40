--- Plays the editor for `dialect check-editor`: shows what the check wants to be shown, and speaks ACP on standard input
--- and output.
---
---     dialect check-editor -- nvim --headless --clean -l "$PWD/examples/neovim/check.lua"

local here = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, "S").source:sub(2)))
vim.opt.runtimepath:prepend(here)
vim.o.swapfile = false
vim.o.hidden = true
vim.o.showmode = false
vim.cmd("filetype on")
dofile(here .. "/servers.lua")

local root = vim.uv.cwd()
local file = assert(io.open(assert(os.getenv("DIALECT_CHECK_EDITOR"), "run this with `dialect check-editor`")))
local shown = vim.json.decode(file:read("*a"))
file:close()

for path, text in pairs(shown.unsaved) do
  vim.cmd.edit(root .. "/" .. path)
  vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(text:gsub("\n$", ""), "\n", { plain = true }))
end

local selection = shown.selection
vim.cmd.edit(root .. "/" .. selection.path)
local line = vim.fn.getline(selection.start.line)
local function to_byte(column)
  return vim.str_byteindex(line, "utf-32", column - 1, false)
end
vim.api.nvim_win_set_cursor(0, { selection.start.line, to_byte(selection.start.column) })
vim.cmd("normal! v")
vim.api.nvim_win_set_cursor(0, { selection["end"].line, to_byte(selection["end"].column - 1) })
require("ide_operations.operations").remember_selection()

local input, output = vim.uv.new_pipe(), vim.uv.new_pipe()
input:open(0)
output:open(1)
local is_over = false
require("ide_operations.client").connect(input, output, root, {
  close = function()
    is_over = true
  end,
})
vim.wait(2 ^ 31 - 1, function()
  return is_over
end, 20)
vim.cmd("qall!")
