//! Test benches of Verilog designs, in Icarus Verilog: they pass on the design and fail on the Verilog file of each of its killed
//! mutants. They also pass on proved equivalent mutants.
//!
//! Icarus is searched on the path; without it the tests pass with a printed notice.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::benches::{hyperkill, killed, with_verdict};
use hyperkill_tests::models;
use hyperkill_tests::peers::Icarus;
use rayon::prelude::*;

/// The results for one design.
#[derive(Default)]
pub(crate) struct Seen {
    /// The number of killed mutants whose files were run.
    pub(crate) told: usize,
    /// The mutants that pass the test in Icarus, since their kills are not definite.
    lucky: Vec<String>,
    /// The number of equivalent mutants whose files were run.
    equivalent: usize,
    /// The equivalent mutants on which the bench fails.
    failing: Vec<String>,
}

/// Designs whose equivalent mutants may fail. In the first design, Icarus does not wait for signals that a task reads in `always @*`. In
/// the second design, a mutant breaks a reset, and the simulation shows x in place of a value.
const MAY_FAIL: [&str; 2] = ["debouncer", "hard"];

/// Runs the bench of a design on the design, which must pass, and on the file of every `stride`-th killed mutant. Returns the results.
pub(crate) fn bench_tells_mutants_from(
    icarus: &Icarus,
    name: &str,
    design: &Path,
    options: &[&str],
    stride: usize,
) -> Seen {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let file = text(design.to_owned());
    let with = |args: &[&str]| {
        let mut all = args.to_vec();
        all.push(&file);
        all.extend(options);
        hyperkill(&all);
    };
    let out = text(place("out"));
    with(&["run", "--timeout", "10s", "-o", &out]);
    let suite = text(place("out/suite.json"));
    let (bench, mutants) = (text(place("bench")), text(place("mutants")));
    let export = ["export", &suite, "--to", "verilog-testbench", "-o", &bench];
    with(&export);
    with(&["list", "--emit", &mutants]);
    let bench = place("bench/testbench.v");

    // The bench itself is plain Verilog.
    let systemverilog = ["assert", "always_ff", "always_comb", "logic "];
    let source = fs::read_to_string(design).expect("a text");
    let words = systemverilog.iter().any(|word| source.contains(word));
    let language = [if words { "-g2012" } else { "-g2005" }];
    let original = icarus.run(name, &language, &[&bench, design]);
    let (answer, passed) = original.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(
        passed && answer.contains("PASS") && !answer.contains("FAIL"),
        "{name}: {answer}"
    );

    let killed = killed(&place("out"));
    assert!(!killed.is_empty(), "{name}: nothing is killed");
    let chosen: Vec<&(String, String)> = killed.iter().step_by(stride).collect();
    let passing: Vec<(&String, bool)> = chosen
        .par_iter()
        .filter_map(|(id, strength)| {
            let file = place(&format!("mutants/{id}.v"));
            let program = format!("{name}.{id}");
            let (answer, passed) = icarus
                .run(&program, &language, &[&bench, &file])
                .unwrap_or_else(|error| panic!("{name}, {id}: {error}"));
            let survives = passed || !answer.contains("FAIL");
            survives.then_some((id, strength == "definite"))
        })
        .collect();
    let certain: Vec<&String> = passing.iter().filter(|p| p.1).map(|p| p.0).collect();
    assert!(certain.is_empty(), "{name}: they pass: {certain:?}");
    let proved = with_verdict(&place("out"), "equivalent");
    let proved: Vec<&String> = proved.iter().step_by(stride).map(|(id, _)| id).collect();
    let failing = proved.par_iter().filter(|id| {
        let file = place(&format!("mutants/{id}.v"));
        let run = icarus.run(&format!("{name}.{id}"), &language, &[&bench, &file]);
        !run.unwrap_or_else(|error| panic!("{name}, {id}: {error}"))
            .1
    });
    let failing: Vec<String> = failing.map(|id| format!("{name}: {id}")).collect();
    assert!(
        failing.is_empty() || MAY_FAIL.contains(&name),
        "they fail: {failing:?}"
    );
    Seen {
        told: chosen.len(),
        lucky: passing.iter().map(|p| format!("{name}: {}", p.0)).collect(),
        equivalent: proved.len(),
        failing,
    }
}

/// Runs the benches of the designs with names that satisfy `kept`. Returns a description of the results; empty without Icarus.
fn benches_tell_mutants_from_designs(stride: usize, kept: impl Fn(&str) -> bool) -> String {
    let Some(icarus) = Icarus::find("test benches of Verilog designs") else {
        return String::new();
    };
    let mut report = String::new();
    let entries = fs::read_dir(models::folder().join("verilog")).expect("the models are there");
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .collect();
    folders.sort();
    let (mut designs, mut told, mut lucky) = (0, 0, Vec::new());
    let (mut equivalent, mut failing) = (0, Vec::new());
    for folder in &folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if !kept(&name) {
            continue;
        }
        let start = Instant::now();
        let design = folder.join("model.v");
        let reset = models::verilog_reset(&name).map(|reset| ["--reset", reset]);
        let options = reset.as_ref().map_or(&[][..], |reset| &reset[..]);
        let seen = bench_tells_mutants_from(&icarus, &name, &design, options, stride);
        report += &format!(
            "{name}: {} killed mutants fail their bench, {} may pass it and do, {:.1} s\n",
            seen.told - seen.lucky.len(),
            seen.lucky.len(),
            start.elapsed().as_secs_f64()
        );
        designs += 1;
        told += seen.told;
        lucky.extend(seen.lucky);
        equivalent += seen.equivalent;
        failing.extend(seen.failing);
    }
    report += &format!("{designs} designs, {told} killed mutants, lucky: {lucky:?}");
    report += &format!("; {equivalent} equivalent ones, of which fail: {failing:?}");
    assert!(designs >= 20, "only {designs} designs");
    assert!(lucky.is_empty(), "they pass: {lucky:?}");
    report
}

/// The designs whose mutants take long to decide.
const SLOW: [&str; 4] = ["fifo", "i2c-master", "sha1-round", "stack"];

#[test]
fn benches_pass_on_designs_and_fail_on_some_of_their_killed_mutants() {
    println!(
        "{}",
        benches_tell_mutants_from_designs(12, |name| !SLOW.contains(&name))
    );
}

#[test]
#[ignore = "takes minutes"]
fn benches_pass_on_designs_and_fail_on_all_of_their_killed_mutants() {
    println!("{}", benches_tell_mutants_from_designs(1, |_| true));
}

/// A design with difficulties for a bench: a parameter, an input that is a choice, and two resets of different lengths. Registers without
/// a reset are in arrays, blocks and instances, with bounds of their own.
const HARD: &str = "
module store #(parameter W = 2) (input clk, input we, input at, input [W-1:0] in, output [W-1:0] out);
  reg [W-1:0] cells [5:4];
  assign out = cells[{2'b10, at}];
  always @(posedge clk) if (we) cells[{2'b10, at}] <= in;
endmodule
module hard #(parameter W = 3) (
  input clk, input rst_n, input clear, input we, input at, input [W-1:0] in,
  input noise, // hyperkill: nd
  output [W-1:0] out, output reg [0:1] turns, output seen
);
  reg [1:2] kept;
  store #(.W(W)) inner (.clk(clk), .we(we), .at(at), .in(in), .out(out));
  genvar i;
  generate for (i = 0; i < 1; i = i + 1) begin : lane
    reg last;
    always @(posedge clk) if (we) last <= in[i];
  end endgenerate
  always @(posedge clk or negedge rst_n)
    if (!rst_n) turns <= 2'd0;
    else if (clear) turns <= 2'd2;
    else turns <= turns + 2'd1;
  always @(posedge clk) if (clear) kept[1] <= 1'd1; else kept <= {kept[2], kept[1]};
  assign seen = kept[1] ^ lane[0].last ^ (noise & kept[2]);
endmodule
";

#[test]
fn benches_set_parameters_choices_and_registers_that_no_reset_reaches() {
    let Some(icarus) = Icarus::find("test benches of designs that choose") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let design = folder.path().join("hard.v");
    fs::write(&design, HARD).expect("a file");
    let options = ["-P", "W=1", "--reset", "clear=1:3", "--top", "hard"];
    let seen = bench_tells_mutants_from(&icarus, "hard", &design, &options, 1);
    println!("{} mutants, lucky: {:?}", seen.told, seen.lucky);
    assert!(seen.told > 20, "only {} are killed", seen.told);
    assert!(seen.lucky.is_empty(), "they pass: {:?}", seen.lucky);
}

/// A slave that `handshake` allows, which becomes ready on its own. `DONE` is its answer at the end.
const SLAVE: &str = "
module handshake (input clk, input rst_n, input request, input ready, output reg busy, output reg done);
  integer seed;
  reg chance;
  initial if (!$value$plusargs(\"seed=%d\", seed)) seed = 0;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) {busy, done} <= 2'b00;
    else begin
      chance = $random(seed);
      done <= 1'b0;
      if (!busy) busy <= request;
      else if (chance) {busy, done} <= `DONE;
    end
endmodule
";

#[test]
fn a_bench_follows_a_system_that_chooses_for_itself_and_fails_only_one_that_does_not_conform() {
    let Some(icarus) = Icarus::find("benches of systems that choose") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let text = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let design = models::folder().join("verilog/handshake/model.v");
    let design = design.to_string_lossy().into_owned();
    for kind in ["tree", "global"] {
        let (out, bench) = (text("out"), text("bench"));
        hyperkill(&["run", &design, "--tests", kind, "-o", &out]);
        hyperkill(&["export", &out, "--to", "verilog-testbench", "-o", &bench]);
        let bench = folder.path().join("bench/testbench.v");
        let (mut failed, mut passed) = (0, 0);
        for (done, conforms) in [("2'b01", true), ("2'b00", false)] {
            let source = SLAVE.replace("`DONE", done);
            let slave = folder.path().join("slave.v");
            for seed in 0..20 {
                let source = source.replace("seed = 0", &format!("seed = {seed}"));
                fs::write(&slave, source).expect("a file");
                let run = icarus.run("slave", &["-g2005"], &[&bench, &slave]);
                let (answer, ended_well) = run.unwrap_or_else(|error| panic!("{error}"));
                let fails = answer.contains("FAIL");
                assert!(!(conforms && fails), "{kind}, seed {seed}: {answer}");
                assert!(
                    !answer.contains("INCONCLUSIVE"),
                    "{kind}, seed {seed}: {answer}"
                );
                failed += usize::from(fails);
                passed += usize::from(conforms && ended_well);
            }
        }
        assert_eq!(passed, 20, "{kind}");
        assert!(failed > 0, "{kind}: the bug is not found");
    }
}
