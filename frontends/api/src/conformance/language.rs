//! Checks of a language's description of itself, and of options that mean the same in all languages.

use std::collections::BTreeSet;

use hyperkill_core::system::{InputRole, Translation};

use super::findings::{Findings, Model};
use crate::Frontend;
use crate::options::{FrontendOptions, NamePredicate, RoleOptions};

/// Checks that the names, extensions and operators of a language are well-formed and different.
pub(super) fn check(frontend: &dyn Frontend, found: &mut Findings) {
    let name = frontend.name();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    found.must(!name.is_empty() && name.chars().all(plain), || {
        format!("the name `{name}` is not of small letters, digits and `-`")
    });
    for extension in frontend.extensions() {
        found.must(!extension.is_empty() && !extension.contains('.'), || {
            format!("the extension `{extension}` has a dot, or nothing")
        });
    }
    let mut names = BTreeSet::new();
    for operator in frontend.operators() {
        let name = &operator.name;
        found.must(names.insert(name.clone()), || {
            format!("two operators are called `{name}`")
        });
        let summary = &operator.summary;
        found.must(!summary.is_empty() && !summary.ends_with('.'), || {
            format!("the summary of `{name}` is empty or ends with a full stop")
        });
        found.must(operator.example.contains('⇒'), || {
            format!("the example of `{name}` has no `⇒`")
        });
    }
}

/// Checks that preparing and translating again gives the same, and that options about roles have their effect.
pub(super) fn check_model(model: &Model<'_>, translation: &Translation, found: &mut Findings) {
    let again = model
        .frontend
        .prepare(model.sources.to_vec(), model.options);
    found.must(again.as_deref() == Ok(model.sources), || {
        "what was prepared is not what it is prepared to once more".to_owned()
    });
    let system = &translation.system;
    found.must(!system.outputs.is_empty(), || {
        "nothing is observed".to_owned()
    });
    let mut names = BTreeSet::new();
    for input in &system.inputs {
        let name = &input.name;
        found.must(
            names.insert((name, input.role == InputRole::Choice)),
            || format!("two inputs are called `{name}`"),
        );
    }
    roles(model, translation, found);
    hardware(model, found);
}

fn roles(model: &Model<'_>, translation: &Translation, found: &mut Findings) {
    let mut inputs = translation.system.inputs.iter();
    if let Some(input) = inputs.find(|input| input.role == InputRole::Test) {
        let name = &input.name;
        let options = FrontendOptions {
            roles: RoleOptions {
                choices: Some(NamePredicate::names([name.clone()])),
                inputs: Some(NamePredicate::new(|_| true)),
                ..RoleOptions::default()
            },
            ..model.only(&[])
        };
        let chosen = model.with(&options).translate();
        let is_choice = chosen.as_ref().is_ok_and(|chosen| {
            let mut inputs = chosen.system.inputs.iter();
            inputs.any(|input| input.name == *name && input.role == InputRole::Choice)
        });
        found.must(is_choice, || {
            format!("`{name}` is no choice though --nd names it")
        });
        let note = chosen.is_ok_and(|chosen| {
            let mut notes = chosen.role_notes.iter();
            notes.any(|note| note.contains(&format!("`{name}`")) && note.contains("--nd"))
        });
        found.must(note, || {
            format!("no note says that --nd makes `{name}` a choice")
        });
    }
    if let Some(output) = translation.system.outputs.last() {
        let name = &output.name;
        let options = FrontendOptions {
            roles: RoleOptions {
                outputs: Some(NamePredicate::names([name.clone()])),
                ..RoleOptions::default()
            },
            ..model.only(&[])
        };
        let seen = model.with(&options).translate().map(|seen| {
            let outputs = seen.system.outputs.into_iter();
            outputs.map(|output| output.name).collect::<Vec<_>>()
        });
        found.must(seen.as_deref() == Ok(std::slice::from_ref(name)), || {
            format!("--outputs names `{name}`, and observed are {seen:?}")
        });
    }
}

fn hardware(model: &Model<'_>, found: &mut Findings) {
    let about = model.frontend.is_about_hardware();
    // No bench can drive some designs, which is an error.
    if let Ok(seen) = model.frontend.hardware(model.sources, model.options) {
        found.must(seen.is_some() == about, || {
            format!("is_about_hardware is {about}, but hardware gives {seen:?}")
        });
    }
}
