//! The parts of Markdown that matter here: headings and fenced blocks.

use std::ops::Range;

/// A heading or a fenced block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Block<'text> {
    Heading {
        level: usize,
        title: &'text str,
    },
    Fence {
        /// The text behind the opening fence on its line.
        info: &'text str,
        /// The bytes of the content, its last line break included.
        content: Range<usize>,
        /// The bytes of the block, both fences included.
        whole: Range<usize>,
        /// The line of the opening fence, from 1.
        line: usize,
    },
}

/// Returns all blocks, in order. A fence that is never closed ends with the text.
pub(crate) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, Block<'_>)> = None;
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let end = at + line.len();
        match &mut open {
            Some((fence, block)) => {
                let is_closed = line.trim() == *fence;
                extend(block, if is_closed { at } else { end }, end);
                if is_closed {
                    blocks.extend(open.take().map(|(_, block)| block));
                }
            }
            None => match fence_of(line) {
                Some((fence, info)) => {
                    open = Some((
                        fence,
                        Block::Fence { info, content: end..end, whole: at..end, line: number + 1 },
                    ));
                }
                None => blocks.extend(heading(line)),
            },
        }
        at = end;
    }
    blocks.extend(open.map(|(_, block)| block));
    blocks
}

fn extend(block: &mut Block<'_>, content_end: usize, whole_end: usize) {
    if let Block::Fence { content, whole, .. } = block {
        content.end = content_end;
        whole.end = whole_end;
    }
}

/// Returns the backticks that open a fenced block, three or more, and the info string behind them.
fn fence_of(line: &str) -> Option<(&str, &str)> {
    let length = line.len() - line.trim_start_matches('`').len();
    let (fence, info) = line.split_at(length);
    (length >= 3 && !info.contains('`')).then(|| (fence, info.trim()))
}

fn heading(line: &str) -> Option<Block<'_>> {
    let level = line.len() - line.trim_start_matches('#').len();
    let title = line[level..].strip_prefix(' ')?;
    (level > 0).then(|| Block::Heading { level, title: title.trim() })
}
