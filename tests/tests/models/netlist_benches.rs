//! Exported test benches in Icarus Verilog pass on their design and fail on its killed mutants.
//!
//! yosys reads the designs. Both tools are searched on the path; without them the tests pass with a printed notice.

use std::path::{Path, PathBuf};

use crate::benches::{hyperkill, killed};
use hyperkill_tests::peers::{Icarus, Yosys};
use rayon::prelude::*;

/// The designs, each with its options and the least number of its mutants.
const DESIGNS: [(&str, &[&str], usize); 6] = [
    ("counter", &[], 100),
    ("fifo", &["--reset", "rst", "--zero-init"], 100),
    ("alu", &[], 100),
    ("serial", &["--top", "serial"], 100),
    ("gray", &["--zero-init"], 20),
    ("arbiter", &["--reset", "rst=1:2"], 50),
];

/// Checks that every `stride`-th killed mutant of each design fails its bench, and that the designs pass.
fn benches_tell_mutants_from_designs(stride: usize) {
    let (Some(yosys), Some(icarus)) = (Yosys::find("test benches"), Icarus::find("test benches"))
    else {
        return;
    };
    let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("models/verilog-netlists");
    for (name, options, least) in DESIGNS {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let design = text(models.join(format!("{name}.v")));
        let with = |args: &[&str]| {
            let model = [design.as_str(), "--via", "yosys"];
            let all: Vec<&str> = args.iter().chain(&model).chain(options).copied().collect();
            hyperkill(&all);
        };
        with(&["run", "-o", &text(place("out"))]);
        let suite = text(place("out/suite.json"));
        with(&[
            "export",
            &suite,
            "--to",
            "verilog-testbench",
            "-o",
            &text(place("bench")),
        ]);
        with(&["list", "--emit", &text(place("mutants"))]);
        let bench = place("bench/testbench.v");

        let original = icarus.run(name, &[], &[&bench, Path::new(&design)]);
        let (answer, passed) = original.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            passed && answer.contains("PASS") && !answer.contains("FAIL"),
            "{name}: {answer}"
        );

        let killed = killed(&place("out"));
        assert!(
            killed.len() >= least,
            "{name}: only {} are killed",
            killed.len()
        );
        let ids = killed.iter().map(|(id, _)| id);
        let chosen: Vec<&String> = ids.step_by(stride).collect();
        let mut script = String::new();
        for id in &chosen {
            let file = text(place(&format!("mutants/{id}")));
            script +=
                &format!("read_json {file}.json; write_verilog -noattr {file}.v; design -reset; ");
        }
        yosys
            .make(&[], &script, &[])
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let survivors = chosen.par_iter().filter_map(|id| {
            let file = place(&format!("mutants/{id}.v"));
            let options = ["-DHYPERKILL_NO_DEPOSITS"];
            let program = format!("{name}.{id}");
            let (answer, passed) = icarus
                .run(&program, &options, &[&bench, &file])
                .unwrap_or_else(|error| panic!("{name}, {id}: {error}"));
            (passed || !answer.contains("FAIL")).then(|| format!("{id}: {answer}"))
        });
        let survivors: Vec<String> = survivors.collect();
        assert!(survivors.is_empty(), "{name}: {}", survivors.join("\n"));
    }
}

#[test]
fn benches_pass_on_designs_and_fail_on_some_of_their_killed_mutants() {
    benches_tell_mutants_from_designs(9);
}

#[test]
#[ignore = "takes minutes"]
fn benches_pass_on_designs_and_fail_on_all_of_their_killed_mutants() {
    benches_tell_mutants_from_designs(1);
}
