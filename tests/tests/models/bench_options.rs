//! A bench that `export` writes from a run folder passes on the design, for all options of the run; no option has to be repeated.
//!
//! Icarus Verilog and yosys are searched on the path; parts that need a missing tool are skipped with a printed notice. `HYPERKILL_CASES`
//! sets the number of random subsets of options, `HYPERKILL_FIRST` the first of them.

use std::fs;
use std::path::Path;

use crate::benches::{hyperkill, killed};
use hyperkill_tests::peers::{Icarus, Yosys};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A design that depends on all options: widths and steps on parameters, a direction on macros, a constant on an included file, and the
/// first state on resets.
const UNIT: &str = "\
module unit #(parameter WIDTH = 2, parameter STEP = 1) (
  input clk, input rst, input clear_n, input en, input [WIDTH-1:0] d,
  output reg [WIDTH-1:0] q, output reg seen, output hit
);
`include \"limit.vh\"
  reg [WIDTH-1:0] held;
`ifdef DOWN
  wire [WIDTH-1:0] next = q - STEP;
`else
  wire [WIDTH-1:0] next = q + STEP;
`endif
`ifndef BONUS
 `define BONUS 0
`endif
  always @(posedge clk)
    if (rst) begin
      q <= 0;
      held <= d;
    end else if (en) begin
      q <= next + held + `BONUS;
      held <= d;
    end
  always @(posedge clk or negedge clear_n)
    if (!clear_n) seen <= 0;
    else if (q == d) seen <= 1;
  assign hit = q == `LIMIT;
endmodule
";

/// The same design below another top module.
const BOARD: &str = "\
module board (input clk, input rst, input clear_n, input en, input d, output [1:0] q, output seen, output hit);
  unit u (.clk(clk), .rst(rst), .clear_n(clear_n), .en(en), .d({d, 1'b1}), .q(q), .seen(seen), .hit(hit));
endmodule
";

fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().expect("a number"))
}

/// Returns a random subset of the options of a run, and those that the simulator needs, too.
fn options(rng: &mut ChaCha8Rng, yosys: bool) -> (Vec<String>, Vec<String>) {
    let mut options: Vec<String> = Vec::new();
    let mut told = Vec::new();
    let mut with = |args: &[&str]| options.extend(args.iter().map(|arg| (*arg).to_owned()));
    let on_board = rng.random_bool(0.2);
    // In a netlist, registers of instances do not have the names that a bench needs.
    let via = yosys && !on_board && rng.random_bool(0.3);
    if !on_board {
        with(&["--top", "unit"]);
        for parameter in ["WIDTH=3", "STEP=2"] {
            if rng.random_bool(0.5) {
                with(&["-P", parameter]);
            }
        }
    }
    for macro_ in ["DOWN", "BONUS=1"] {
        if rng.random_bool(0.4) {
            with(&["-D", macro_]);
            told.push(format!("-D{macro_}"));
        }
    }
    let resets: [&[&str]; 5] = [
        &[],
        &["--reset", "rst"],
        &["--reset", "rst=1:2"],
        &["--reset", "rst", "--reset", "clear_n=0:3"],
        &["--reset", "none"],
    ];
    with(resets.choose(rng).expect("some"));
    if rng.random_bool(0.4) {
        with(&["--zero-init"]);
    }
    if rng.random_bool(0.2) {
        with(&["--one-clock"]);
    }
    if rng.random_bool(0.2) {
        with(&["--nd", "en"]);
    }
    if rng.random_bool(0.3) {
        with(&["--outputs", "q", "--outputs", "hit"]);
    }
    if via {
        with(&["--via", "yosys"]);
    } else if rng.random_bool(0.3) {
        with(&["--assume", "d != 0"]);
    }
    (options, told)
}

#[test]
fn a_bench_from_the_folder_of_a_run_passes_on_the_design_whatever_the_options() {
    let Some(icarus) = Icarus::find("benches with options") else {
        return;
    };
    let yosys = Yosys::find("benches of netlists with options").is_some();
    let (mut tests, mut kills) = (0, 0);
    let first = number("HYPERKILL_FIRST").unwrap_or(0);
    for seed in first..first + number("HYPERKILL_CASES").unwrap_or(12) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (options, told) = options(&mut rng, yosys);
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let text = |name: &str| place(name).to_string_lossy().into_owned();
        fs::create_dir(place("inc")).expect("a folder");
        fs::write(place("inc/limit.vh"), "`define LIMIT 2\n").expect("written");
        fs::write(place("unit.v"), UNIT).expect("written");
        fs::write(place("board.v"), BOARD).expect("written");
        let (unit, board, out, inc) = (text("unit.v"), text("board.v"), text("out"), text("inc"));
        let mut run = vec!["run", &unit, &board, "-o", &out, "-I", &inc];
        run.extend(["--sample", "12", "--timeout", "5s", "--accept", "unknown"]);
        run.extend(options.iter().map(String::as_str));
        println!("seed {seed}: {}", options.join(" "));
        hyperkill(&run);

        let bench = text("bench");
        hyperkill(&["export", &out, "--to", "verilog-testbench", "-o", &bench]);
        let mut flags = vec!["-g2005".to_owned(), format!("-I{inc}")];
        flags.extend(told);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let bench = place("bench/testbench.v");
        let files: [&Path; 3] = [&bench, &place("unit.v"), &place("board.v")];
        let original = icarus.run(&format!("options.{seed}"), &flags, &files);
        let (answer, passed) = original.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(
            passed && !answer.contains("FAIL"),
            "seed {seed}, {}: {answer}",
            options.join(" ")
        );
        tests += answer.matches("PASS").count();
        kills += killed(&place("out")).len();
    }
    println!("{tests} tests that kill {kills} mutants pass on the design");
    assert!(tests > 0 && kills > 0);
}
