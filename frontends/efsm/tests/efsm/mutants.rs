//! The texts of mutants.

use hyperkill_core::mutant::Mutant;
use hyperkill_efsm::{MachineFrontend, read};
use hyperkill_frontend::mutation::apply;
use hyperkill_frontend::{Frontend, SourceFile};
use hyperkill_guarded::model::check;

use crate::random::machine;
use crate::support::{everything, translated};

fn mutants(source: &SourceFile) -> Vec<Mutant> {
    let catalogue = translated(source, &everything(false)).catalogue.into_iter();
    catalogue.map(|(mutant, _)| mutant).collect()
}

#[test]
fn the_example_of_each_operator_is_one_of_its_mutants() {
    for operator in MachineFrontend::Efsm.operators() {
        let (before, after) = operator.example.split_once(" ⇒ ").expect("an arrow");
        let text = |piece: &str| {
            let transition = match piece.split_whitespace().next() {
                Some("on") => format!("{piece} {{}}"),
                Some("to") => format!("on e {{}} {piece}"),
                _ => format!("on e(v) {{ {piece} }}"),
            };
            format!(
                "location A, B, C;\nvar n: 0..3 = 0;\nvar m: 0..3 = 0;\nvar a: bool = false;\nvar b: bool = false;\n\
                 var c: bool = false;\nevent e(v: 0..3);\noutput ok;\noutput end;\noutput paid(n: 0..3);\n{transition}\n"
            )
        };
        let source = SourceFile::new("m", text(before));
        let all = mutants(&source);
        let texts = all.iter().filter(|mutant| mutant.operator == operator.name);
        let texts: Vec<String> = texts
            .map(|mutant| apply(&source.text, mutant).expect("a place"))
            .collect();
        assert!(
            texts.contains(&text(after)),
            "{}: {}\n{}",
            operator.name,
            operator.example,
            texts.join("\n")
        );
    }
}

#[test]
fn every_mutant_is_a_machine_when_it_is_read_alone() {
    let mut count = 0;
    for seed in 0..40 {
        let source = SourceFile::new("m", machine(seed));
        let translation = translated(&source, &everything(true));
        for (mutant, reason) in &translation.catalogue {
            assert_eq!(*reason, None, "{mutant:?}");
            let text = apply(&source.text, mutant).expect("a place of the text");
            let read = read(&SourceFile::new("m", text.clone()));
            let read = read.unwrap_or_else(|e| panic!("{mutant:?}: {e:#?}\n{text}"));
            // Constants outside of ranges are errors of a text and values that disable for a mutant.
            if let Err(errors) = check(&read.system) {
                let ranges = errors
                    .iter()
                    .all(|error| error.message.contains("cannot be"));
                assert!(ranges, "{mutant:?}: {errors:#?}");
            }
            count += 1;
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn remarks_switch_mutants_off() {
    let text = "event e;\noutput o;\nvar n: 0..3 = 0;\non e if n > 1 { n := 0; } // hyperkill: off\non e else { n := n + 1; emit o; }\n";
    let all = mutants(&SourceFile::new("m", text));
    assert!(!all.is_empty());
    assert!(all.iter().all(|mutant| mutant.place.line == 5), "{all:#?}");
}
