//! Turns proposed edits into the mutants of a model: ids, duplicates, limits and order.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use hyperkill_core::mutant::{Mutant, MutantId};

use crate::diagnostic::Diagnostic;
use crate::source::{LineIndex, SourceFile, Span};

/// The bytes of text in all mutants, at most. Mutants of a long place have long texts.
const MOST_TEXT: usize = 1 << 29;
/// The number of mutants, at most. Each takes two kilobytes from the text to the circuit.
const MOST_MUTANTS: usize = 1_000_000;

/// A change of the source: a place, and its text in the mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The changed place in the source.
    pub span: Span,
    /// The text at the place in the mutant; empty if the text is deleted.
    pub replacement: String,
}

/// A mutant with its meaning in the language.
#[derive(Clone, Debug)]
pub struct Mutation<M> {
    /// The description of the mutant that reports publish.
    pub mutant: Mutant,
    /// The meaning in the language.
    pub meaning: M,
}

/// A mutant that was found, with links to earlier ones with the same hashes.
#[derive(Debug)]
struct Found<M> {
    file: usize,
    mutation: Mutation<M>,
    /// The last earlier mutant with the same hash of its id.
    same_id: Option<u32>,
    /// The last earlier mutant with the same hash of its edit.
    same_edit: Option<u32>,
}

/// A list in chunks of [`PIECE`] elements: a long list grows without being copied, and is returned without a second copy.
#[derive(Debug)]
struct Pieces<T> {
    full: Vec<Vec<T>>,
    last: Vec<T>,
}

/// The number of elements of a chunk.
const PIECE: usize = 1 << 10;

impl<T> Pieces<T> {
    fn len(&self) -> usize {
        self.full.len() * PIECE + self.last.len()
    }

    fn push(&mut self, element: T) {
        if self.last.len() == PIECE {
            let full = std::mem::replace(&mut self.last, Vec::with_capacity(PIECE));
            self.full.push(full);
        }
        self.last.push(element);
    }

    fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let piece = self.full.get_mut(index / PIECE);
        piece.unwrap_or(&mut self.last).get_mut(index % PIECE)
    }

    fn get(&self, index: usize) -> Option<&T> {
        let piece = self.full.get(index / PIECE);
        piece.unwrap_or(&self.last).get(index % PIECE)
    }

    fn into_vec(self) -> Vec<T> {
        let mut all = Vec::with_capacity(self.len());
        for piece in self.full {
            all.extend(piece);
        }
        all.extend(self.last);
        all
    }
}

/// The index of the last mutant with each hash. Hashes are independent of the process, so that runs do the same work.
type Latest = HashMap<u64, u32, Hashes>;

type Hashes = BuildHasherDefault<DefaultHasher>;

/// The mutants found so far.
#[derive(Debug)]
pub struct Catalogue<'a, M> {
    sources: &'a [SourceFile],
    lines: Vec<LineIndex<'a>>,
    found: Pieces<Found<M>>,
    /// By the hash of an id, the last mutant with it.
    ids: Latest,
    /// The last mutant with this hash of its place, operator and replacement.
    edits: Latest,
    /// By the id of the first mutant of a path, the last number used for the path.
    alike: HashMap<MutantId, usize, Hashes>,
    bytes: usize,
    most_text: usize,
    most_mutants: usize,
}

impl<'a, M> Catalogue<'a, M> {
    /// Returns an empty catalogue for these sources.
    #[must_use]
    pub fn new(sources: &'a [SourceFile]) -> Catalogue<'a, M> {
        let lines = sources.iter().map(|source| LineIndex::new(&source.text));
        Catalogue {
            sources,
            lines: lines.collect(),
            found: Pieces {
                full: Vec::new(),
                last: Vec::new(),
            },
            ids: Latest::default(),
            edits: Latest::default(),
            alike: HashMap::default(),
            bytes: 0,
            most_text: MOST_TEXT,
            most_mutants: MOST_MUTANTS,
        }
    }

    /// Adds the mutant that an operator makes by an edit of a place with the structural path `path`.
    ///
    /// - An edit that changes only spaces around its place is no mutant.
    /// - A repeated edit by the same operator is the same mutant: `again` combines its present meaning with the new one.
    /// - Places with the same path and the same text are distinguished by `#2`, `#3`, … after their paths.
    ///
    /// # Errors
    /// If there are too many mutants, or the place is in no source.
    pub fn add(
        &mut self,
        operator: &str,
        path: &str,
        edit: Edit,
        meaning: M,
        again: impl FnOnce(&mut M, M),
    ) -> Result<(), Diagnostic> {
        let Edit { span, replacement } = edit;
        let (Some(source), Some(lines)) = (self.sources.get(span.file), self.lines.get(span.file))
        else {
            return Err(Diagnostic::error(span, "a mutant is in no source"));
        };
        let original = span.of(&source.text);
        if replacement.trim() == original.trim() {
            return Ok(());
        }
        let edit = hash_of(&(span, operator, &replacement));
        let latest = self.edits.get(&edit).copied();
        let same = self.same_edit(latest, operator, span, &replacement);
        if let Some(found) = same.and_then(|index| self.found.get_mut(index)) {
            again(&mut found.mutation.meaning, meaning);
            return Ok(());
        }
        self.bytes += original.len() + replacement.len();
        if self.bytes > self.most_text {
            let message = format!(
                "the mutants take more than {} bytes of text",
                self.most_text
            );
            return Err(too_many(span, message));
        }
        if self.found.len() == self.most_mutants {
            let message = format!(
                "there are more than {} mutants up to here",
                self.most_mutants
            );
            return Err(too_many(span, message));
        }
        let place = lines.place(&source.name, span);
        let (id, own_path) = self.new_id(operator, path, original, &replacement);
        // The limit on mutants is a million.
        let index = self.found.len() as u32;
        let same_id = self.ids.insert(hash_of(&id), index);
        let same_edit = self.edits.insert(edit, index);
        let mutant = Mutant {
            id,
            operator: operator.to_owned(),
            path: own_path,
            place,
            original: original.to_owned(),
            replacement,
            changes: Vec::new(),
        };
        self.found.push(Found {
            file: span.file,
            mutation: Mutation { mutant, meaning },
            same_id,
            same_edit,
        });
        Ok(())
    }

    /// Returns a new id for a mutant, and the path from which it is derived.
    fn new_id(
        &mut self,
        operator: &str,
        path: &str,
        original: &str,
        replacement: &str,
    ) -> (MutantId, String) {
        let first = MutantId::derive(operator, path, original, replacement);
        if !self.has(&first) {
            return (first, path.to_owned());
        }
        let mut count = self.alike.get(&first).copied().unwrap_or(1);
        loop {
            count += 1;
            let own_path = format!("{path}#{count}");
            let id = MutantId::derive(operator, &own_path, original, replacement);
            if !self.has(&id) {
                self.alike.insert(first, count);
                return (id, own_path);
            }
        }
    }

    /// Whether one of the mutants found so far has this id.
    fn has(&self, id: &MutantId) -> bool {
        let mut at = self.ids.get(&hash_of(id)).copied();
        while let Some(found) = at.and_then(|at| self.found.get(at as usize)) {
            if found.mutation.mutant.id == *id {
                return true;
            }
            at = found.same_id;
        }
        false
    }

    /// Returns the index of the mutant with this operator and edit; `None` if there is none. `latest` is the last mutant added with the
    /// same hash of operator and edit.
    fn same_edit(
        &self,
        latest: Option<u32>,
        operator: &str,
        span: Span,
        replacement: &str,
    ) -> Option<usize> {
        let mut at = latest;
        while let Some(index) = at {
            let found = self.found.get(index as usize)?;
            let there = &found.mutation.mutant;
            let place = (found.file, there.place.start, there.place.end);
            if place == (span.file, span.start, span.end)
                && there.operator == operator
                && there.replacement == replacement
            {
                return Some(index as usize);
            }
            at = found.same_edit;
        }
        None
    }

    /// Returns all mutants in the order in which they were found.
    #[must_use]
    pub fn in_order_found(self) -> Vec<Mutation<M>> {
        let found = self.only_found().into_iter();
        found.map(|found| found.mutation).collect()
    }

    /// Returns all mutants by the beginnings of their places; mutants that begin at the same place are in the order in which they were
    /// found.
    #[must_use]
    pub fn in_order_of_places(self) -> Vec<Mutation<M>> {
        let mut found = self.only_found();
        let place = |found: &Found<M>| (found.file, found.mutation.mutant.place.start);
        if !found.is_sorted_by_key(place) {
            found.sort_by_cached_key(place);
        }
        found.into_iter().map(|found| found.mutation).collect()
    }

    /// Frees the tables, which are large, and returns the mutants.
    fn only_found(self) -> Vec<Found<M>> {
        let Catalogue {
            found,
            lines,
            ids,
            edits,
            ..
        } = self;
        drop((lines, ids, edits));
        found.into_vec()
    }
}

fn too_many(span: Span, message: String) -> Diagnostic {
    Diagnostic::error(span, message).with_help("choose some by --operator")
}

fn hash_of(value: &impl Hash) -> u64 {
    Hashes::default().hash_one(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "x := a + a; y := a + a;";

    fn sources() -> Vec<SourceFile> {
        vec![SourceFile::new("f", TEXT), SourceFile::new("g", TEXT)]
    }

    fn edit(file: usize, start: usize, replacement: &str) -> Edit {
        let span = Span {
            file,
            ..Span::new(start, start + 5)
        };
        Edit {
            span,
            replacement: replacement.to_owned(),
        }
    }

    fn add(catalogue: &mut Catalogue<'_, Vec<u8>>, operator: &str, edit: Edit, meaning: u8) {
        let joined = |there: &mut Vec<u8>, now: Vec<u8>| there.extend(now);
        (catalogue.add(operator, "p", edit, vec![meaning], joined)).unwrap();
    }

    #[test]
    fn the_same_edit_twice_is_one_mutant_that_means_both() {
        let sources = sources();
        let mut catalogue = Catalogue::new(&sources);
        add(&mut catalogue, "MCO", edit(0, 5, "a"), 1);
        add(&mut catalogue, "MCO", edit(0, 5, "a"), 2);
        add(&mut catalogue, "SER", edit(0, 5, "a"), 3);
        let found = catalogue.in_order_found();
        let meanings: Vec<&Vec<u8>> = found.iter().map(|m| &m.meaning).collect();
        assert_eq!(meanings, [&vec![1, 2], &vec![3]]);
    }

    #[test]
    fn places_that_look_alike_are_numbered_and_the_first_keeps_its_id() {
        let sources = sources();
        let mut catalogue = Catalogue::new(&sources);
        add(&mut catalogue, "AOR", edit(0, 17, "a - a"), 1);
        add(&mut catalogue, "AOR", edit(0, 5, "a - a"), 2);
        add(&mut catalogue, "AOR", edit(1, 5, "a - a"), 3);
        let found = catalogue.in_order_of_places();
        let paths: Vec<&str> = found.iter().map(|m| m.mutant.path.as_str()).collect();
        assert_eq!(paths, ["p#2", "p", "p#3"]);
        for found in &found {
            let Mutant { id, path, .. } = &found.mutant;
            assert_eq!(*id, MutantId::derive("AOR", path, "a + a", "a - a"));
        }
    }

    #[test]
    fn long_catalogues_are_ordered_by_places_too() {
        let count = PIECE / 2 + 3;
        let text = "a + a;".repeat(count);
        let sources = [SourceFile::new("f", text)];
        let mut catalogue = Catalogue::new(&sources);
        for index in (0..count).rev() {
            for (meaning, replacement) in ["a - a", "a * a", "a - a"].iter().enumerate() {
                let edit = edit(0, 6 * index, replacement);
                add(&mut catalogue, "AOR", edit, meaning as u8);
            }
        }
        let found = catalogue.in_order_of_places();
        assert_eq!(found.len(), 2 * count);
        for (place, two) in found.chunks(2).enumerate() {
            let meanings: Vec<&[u8]> = two.iter().map(|m| m.meaning.as_slice()).collect();
            assert_eq!(meanings, [&[0, 2][..], &[1]]);
            assert!(two.iter().all(|m| m.mutant.place.start == 6 * place));
        }
        let ids: std::collections::BTreeSet<&MutantId> =
            found.iter().map(|m| &m.mutant.id).collect();
        assert_eq!(ids.len(), 2 * count);
    }

    #[test]
    fn spaces_around_a_place_make_no_mutant() {
        let sources = sources();
        let mut catalogue = Catalogue::new(&sources);
        add(&mut catalogue, "AOR", edit(0, 5, "a + a"), 1);
        add(&mut catalogue, "AOR", edit(0, 5, " a + a "), 2);
        assert!(catalogue.in_order_found().is_empty());
    }

    #[test]
    fn more_mutants_or_text_than_the_limits_are_refused_where_they_begin() {
        let sources = sources();
        let full = |mutants: usize, text: usize| Catalogue::<()> {
            most_mutants: mutants,
            most_text: text,
            ..Catalogue::new(&sources)
        };
        for (mut catalogue, what) in [
            (full(1, 1000), "there are more than 1 mutants up to here"),
            (full(9, 15), "the mutants take more than 15 bytes of text"),
        ] {
            let mut add = |start| {
                let edit = edit(0, start, "a - a");
                catalogue.add("AOR", "p", edit, (), |(), ()| ())
            };
            add(5).unwrap();
            let error = add(17).unwrap_err();
            assert_eq!(error.message, what);
            assert_eq!(error.span.map(|span| span.start), Some(17));
        }
    }

    #[test]
    fn an_edit_of_no_source_is_refused() {
        let sources = sources();
        let mut catalogue = Catalogue::new(&sources);
        let added = catalogue.add("AOR", "p", edit(2, 0, "x"), (), |(), ()| ());
        assert!(added.is_err());
    }
}
