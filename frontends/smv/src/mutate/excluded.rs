//! What comments exclude from mutation.

use hyperkill_frontend::Span;

use crate::lexer::Comment;

/// The places in which nothing is mutated: lines with `-- hyperkill: off` beside code, and from such a comment on a line of its own to
/// `-- hyperkill: on`, or to the end.
pub(super) fn excluded(text: &str, comments: &[Comment]) -> Vec<Span> {
    let mut places = Vec::new();
    let mut open: Option<usize> = None;
    for comment in comments {
        let words: Vec<&str> = comment.text.of(text).split_whitespace().collect();
        let Span { start, end, .. } = comment.text;
        match words.as_slice() {
            ["hyperkill:", "off"] if comment.own_line => {
                open.get_or_insert(start);
            }
            ["hyperkill:", "off"] => {
                let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
                places.push(Span::new(line, end));
            }
            ["hyperkill:", "on"] => places.extend(open.take().map(|open| Span::new(open, end))),
            _ => {}
        }
    }
    places.extend(open.map(|open| Span::new(open, text.len())));
    places
}
