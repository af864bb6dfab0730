//! Public SMV models: each model that NuSMV loads is read, printed, read again as the same tree, and translated.
//!
//! The models are in the folder `smv` of the models that [`shared_models`] finds, with results of NuSMV 2.5.4 in `NUSMV_LOAD.tsv`. No
//! model is part of this repository.

use std::path::PathBuf;

use hyperkill_checker::engines::diagrams::{Limits, reachable as reachable_by_diagrams};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::budget::Budget;
use hyperkill_core::paths::looking_ahead;
use hyperkill_core::product::Variant;
use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, RoleOptions, SourceFile};
use hyperkill_smv::ast::{Program, VarKind};
use hyperkill_smv::{SmvFrontend, flat, parser, printer};
use hyperkill_tests::models::shared_models;
use hyperkill_tests::reachable::reachable;

/// NuSMV's results for a model.
struct Public {
    path: String,
    text: String,
    loads: bool,
    /// Whether the model is total and, if not, whether a deadlock is reachable.
    fsm: String,
    states: String,
    diameter: String,
}

/// Returns all models of the table, in its order. `None` if the models are not there, after a notice that `what` is skipped.
fn public_models(what: &str) -> Option<Vec<Public>> {
    let folder: PathBuf = shared_models(what)?.join("smv");
    let table = std::fs::read_to_string(folder.join("NUSMV_LOAD.tsv")).expect("a table");
    let models = table.lines().skip(1).map(|line| {
        let mut columns = line.split('\t');
        let path = columns.next().unwrap_or_default().to_owned();
        let text = std::fs::read_to_string(folder.join(&path)).expect("a model");
        let loads = columns.next() == Some("yes");
        let mut column = || columns.next().unwrap_or_default().to_owned();
        let _error = column();
        Public {
            path,
            text,
            loads,
            fsm: column(),
            states: column(),
            diameter: column(),
        }
    });
    Some(models.collect())
}

/// Returns a tree as text, without its places in the source.
fn shape(program: &Program) -> String {
    let text = format!("{program:?}");
    let mut pieces = text.split("Span { ");
    let mut shape = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        shape += piece.split_once('}').map_or("", |(_, rest)| rest);
    }
    shape
}

#[test]
fn every_public_model_that_nusmv_loads_survives_printing_and_reading() {
    let Some(models) = public_models("printing public SMV models") else {
        return;
    };
    let mut read = 0;
    for model in models.iter().filter(|model| model.loads) {
        let program = match parser::parse(&model.text) {
            Ok(parsed) => parsed.program,
            Err(errors) => panic!("{}: {:?}", model.path, errors[0]),
        };
        let printed = printer::program(&program);
        let again = parser::parse(&printed).unwrap_or_else(|e| panic!("{}: {e:?}", model.path));
        assert_eq!(shape(&again.program), shape(&program), "{}", model.path);
        read += 1;
    }
    assert!(read > 100, "{read}");
}

#[test]
fn public_models_load_if_and_only_if_nusmv_loads_them() {
    let Some(models) = public_models("loading public SMV models") else {
        return;
    };
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        ..FrontendOptions::default()
    };
    let mut wrong = Vec::new();
    for model in &models {
        let source = SourceFile::new(model.path.clone(), model.text.clone());
        let found = SmvFrontend.translate(&[source], &options);
        match (found, model.loads) {
            (Ok(_), true) | (Err(_), false) => {}
            (Ok(_), false) => wrong.push(format!("{}: NuSMV refuses it", model.path)),
            (Err(errors), true) => wrong.push(format!("{}: {:?}", model.path, errors[0])),
        }
    }
    println!("{}", wrong.join("\n"));
    assert!(
        wrong.len() * 20 <= models.len(),
        "{} of {}",
        wrong.len(),
        models.len()
    );
}

/// Returns the circuit of a model with all variables observed, without mutants. `None` if the model is refused.
fn circuit(model: &Public) -> Option<ConditionalMutant> {
    let parsed = parser::parse(&model.text).ok()?;
    let flat = flat::flatten(&parsed.program).ok()?;
    let variables = flat.declarations.iter();
    let variables = variables.filter(|(kind, _)| *kind != VarKind::Input);
    let names = variables.map(|(_, declaration)| declaration.name.text.clone());
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        roles: RoleOptions {
            outputs: Some(NamePredicate::names(names)),
            ..RoleOptions::default()
        },
        ..FrontendOptions::default()
    };
    let source = SourceFile::new(model.path.clone(), model.text.clone());
    let translation = SmvFrontend.translate(&[source], &options).ok()?;
    Some(bit_blast(&looking_ahead(&translation.system)).ok()?.model)
}

/// Returns a row of the table, and whether our results equal those of NuSMV. The row has the path, our and NuSMV's numbers of states and of
/// layers, and both results on deadlocks. `None` if the model is refused or has more than `limit` states.
fn compare_states(model: &Public, limit: usize) -> Option<(String, bool)> {
    let circuit = circuit(model)?;
    let found = reachable(&circuit, limit)?;
    let deadlock = model.fsm.starts_with("deadlock_reachable");
    let same = found.states.to_string() == model.states
        && found.layers.to_string() == model.diameter
        && found.deadlock == deadlock;
    let line = format!(
        "{}\t{}\t{}\t{}\t{}\t{}\t{}",
        model.path,
        found.states,
        model.states,
        found.layers,
        model.diameter,
        found.deadlock,
        model.fsm
    );
    Some((line, same))
}

/// Returns the rows of all models with at most `limit` states, and the rows with differences. `None` if the models are not there.
fn compare_all(limit: usize) -> Option<(Vec<String>, Vec<String>)> {
    let models = public_models("counting the states of public SMV models")?;
    let (mut table, mut wrong) = (Vec::new(), Vec::new());
    for model in models.iter().filter(|model| model.loads) {
        if model.states == "timeout" || model.states.parse().is_ok_and(|n: f64| n > limit as f64) {
            continue;
        }
        if let Some((line, same)) = compare_states(model, limit) {
            if !same {
                wrong.push(line.clone());
            }
            table.push(line);
        }
    }
    Some((table, wrong))
}

#[test]
fn small_public_models_have_the_states_the_diameter_and_the_deadlocks_that_nusmv_counts() {
    if let Some((table, wrong)) = compare_all(1_000) {
        println!("{}", table.join("\n"));
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(table.len() > 60, "{}", table.len());
    }
}

/// States are valuations of the observed variables, here all of them; NuSMV's diameter is the largest depth plus one.
#[test]
#[ignore = "a minute"]
fn diagrams_count_the_states_and_the_diameter_that_nusmv_counts() {
    let Some(models) = public_models("counting states with decision diagrams") else {
        return;
    };
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for model in models
        .iter()
        .filter(|model| model.loads && model.fsm == "total")
    {
        let Ok(expected) = model.states.parse::<f64>() else {
            continue;
        };
        let Some(circuit) = circuit(model).filter(|c| c.aig.latches().len() < 150) else {
            continue;
        };
        let limits = Limits::default();
        let found =
            reachable_by_diagrams(&circuit, Variant::Original, limits, &Budget::unlimited());
        let Ok(found) = found else {
            continue;
        };
        compared += 1;
        // The table has six digits.
        let same = (found.shown - expected).abs() <= expected * 1e-5;
        if !same || (found.shown_steps + 1).to_string() != model.diameter {
            let (shown, steps) = (found.shown, found.shown_steps + 1);
            let said = format!("{expected} in {}", model.diameter);
            wrong.push(format!("{}: {shown} in {steps}, not {said}", model.path));
        }
    }
    println!("{compared} models");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 60, "{compared}");
}

#[test]
#[ignore = "minutes"]
fn public_models_have_the_states_the_diameter_and_the_deadlocks_that_nusmv_counts() {
    if let Some((table, wrong)) = compare_all(30_000) {
        println!("{}", table.join("\n"));
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(table.len() > 80, "{}", table.len());
    }
}
