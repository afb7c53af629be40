-- The language server of AiLang documents and Dialect programs, for Neovim 0.7 to 0.11.
-- `vim.g.ailang_command` is its command, { "ailang", "lsp" } by default.

local function root(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  local manifest = vim.fn.findfile("ailang.json", vim.fn.escape(folder, " ,;") .. ";")
  local repository = vim.fn.finddir(".git", vim.fn.escape(folder, " ,;") .. ";")
  local found = manifest ~= "" and manifest or repository
  return found ~= "" and vim.fn.fnamemodify(found, ":p:h" .. (found == repository and ":h" or "")) or folder
end

local config = {
  name = "ailang",
  handlers = {
    -- What an example printed.
    ["window/showMessage"] = function(_, message)
      vim.notify(message.message, message.type == 1 and vim.log.levels.ERROR or vim.log.levels.INFO)
    end,
  },
}

local clients = {}

local function start(buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  if file == "" or vim.bo[buffer].buftype ~= "" then return end
  local own = vim.tbl_extend("force", config, {
    cmd = vim.g.ailang_command or { "ailang", "lsp" },
    root_dir = root(file),
  })
  if vim.lsp.start then
    vim.lsp.start(own, { bufnr = buffer })
    return
  end
  -- Neovim 0.7 starts a client for each call.
  local client = clients[own.root_dir]
  if not client or vim.lsp.client_is_stopped(client) then
    client = vim.lsp.start_client(own)
    clients[own.root_dir] = client
  end
  if client then vim.lsp.buf_attach_client(buffer, client) end
end

local group = vim.api.nvim_create_augroup("ailang", {})
vim.api.nvim_create_autocmd({ "BufNewFile", "BufRead" }, {
  group = group,
  pattern = "*.dialect",
  callback = function(event) vim.bo[event.buf].filetype = "dialect" end,
})
vim.api.nvim_create_autocmd("FileType", {
  group = group,
  pattern = { "markdown", "dialect" },
  callback = function(event) start(event.buf) end,
})

-- Runs the example whose tag is on the line of the cursor.
vim.api.nvim_create_user_command("AilangRun", function() vim.lsp.codelens.run() end, {})
