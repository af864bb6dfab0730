//! Checks of the table of mutants: ids, places, operators and selectors, and their independence of options and edits elsewhere.

use std::collections::BTreeSet;

use hyperkill_core::mutant::{Mutant, MutantId};
use hyperkill_core::system::Translation;

use super::findings::{Findings, Model};
use crate::mutation::apply;
use crate::source::{LineIndex, SourceFile};

pub(super) fn check(model: &Model<'_>, translation: &Translation, found: &mut Findings) {
    let operators = model.frontend.operators();
    let operators: BTreeSet<&str> = operators.iter().map(|o| o.name.as_str()).collect();
    let mut ids = BTreeSet::new();
    for (mutant, _) in &translation.catalogue {
        let id = &mutant.id;
        found.must(ids.insert(id), || format!("two mutants are called {id}"));
        found.must(operators.contains(mutant.operator.as_str()), || {
            format!(
                "{id} is of the operator `{}`, which is not listed",
                mutant.operator
            )
        });
        place(model, mutant, found);
    }
    let of_system: Vec<&MutantId> = translation.system.selectors.iter().map(|s| &s.id).collect();
    let of_table = translation
        .catalogue
        .iter()
        .filter(|(_, reason)| reason.is_none());
    let of_table: Vec<&MutantId> = of_table.map(|(mutant, _)| &mutant.id).collect();
    found.must(of_system == of_table, || {
        "the selectors are not the mutants without a reason against them, in their order".to_owned()
    });
    let checks = &translation.checks.selectors;
    found.must(
        checks.is_empty() || checks.iter().map(|s| &s.id).eq(of_system),
        || "the checks have other selectors than the system".to_owned(),
    );
    stable(model, translation, found);
}

/// Checks that an id is built from its parts, and that the place has the original text.
fn place(model: &Model<'_>, mutant: &Mutant, found: &mut Findings) {
    let Mutant {
        id,
        operator,
        path,
        place,
        original,
        replacement,
        ..
    } = mutant;
    let derived = MutantId::derive(operator, path, original, replacement);
    found.must(*id == derived, || {
        format!("{id} should be {derived} by its operator, path and texts")
    });
    found.must(original != replacement, || format!("{id} changes nothing"));
    let Some(source) = model.file_of(mutant).map(|file| &model.sources[file]) else {
        found.must(false, || {
            format!("{id} is in `{}`, which is no file of the model", place.file)
        });
        return;
    };
    found.must(apply(&source.text, mutant).is_ok(), || {
        format!(
            "{id}: at bytes {}..{} there is no `{original}`",
            place.start, place.end
        )
    });
    let line_column = LineIndex::new(&source.text).line_column(place.start);
    found.must(line_column == (place.line, place.column), || {
        format!(
            "{id} is at {line_column:?}, not at {}:{}",
            place.line, place.column
        )
    });
}

/// Checks that another run, and an empty line at the end of each source, give the same table, that no operators give none, and that each
/// operator alone gives its part of the table.
fn stable(model: &Model<'_>, translation: &Translation, found: &mut Findings) {
    let table = |of: &Translation| -> Vec<(Mutant, Option<String>)> { of.catalogue.clone() };
    let all = table(translation);
    let again = model.translate().map(|again| table(&again));
    found.must(again.as_ref() == Ok(&all), || {
        "another run makes another table".to_owned()
    });
    let none = model.only(&[]);
    let none = model.with(&none).translate().map(|none| table(&none));
    found.must(none.as_deref() == Ok(&[]), || {
        "there are mutants of no operator".to_owned()
    });
    let used: BTreeSet<&str> = all.iter().map(|(m, _)| m.operator.as_str()).collect();
    for operator in used {
        let options = model.only(&[operator]);
        let alone = model.with(&options).translate().map(|alone| table(&alone));
        let of_all = all.iter().filter(|(m, _)| m.operator == operator);
        let of_all: Vec<_> = of_all.cloned().collect();
        found.must(alone.as_ref() == Ok(&of_all), || {
            format!("`{operator}` alone makes other mutants than among others")
        });
    }
    let longer: Vec<SourceFile> = (model.sources.iter())
        .map(|source| SourceFile {
            text: format!("{}\n", source.text),
            ..source.clone()
        })
        .collect();
    let longer = model
        .frontend
        .translate(&longer, model.options)
        .map(|longer| table(&longer));
    found.must(longer.as_ref() == Ok(&all), || {
        "an empty line at the end changes the table".to_owned()
    });
}
