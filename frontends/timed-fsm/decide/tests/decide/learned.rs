//! Machines that learners have found in real programs: `HYPERKILL_MODELS/learned/**/*.dot`, as the Automata Wiki has them for TLS, MQTT and
//! Bluetooth. They are run on where they are, and no part of this repository.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::domains::{Checked, Decided};
use hyperkill_core::budget::Budget;
use hyperkill_frontend::decision::{Decision, Recheck};
use hyperkill_frontend::domain::{Aim, Completeness};
use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_timed_fsm::TimedFsmFrontend;
use hyperkill_timed_fsm_decide::TimedDecision;
use hyperkill_timed_fsm_recheck::TimedRecheck;

/// The maximum number of mutants with one fault: machines with more take minutes.
const MOST: usize = 1_500;

fn graphs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut due = vec![folder.to_owned()];
    while let Some(next) = due.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("a file").path();
            match path.extension() {
                _ if path.is_dir() => due.push(path),
                Some(extension) if extension == "dot" => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[test]
fn suites_for_transfer_and_output_faults_of_learned_machines_are_complete() {
    let folder =
        std::env::var_os("HYPERKILL_MODELS").map(|folder| Path::new(&folder).join("learned"));
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else {
        // A closed standard error is ignored.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: learned machines (HYPERKILL_MODELS names no folder with `learned`)"
        );
        return;
    };
    let options = FrontendOptions::default();
    let budget = Budget::unlimited();
    let mut looked = 0;
    for path in graphs(&folder) {
        let name = path.display();
        let text = fs::read_to_string(&path).expect("a text");
        let sources = vec![SourceFile::new("m.dot", text)];
        let Ok(sources) = TimedFsmFrontend.prepare(sources, &options) else {
            println!("{name}: another kind of graph");
            continue;
        };
        let decider = TimedDecision::default().read(&sources, &options);
        let decider = decider.expect("a model");
        if decider.contents().catalogue.len() > MOST {
            println!("{name}: large, left out");
            continue;
        }
        let found = decider
            .complete(Aim::default(), &[], &budget)
            .expect("a domain");
        let Completeness::Complete { proof, classes } = found.completeness else {
            panic!("{name}: {:?}", found.completeness);
        };
        let rechecker = TimedRecheck.read(&sources, &options).expect("a model");
        let checked = rechecker.recheck_complete(&found.tests, &proof, &budget);
        assert_eq!(checked, Ok(classes), "{name}");
        let steps: usize = found.tests.iter().map(Vec::len).sum();
        let size = decider.size().expect("a domain").rounded;
        println!(
            "{name}: {size} mutants, {} tests, {steps} steps",
            found.tests.len()
        );
        looked += 1;
    }
    assert!(looked > 0, "no graph in {} is a machine", folder.display());
}
