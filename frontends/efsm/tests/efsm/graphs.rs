//! Machines of EFSM-tools.

use std::path::PathBuf;

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;
use hyperkill_efsm::{MachineFrontend, read_graph};
use hyperkill_frontend::conformance::{self, Subject};
use hyperkill_frontend::mutation::apply;
use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, SourceFile};
use hyperkill_guarded::model::check;

use crate::steps::compare_steps;
use crate::support::{Circuit, everything};

/// A machine that sells, with an event and an output of one name.
const SELLER: &str = "digraph Automaton {
    node [shape = circle];
    0 [style = \"bold\"];
    0 -> 1 [label = \"COIN [x1 & !x2] (OK)\"];
    0 -> 0 [label = \"COIN [!x1 | x2] (NO, BACK)\"];
    1 -> 0 [label = \"TOFFEE [1] (TOFFEE)\"];
    1 -> 1 [label = \"CHOC [1] ()\"];
}
";

/// Returns options with all operators but those of outputs: a graph has the outputs that it makes, so that a mutant alone may have fewer.
fn options() -> FrontendOptions {
    FrontendOptions {
        operators: Some(NamePredicate::new(|name| !["MO", "OUT"].contains(&name))),
        ..everything(true)
    }
}

fn compare(source: &SourceFile) -> usize {
    let options = options();
    let translation = MachineFrontend::EfsmTools.translate(std::slice::from_ref(source), &options);
    let translation = translation.unwrap_or_else(|e| panic!("{e:#?}\n{}", source.text));
    let of_text = |text: &str, variant: Variant, what: &str| {
        let system =
            read_graph(&SourceFile::new("m.gv", text)).unwrap_or_else(|e| panic!("{what}: {e:#?}"));
        let model = check(&system).unwrap_or_else(|e| panic!("{what}: {e:#?}"));
        let circuit = Circuit::new(&translation, variant);
        compare_steps(&model, &circuit, (variant != Variant::Original, true), what)
    };
    let mut compared = of_text(&source.text, Variant::Original, &source.text);
    for (index, (mutant, reason)) in translation.catalogue.iter().enumerate() {
        assert_eq!(*reason, None, "{mutant:?}");
        let text = apply(&source.text, mutant).expect("a place of the text");
        let what = format!("{mutant:?}");
        compared += of_text(&text, Variant::Mutant(SelectorId(index)), &what);
    }
    compared
}

#[test]
fn graphs_and_their_mutants_do_what_the_interpreter_says() {
    let compared = compare(&SourceFile::new("m.gv", SELLER));
    println!("{compared} steps");
    assert!(compared > 100, "{compared}");
}

#[test]
fn graphs_hold_what_every_front_end_must() {
    let subject = Subject {
        frontend: &MachineFrontend::EfsmTools,
        sources: &[SourceFile::new("m.gv", SELLER)],
        options: &options(),
        sample: 40,
        damaged: 100,
    };
    let seen = conformance::check(&subject).unwrap_or_else(|wrong| panic!("{}", wrong.join("\n")));
    assert!(seen.alone > 10 && seen.refused > 5, "{seen:?}");
}

#[test]
fn labels_that_are_none_are_refused_at_their_places() {
    for (from, to, place, message) in [
        (
            "CHOC [1] ()",
            "CHOC",
            "CHOC",
            "an edge without a guard in brackets",
        ),
        (
            "CHOC [1] ()",
            "CHOC [1]",
            "CHOC [1]",
            "an edge without actions in parentheses",
        ),
        (
            "CHOC [1] ()",
            "[1] ()",
            "[1] ()",
            "an edge without an event",
        ),
        (
            "x1 & !x2",
            "x1 & & x2",
            "&",
            "`&` stands where an expression is expected",
        ),
        (
            "style = \"bold\"",
            "shape = circle",
            "",
            "no state is the first one",
        ),
    ] {
        let text = SELLER.replacen(from, to, 1);
        let source = [SourceFile::new("m.gv", text.clone())];
        let errors = MachineFrontend::EfsmTools.translate(&source, &FrontendOptions::default());
        let error = errors.expect_err(to).swap_remove(0);
        let found = error.span.map_or("", |span| span.of(&text));
        assert_eq!((found, error.message.as_str()), (place, message), "{to}");
    }
}

#[test]
fn public_graphs_are_read() {
    let Some(folder) = std::env::var_os("HYPERKILL_MODELS").map(PathBuf::from) else {
        eprintln!("SKIPPED: HYPERKILL_MODELS names no folder of public models");
        return;
    };
    let Ok(files) = std::fs::read_dir(folder.join("efsm_tfsm/EFSM-tools/examples")) else {
        eprintln!("SKIPPED: no machines of EFSM-tools in {}", folder.display());
        return;
    };
    let mut count = 0;
    for file in files {
        let path = file.expect("a readable entry").path();
        if path.extension().is_some_and(|extension| extension == "gv") {
            let text = std::fs::read_to_string(&path).expect("a text");
            println!(
                "{}: {} steps",
                path.display(),
                compare(&SourceFile::new("m.gv", text))
            );
            count += 1;
        }
    }
    println!("{count} graphs");
    assert!(count > 0);
}
