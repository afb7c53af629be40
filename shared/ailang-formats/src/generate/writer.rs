//! Text with indentation.

/// A text that grows line by line.
#[derive(Debug)]
pub(super) struct Writer {
    text: String,
    unit: &'static str,
    depth: usize,
}

impl Writer {
    /// Creates an empty text that is indented by `unit`.
    pub(super) fn new(unit: &'static str) -> Self {
        Self { text: String::new(), unit, depth: 0 }
    }

    /// Adds lines at the current depth.
    pub(super) fn line(&mut self, lines: impl AsRef<str>) {
        for line in lines.as_ref().split('\n') {
            if !line.is_empty() {
                (0..self.depth).for_each(|_| self.text.push_str(self.unit));
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
    }

    /// Adds an empty line.
    pub(super) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Adds a line that opens a block, its content one level deeper, and the line that closes it.
    pub(super) fn block(&mut self, open: impl AsRef<str>, close: &str, content: impl FnOnce(&mut Self)) {
        self.line(open);
        self.depth += 1;
        content(self);
        self.depth -= 1;
        if !close.is_empty() {
            self.line(close);
        }
    }

    /// Returns the text, which ends with one line break.
    pub(super) fn finish(self) -> String {
        format!("{}\n", self.text.trim_end_matches('\n'))
    }
}
