//! Layouts of words: the parts that their bits form, by vectors of vectors and `struct packed`.

use std::sync::Arc;

use crate::ast::Name;

/// The layout of a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bounds of vectors, from outside in.
    pub bounds: Vec<(i64, i64)>,
    /// The parts of a `struct` that the innermost vector consists of; `None` for bits.
    pub parts: Option<Arc<Vec<Part>>>,
    /// Two's complement, as a whole.
    pub signed: bool,
    /// The number of innermost bounds that come from a signed named type; elements of these bounds are signed.
    pub signed_element: Option<usize>,
    /// Dimensions of the array that it is a word of, if it is the type of an array, the outermost first.
    pub array: Vec<(i64, i64)>,
}

/// A part of a `struct` or `union`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its name.
    pub name: Name,
    /// Its lowest bit.
    pub low: u32,
    /// Its own layout.
    pub layout: Layout,
}

impl Layout {
    /// Returns a vector of bits.
    #[must_use]
    pub fn vector(left: i64, right: i64, signed: bool) -> Layout {
        Layout {
            bounds: vec![(left, right)],
            parts: None,
            signed,
            signed_element: None,
            array: Vec::new(),
        }
    }

    /// Returns one bit.
    #[must_use]
    pub fn bit() -> Layout {
        Layout {
            bounds: Vec::new(),
            ..Layout::vector(0, 0, false)
        }
    }

    /// Returns the number of all bits; saturates.
    #[must_use]
    pub fn width(&self) -> u64 {
        let sizes = self
            .bounds
            .iter()
            .map(|(a, b)| a.abs_diff(*b).saturating_add(1));
        sizes.fold(self.base(), u64::saturating_mul)
    }

    /// Returns the number of bits of an element of the innermost vector.
    fn base(&self) -> u64 {
        match &self.parts {
            None => 1,
            // Parts of a `union` share their bits.
            Some(parts) => parts
                .iter()
                .map(|part| u64::from(part.low).saturating_add(part.layout.width()))
                .fold(0, u64::max),
        }
    }

    /// Returns the layout of an element of the outermost vector; without vectors, bits of a `struct` are elements. `None` for a single bit.
    #[must_use]
    pub fn element(&self) -> Option<Layout> {
        match self.bounds.split_first() {
            Some((_, rest)) => Some(Layout {
                bounds: rest.to_vec(),
                parts: self.parts.clone(),
                signed: self.signed_element == Some(rest.len()),
                signed_element: self.signed_element,
                array: Vec::new(),
            }),
            None if self.parts.is_some() => Some(Layout {
                bounds: Vec::new(),
                parts: None,
                signed: false,
                signed_element: None,
                array: Vec::new(),
            }),
            None => None,
        }
    }

    /// Returns the bounds of the outermost vector; without vectors, of the bits of a `struct`. `None` for a single bit.
    #[must_use]
    pub fn outer(&self) -> Option<(i64, i64)> {
        match (self.bounds.first(), &self.parts) {
            (Some(bounds), _) => Some(*bounds),
            (None, Some(_)) => Some((self.base() as i64 - 1, 0)),
            (None, None) => None,
        }
    }

    /// Returns the bounds of all vectors, from outside in; a `struct` counts as a vector of its bits.
    #[must_use]
    pub fn dimensions(&self) -> Vec<(i64, i64)> {
        let mut all = self.bounds.clone();
        if self.parts.is_some() {
            all.push((self.base() as i64 - 1, 0));
        }
        all
    }

    /// Returns a part of a `struct` by its name. `None` if there is no such part, or the layout is a vector.
    #[must_use]
    pub fn part(&self, name: &Name) -> Option<&Part> {
        let parts = self.parts.as_ref().filter(|_| self.bounds.is_empty())?;
        parts.iter().find(|part| part.name == *name)
    }
}
