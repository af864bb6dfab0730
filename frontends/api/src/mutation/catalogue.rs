//! From proposed edits to the mutants of a model: ids, copies, limits and order.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use hyperkill_core::mutant::{Mutant, MutantId};

use crate::diagnostic::Diagnostic;
use crate::source::{LineIndex, SourceFile, Span};

/// Most bytes of text that all mutants may take: where a place is long, so is every mutant of it.
const MOST_TEXT: usize = 1 << 29;
/// Most mutants: each takes two kilobytes from the text to the circuit.
const MOST_MUTANTS: usize = 1_000_000;

/// A change of the source: a stretch of it, and what stands there in the mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The stretch.
    pub span: Span,
    /// What stands there; empty if nothing does.
    pub replacement: String,
}

/// A mutant, and what it means to its language.
#[derive(Clone, Debug)]
pub struct Mutation<M> {
    /// What is published of it.
    pub mutant: Mutant,
    /// What the language makes of it.
    pub meaning: M,
}

/// The mutants found so far.
#[derive(Debug)]
pub struct Catalogue<'a, M> {
    sources: &'a [SourceFile],
    lines: Vec<LineIndex<'a>>,
    found: Vec<(Span, Mutation<M>)>,
    ids: BTreeSet<MutantId>,
    /// Those with the same place and the same hash of operator and replacement.
    alike: BTreeMap<(Span, u64), Vec<usize>>,
    bytes: usize,
    most_text: usize,
    most_mutants: usize,
}

impl<'a, M> Catalogue<'a, M> {
    /// No mutants of these sources.
    #[must_use]
    pub fn new(sources: &'a [SourceFile]) -> Catalogue<'a, M> {
        let lines = sources.iter().map(|source| LineIndex::new(&source.text));
        Catalogue {
            sources,
            lines: lines.collect(),
            found: Vec::new(),
            ids: BTreeSet::new(),
            alike: BTreeMap::new(),
            bytes: 0,
            most_text: MOST_TEXT,
            most_mutants: MOST_MUTANTS,
        }
    }

    /// Adds the mutant that an operator makes by an edit of a place whose structural path is `path`.
    ///
    /// - An edit that changes nothing but spaces around its place is no mutant.
    /// - The same edit by the same operator once more is the same mutant: `again` says what becomes of the meaning it has already and
    ///   of the one it has now.
    /// - Places of the same path with the same text are told apart by `#2`, `#3`, … behind their paths.
    ///
    /// # Errors
    /// If there are more mutants than anybody can keep, or the place is in no source.
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
        let key = (span, hash_of(operator, &replacement));
        let alike = self.alike.entry(key).or_default();
        let same = alike.iter().copied().find(|&index| {
            let there = &self.found[index].1.mutant;
            there.operator == operator && there.replacement == replacement
        });
        if let Some(index) = same {
            again(&mut self.found[index].1.meaning, meaning);
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
        alike.push(self.found.len());
        let mut own_path = path.to_owned();
        let mut id = MutantId::derive(operator, path, original, &replacement);
        let mut count = 1;
        while !self.ids.insert(id.clone()) {
            count += 1;
            own_path = format!("{path}#{count}");
            id = MutantId::derive(operator, &own_path, original, &replacement);
        }
        let mutant = Mutant {
            id,
            operator: operator.to_owned(),
            path: own_path,
            place: lines.place(&source.name, span),
            original: original.to_owned(),
            replacement,
        };
        self.found.push((span, Mutation { mutant, meaning }));
        Ok(())
    }

    /// All of them as they were found.
    #[must_use]
    pub fn in_order_found(self) -> Vec<Mutation<M>> {
        self.found
            .into_iter()
            .map(|(_, mutation)| mutation)
            .collect()
    }

    /// All of them by where they begin; as they were found where several begin at one place.
    #[must_use]
    pub fn in_order_of_places(mut self) -> Vec<Mutation<M>> {
        self.found.sort_by_key(|(span, _)| (span.file, span.start));
        self.in_order_found()
    }
}

fn too_many(span: Span, message: String) -> Diagnostic {
    Diagnostic::error(span, message).with_help("choose some by --operator")
}

fn hash_of(operator: &str, replacement: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (operator, replacement).hash(&mut hasher);
    hasher.finish()
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
