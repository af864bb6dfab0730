//! Texts inside other texts: the unescaped text, and its bytes in the file.

use hyperkill_frontend::Span;

/// The unescaped text of some parts of a file, with the origin of each byte.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Excerpt {
    /// The text without escapes.
    pub plain: String,
    /// Index of the file among the sources.
    file: usize,
    /// The pieces in their order.
    pieces: Vec<Piece>,
    /// One past the last byte in the file.
    end: usize,
}

/// A piece of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    /// The index of its first byte in the unescaped text.
    plain: usize,
    /// The first byte in the file, and one past the last.
    place: (usize, usize),
    /// Whether the piece is one escaped character.
    is_escape: bool,
}

impl Excerpt {
    /// Returns a text of the first file without escapes.
    #[must_use]
    pub fn as_it_is(source: &str) -> Excerpt {
        Excerpt::of_stretches(source, &[(0, source.len())])
    }

    /// Returns the concatenation of byte ranges of the first source file. The text is taken as it stands: nothing in it is an escape.
    #[must_use]
    pub fn of_stretches(source: &str, stretches: &[(usize, usize)]) -> Excerpt {
        let mut excerpt = Excerpt::empty(0, stretches.last().map_or(source.len(), |(_, end)| *end));
        for (start, end) in stretches {
            let plain = source.get(*start..*end).unwrap_or("");
            excerpt.push(plain, (*start, *end));
        }
        excerpt
    }

    /// Returns an empty excerpt of a file, to which pieces are added. `end` is the byte of the file at which the excerpt ends.
    pub(crate) fn empty(file: usize, end: usize) -> Excerpt {
        Excerpt {
            file,
            end,
            ..Excerpt::default()
        }
    }

    /// Adds a text without escapes that stands in the file between the two bytes of `place`.
    pub(crate) fn push(&mut self, plain: &str, place: (usize, usize)) {
        self.piece(place, false);
        self.plain.push_str(plain);
    }

    /// Adds a character whose escape stands in the file between the two bytes of `place`.
    pub(crate) fn push_escape(&mut self, character: char, place: (usize, usize)) {
        self.piece(place, true);
        self.plain.push(character);
    }

    fn piece(&mut self, place: (usize, usize), is_escape: bool) {
        self.pieces.push(Piece {
            plain: self.plain.len(),
            place,
            is_escape,
        });
    }

    fn piece_at(&self, byte: usize) -> Option<&Piece> {
        let index = self.pieces.partition_point(|piece| piece.plain <= byte);
        self.pieces.get(index.checked_sub(1)?)
    }

    /// Returns the bytes of the file for a range of the text.
    #[must_use]
    pub fn span(&self, start: usize, end: usize) -> Span {
        let inside = start < self.plain.len();
        let from = match self.piece_at(start).filter(|_| inside) {
            None => self.end,
            Some(piece) if piece.is_escape => piece.place.0,
            Some(piece) => piece.place.0 + (start - piece.plain),
        };
        let to = match end.checked_sub(1).and_then(|last| self.piece_at(last)) {
            None => from,
            Some(piece) if piece.is_escape => piece.place.1,
            Some(piece) => (piece.place.0 + (end - piece.plain)).min(piece.place.1),
        };
        Span {
            file: self.file,
            start: from,
            end: to.max(from),
        }
    }
}
