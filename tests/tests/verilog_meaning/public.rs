//! Public Verilog designs: the circuits of our front end and of yosys are proved equal, design by design.
//!
//! `tests/bench/public_verilog.tsv` names the designs: repository, name, top module, files. They are in the folder `verilog` of the
//! models that [`shared_models`] finds. No design is part of this repository.

use std::time::{Duration, Instant};

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::budget::{Budget, Clock};
use hyperkill_core::system::InputRole;
use hyperkill_tests::miter::{proved_equal_within, unmatched_outputs, with_inputs_at_zero};
use hyperkill_tests::models::shared_models;
use hyperkill_tests::peers::Yosys;
use hyperkill_tests::verilog::Design;

struct SinceStart(Instant);

impl Clock for SinceStart {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The name of a design with an untrue `full_case` attribute: if a case has no matching branch, the readers may differ.
const PROMISED: &str = "picorv32";

/// Returns all designs of the table whose files exist, with their names. `None` if the folder of models does not exist, after a notice that
/// `what` is skipped.
fn designs(what: &str) -> Option<Vec<(String, Design)>> {
    let folder = shared_models(what)?.join("verilog");
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/bench/public_verilog.tsv");
    let table = std::fs::read_to_string(table).expect("a table");
    let mut found = Vec::new();
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [_, name, top, files] = columns[..] else {
            panic!("a row of four columns: {row}");
        };
        let design = Design {
            files: files.split(' ').map(|file| folder.join(file)).collect(),
            top: Some(top).filter(|top| !top.is_empty()).map(str::to_owned),
        };
        if design.files.iter().all(|file| file.is_file()) {
            found.push((name.to_owned(), design));
        }
    }
    Some(found)
}

#[test]
#[ignore = "needs the designs, and an hour"]
fn public_designs_are_proved_equal_to_what_yosys_reads() {
    let what = "public Verilog beside yosys";
    let (Some(yosys), Some(designs)) = (Yosys::find(what), designs(what)) else {
        return;
    };
    let mut wrong = Vec::new();
    let (mut equal, mut undecided) = (0, 0);
    for (name, design) in &designs {
        let Ok(found) = design.ours() else {
            continue;
        };
        let choices = found.system.inputs.iter();
        let choices = choices
            .filter(|input| input.role == InputRole::Choice)
            .count();
        let outputs: Vec<String> = (found.system.outputs.iter())
            .map(|output| output.name.clone())
            .collect();
        let ours = bit_blast(&found.system).expect("a circuit").model.aig;
        // Choices are inputs of our circuit; yosys sets them to 0.
        let ours = with_inputs_at_zero(&ours, |name| name.starts_with("nd:"));
        let theirs = match design.theirs(&yosys, &outputs) {
            Ok(theirs) => theirs,
            Err(error) => {
                println!("{name}: yosys makes no circuit: {error}");
                continue;
            }
        };
        let clock = std::sync::Arc::new(SinceStart(Instant::now()));
        let budget = Budget::new(clock, std::sync::Arc::default());
        let budget = budget.within(Some(Duration::from_secs(60)));
        let answer = match unmatched_outputs(&ours, &theirs) {
            Some(what) => Err(what),
            None => proved_equal_within(&ours, &theirs, &budget),
        };
        match &answer {
            Ok(()) => equal += 1,
            Err(what) if what.starts_with("unknown") => undecided += 1,
            Err(_) if name == PROMISED => {}
            Err(_) => wrong.push(name.clone()),
        }
        let answer = answer.err().unwrap_or_else(|| "equal".to_owned());
        println!("{name}\t{choices} choices\t{answer}");
    }
    println!(
        "{equal} proved equal, {undecided} undecided, {} differ",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{wrong:?}");
}
