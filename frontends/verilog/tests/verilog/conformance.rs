//! The conformance tests of front ends, on designs of this repository that translate quickly.

use std::fs;
use std::path::Path;

use hyperkill_frontend::conformance::{Seen, Subject, check};
use hyperkill_frontend::{FrontendOptions, SourceFile};
use hyperkill_verilog::VerilogFrontend;

fn seen(path: &str) -> Seen {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/models")
        .join(path);
    let text = fs::read_to_string(&file).expect("a design");
    let subject = Subject {
        frontend: &VerilogFrontend,
        sources: &[SourceFile::new(path, text)],
        options: &FrontendOptions::default(),
        sample: 25,
        damaged: 60,
    };
    check(&subject).unwrap_or_else(|wrong| panic!("{path}:\n{}", wrong.join("\n")))
}

#[test]
fn designs_hold_what_every_front_end_must() {
    let mut alone = 0;
    for path in [
        "verilog/counter/model.v",
        "verilog/arbiter/model.v",
        "verilog-operators/structure.v",
        "verilog-operators/routines.v",
        "verilog-operators/macros.v",
        "verilog-operators/choices.v",
        "verilog-netlists/fifo.v",
    ] {
        let seen = seen(path);
        println!("{path}: {seen:?}");
        assert!(seen.mutants > 0 && seen.refused > 0, "{path}: {seen:?}");
        alone += seen.alone;
    }
    assert!(alone > 80, "{alone}");
}
