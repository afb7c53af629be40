-- The language server of AiLang documents and Dialect programs. Neovim 0.8 or later; 0.7 needs `start_client` instead.

vim.filetype.add({ extension = { dialect = "dialect" } })

vim.api.nvim_create_autocmd("FileType", {
  pattern = { "markdown", "dialect" },
  callback = function(event)
    local file = vim.api.nvim_buf_get_name(event.buf)
    local folder = vim.fs.dirname(vim.fs.find({ "ailang.json", ".git" }, { upward = true, path = vim.fs.dirname(file) })[1])
    vim.lsp.start({
      name = "ailang",
      cmd = { "ailang", "lsp" },
      root_dir = folder or vim.fs.dirname(file),
    })
  end,
})

-- Shows what an example printed.
vim.lsp.handlers["window/showMessage"] = function(_, message)
  vim.notify(message.message, message.type == 1 and vim.log.levels.ERROR or vim.log.levels.INFO)
end
