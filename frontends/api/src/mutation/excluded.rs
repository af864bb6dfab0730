//! Comments that switch mutants off.

use crate::source::Span;

/// A comment of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comment {
    /// The place of the text between the marks of the comment.
    pub text: Span,
    /// Whether only white space stands before it on its line.
    pub own_line: bool,
}

/// A comment that switches mutants off or on again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Switch {
    /// The place of the comment.
    pub place: Span,
    /// Whether only white space stands before it on its line.
    pub own_line: bool,
    /// Whether the comment switches mutants off; otherwise it switches them on.
    pub off: bool,
}

impl Comment {
    /// Returns the switch of a comment `hyperkill: off` or `hyperkill: on`; `None` for other comments. `text` is the file.
    fn switch(&self, text: &str) -> Option<Switch> {
        let words: Vec<&str> = self.text.of(text).split_whitespace().collect();
        let off = match words.as_slice() {
            ["hyperkill:", "off"] => true,
            ["hyperkill:", "on"] => false,
            _ => return None,
        };
        Some(Switch {
            place: self.text,
            own_line: self.own_line,
            off,
        })
    }
}

/// Returns the places without mutants, from the comments of a file with this text.
#[must_use]
pub fn excluded(text: &str, comments: &[Comment]) -> Vec<Span> {
    let switches = comments.iter().filter_map(|comment| comment.switch(text));
    switched_off(text, switches)
}

/// Returns the places without mutants: lines with a switch beside code, and the text from a switch on its own line to the next switch that
/// turns mutants on, or to the end. All switches are in the file with this text.
pub fn switched_off(text: &str, switches: impl IntoIterator<Item = Switch>) -> Vec<Span> {
    let mut places = Vec::new();
    let mut open: Option<Span> = None;
    for Switch {
        place,
        own_line,
        off,
    } in switches
    {
        if !off {
            places.extend(open.take().map(|open| open.to(place)));
        } else if own_line {
            open.get_or_insert(place);
        } else {
            let before = text.get(..place.start).unwrap_or("");
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            places.push(Span { start, ..place });
        }
    }
    places.extend(open.map(|open| Span {
        end: text.len(),
        ..open
    }));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_stretches_are_switched_off() {
        let text = "a\nb -- hyperkill: off\nc\n-- hyperkill: off\nd\n-- hyperkill: on\ne\n-- hyperkill:  off \nf";
        let marks: Vec<usize> = text.match_indices("--").map(|(at, _)| at).collect();
        let comment = |at: &usize| {
            let end = text[*at..].find('\n').map_or(text.len(), |end| at + end);
            Comment {
                text: Span::new(at + 2, end),
                own_line: *at == 0 || text[..*at].ends_with('\n'),
            }
        };
        let comments: Vec<Comment> = marks.iter().map(comment).collect();
        let off = excluded(text, &comments);
        let is_off = |letter: &str| {
            let at = text
                .find(&format!("{letter}\n"))
                .or(text.find(&format!("{letter} --")));
            let at = at.unwrap_or(text.len() - 1);
            off.iter().any(|span| span.overlaps(Span::new(at, at + 1)))
        };
        let letters = ["a", "b", "c", "d", "e", "f"];
        assert_eq!(letters.map(is_off), [false, true, false, true, false, true]);
    }
}
