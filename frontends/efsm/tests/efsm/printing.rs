//! Printed text is read as an equivalent machine.

use hyperkill_efsm::{read, text};
use hyperkill_frontend::SourceFile;
use hyperkill_guarded::model::check;

use crate::random::{cases, machine};

fn printed(of: &str) -> String {
    let read = read(&SourceFile::new("m", of));
    let read = read.unwrap_or_else(|errors| panic!("{errors:#?}\n{of}"));
    let model = check(&read.system).unwrap_or_else(|errors| panic!("{errors:#?}\n{of}"));
    text(&model)
}

#[test]
fn random_machines_are_printed_and_read_again() {
    for seed in 0..cases(300) {
        let first = printed(&machine(seed));
        let second = printed(&first);
        assert_eq!(first, second, "seed {seed}:\n{}", machine(seed));
    }
}
