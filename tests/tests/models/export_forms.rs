//! Exported suites other than benches, each read by an independent reader. Icarus reads assertions, Python reads cocotb tests with a
//! stand-in for cocotb, an AIGER evaluator in this file reads stimuli, and `score` reads tables.
//!
//! Parts that need a missing tool are skipped with a printed notice.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hyperkill_tests::models;
use hyperkill_tests::peers::{Icarus, skipped};

use crate::benches::{hyperkill, killed, with_verdict};

/// Runs a nondeterministic design and exports its tests in the form `to`. Returns the path of the design, and the folder of the exported
/// tests.
fn exported(folder: &Path, to: &str) -> (PathBuf, PathBuf) {
    let design = models::folder().join("verilog/handshake/model.v");
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let (out, forms) = (text(folder.join("out")), text(folder.join(to)));
    let file = text(design.clone());
    hyperkill(&["run", &file, "-o", &out]);
    hyperkill(&["export", &out, "--to", to, "-o", &forms]);
    (design, folder.join(to))
}

/// Random inputs with occasional resets, observed by both modules of assertions.
const RANDOM: &str = "
module random;
  reg clk = 0, rst_n = 1, request = 0, ready = 0;
  wire busy, done;
  integer i, seed = 1;
  handshake dut (clk, rst_n, request, ready, busy, done);
  hyperkill_t_001 first (clk, rst_n, request, ready, busy, done);
  hyperkill_t_002 second (clk, rst_n, request, ready, busy, done);
  always #5 clk = ~clk;
  initial begin
    for (i = 0; i < 2000; i = i + 1) begin
      @(negedge clk);
      rst_n = $random(seed) % 8 != 0;
      request = rst_n && $random(seed) % 2;
      ready = rst_n && $random(seed) % 2;
    end
    $finish;
  end
endmodule
";

#[test]
fn assertions_hold_of_the_design_and_fail_of_its_killed_mutants_under_random_inputs() {
    let Some(icarus) = Icarus::find("assertions") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (design, forms) = exported(folder.path(), "sva");
    let (checks, random) = (
        forms.join("hyperkill_checks.sv"),
        folder.path().join("random.v"),
    );
    fs::write(&random, RANDOM).expect("a file");
    let broken = |file: &Path| {
        let options = ["-g2012", "-DHYPERKILL_NO_BIND"];
        let run = icarus.run("checks", &options, &[&random, &checks, file]);
        let (answer, _) = run.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        answer.to_lowercase().matches("error").count()
    };
    assert_eq!(broken(&design), 0);
    let mutants = folder.path().join("mutants").to_string_lossy().into_owned();
    hyperkill(&["list", &design.to_string_lossy(), "--emit", &mutants]);
    let file = |id: &str| Path::new(&mutants).join(format!("{id}.v"));
    let killed = killed(&folder.path().join("out"));
    assert!(killed.len() > 8, "{killed:?}");
    for (mutant, _) in killed {
        assert!(broken(&file(&mutant)) > 0, "{mutant} breaks no assertion");
    }
    for (mutant, result) in with_verdict(&folder.path().join("out"), "equivalent") {
        // A mutant with a blocking assignment to a register races with readers at the same edge.
        let races = fs::read_to_string(file(&mutant)).expect("a text");
        if !races.contains("busy = ") && !races.contains("done = ") && !races.contains("} = ") {
            assert_eq!(broken(&file(&mutant)), 0, "{mutant}: {result}");
        }
    }
}

/// A stand-in for cocotb and a simulator, with a slave that is ready at random times.
const STAND_IN: &str = r#"
import importlib, random, sys, types

class Timer:
    def __init__(self, time, unit):
        assert time > 0 and unit == "step"
    def __await__(self):
        yield

cocotb = types.ModuleType("cocotb")
cocotb.test = lambda: lambda function: function
triggers = types.ModuleType("cocotb.triggers")
triggers.Timer = Timer
sys.modules.update({"cocotb": cocotb, "cocotb.triggers": triggers})

class Signal:
    def __init__(self, slave, name):
        object.__setattr__(self, "slave", slave)
        object.__setattr__(self, "name", name)
    @property
    def value(self):
        return self.slave.values[self.name]
    @value.setter
    def value(self, value):
        before = self.slave.values.get(self.name)
        self.slave.values[self.name] = value
        if not self.slave.values.get("rst_n"):
            self.slave.values.update(busy=0, done=0)
        elif self.name == "clk" and (before, value) == (0, 1):
            self.slave.step()

class Slave:
    def __init__(self, last):
        self.values = {"busy": "x", "done": "x"}
        self.last = last
    def __getattr__(self, name):
        if name not in ("clk", "rst_n", "request", "ready", "busy", "done"):
            raise AttributeError(name)
        return Signal(self, name)
    def step(self):
        v = self.values
        v["done"] = 0
        if not v["busy"]:
            v["busy"] = v["request"]
        elif random.random() < 0.5:
            v["busy"], v["done"] = 0, self.last

tests = importlib.import_module("hyperkill_tests")
random.seed(1)
for last in (1, 0):
    failed = 0
    for _ in range(50):
        for name in sorted(name for name in dir(tests) if name.startswith("t_")):
            play = getattr(tests, name)(Slave(last))
            try:
                while True:
                    play.send(None)
            except StopIteration:
                pass
            except AssertionError as error:
                assert "FAIL" in str(error), error
                failed += 1
    print(last, failed)
"#;

#[test]
fn tests_for_cocotb_follow_a_system_that_chooses_and_find_a_bug() {
    if Command::new("python3").arg("--version").output().is_err() {
        skipped("tests for cocotb", "there is no python3");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (_, forms) = exported(folder.path(), "cocotb");
    fs::write(forms.join("stand_in.py"), STAND_IN).expect("a file");
    let ran = Command::new("python3")
        .arg("stand_in.py")
        .current_dir(&forms)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert_eq!(lines[0], "1 0", "a conforming slave fails");
    assert!(
        lines.len() == 2 && lines[1] != "0 0",
        "the bug is not found: {said}"
    );
}

/// A stand-in for the runner of cocotb: results in the forms of releases 1 and 2, with a failing second test.
const STAND_IN_FOR_RUNS: &str = r#"
import sys, types, runpy, xml.etree.ElementTree as xml

class Runner:
    def build(self, sources, hdl_toplevel, parameters, build_dir, always):
        build_dir.mkdir()
    def test(self, hdl_toplevel, test_module, testcase, results_xml):
        case = xml.Element("testcase", name=testcase)
        if release == "2":
            xml.SubElement(xml.SubElement(case, "properties"), "property", name="cocotb", value="True")
        if testcase in failing:
            xml.SubElement(case, "failure", message="it differs")
        xml.ElementTree(case).write(results_xml)
        return results_xml

release, failing = sys.argv[1], sys.argv[2:]
tools, runner = types.ModuleType("cocotb_tools"), types.ModuleType("cocotb_tools.runner")
runner.get_runner = lambda simulator: Runner()
sys.modules.update({"cocotb_tools": tools, "cocotb_tools.runner": runner})
sys.argv = ["runner.py", "design.v"]
runpy.run_path("runner.py", run_name="__main__")
"#;

#[test]
fn the_runner_of_cocotb_tells_tests_that_pass_from_tests_that_fail() {
    if Command::new("python3").arg("--version").output().is_err() {
        skipped("the runner for cocotb", "there is no python3");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (_, forms) = exported(folder.path(), "cocotb");
    fs::write(forms.join("stand_in.py"), STAND_IN_FOR_RUNS).expect("a file");
    for release in ["1", "2"] {
        for (failing, said) in [(None, "PASS t_001"), (Some("t_001"), "FAIL t_001")] {
            let ran = Command::new("python3")
                .args(["stand_in.py", release])
                .args(failing)
                .current_dir(&forms)
                .output()
                .expect("it runs");
            let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
            assert!(printed.contains(said), "{release}: {printed}{ran:?}");
            assert_eq!(ran.status.success(), failing.is_none(), "{printed}");
            fs::remove_dir_all(forms.join("sim")).expect("a folder");
        }
    }
}

/// Returns the outputs of an ASCII AIGER circuit under a stimulus, by step and name.
fn simulated(circuit: &str, stimulus: &str) -> Vec<BTreeMap<String, bool>> {
    let mut lines = circuit.lines();
    let mut numbers = || -> Vec<usize> {
        let words = lines.next().expect("a line").split_whitespace();
        words.filter_map(|word| word.parse().ok()).collect()
    };
    let header = numbers();
    let mut values = vec![false; 2 * header[0] + 2];
    let inputs: Vec<usize> = (0..header[1]).map(|_| numbers()[0]).collect();
    let latches: Vec<Vec<usize>> = (0..header[2]).map(|_| numbers()).collect();
    let outputs: Vec<usize> = (0..header[3]).map(|_| numbers()[0]).collect();
    let others: usize = header[5..].iter().sum();
    (0..others).for_each(|_| drop(numbers()));
    let gates: Vec<Vec<usize>> = (0..header[4]).map(|_| numbers()).collect();
    let names: BTreeMap<usize, String> = lines
        .take_while(|line| *line != "c")
        .filter_map(|line| line.strip_prefix('o')?.split_once(' '))
        .map(|(number, name)| (number.parse().expect("a number"), name.to_owned()))
        .collect();
    let set = |values: &mut Vec<bool>, lit: usize, value: bool| {
        values[lit] = value;
        values[lit ^ 1] = !value;
    };
    set(&mut values, 0, false);
    for latch in &latches {
        set(&mut values, latch[0], latch.get(2) == Some(&1));
    }
    let rows = stimulus.lines().take_while(|line| *line != ".");
    let mut shown = Vec::new();
    for row in rows {
        for (&lit, bit) in inputs.iter().zip(row.chars()) {
            set(&mut values, lit, bit == '1');
        }
        for gate in &gates {
            let value = values[gate[1]] && values[gate[2]];
            set(&mut values, gate[0], value);
        }
        let named = names
            .iter()
            .map(|(&number, name)| (name.clone(), values[outputs[number]]));
        shown.push(named.collect());
        let next: Vec<bool> = latches.iter().map(|latch| values[latch[1]]).collect();
        for (latch, value) in latches.iter().zip(next) {
            set(&mut values, latch[0], value);
        }
    }
    shown
}

#[test]
fn the_model_shows_under_each_stimulus_what_the_table_of_the_tests_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, tables) = exported(folder.path(), "csv");
    let (_, stimuli) = exported(folder.path(), "aiger-stimulus");
    let table = fs::read_to_string(tables.join("tests.csv")).expect("a table");
    let (header, rows) = table.split_once('\n').expect("a header");
    assert_eq!(header, "rst_n,request,busy,done");
    let circuit = fs::read_to_string(stimuli.join("model.aag")).expect("a circuit");
    for (number, test) in rows.split("\n\n").enumerate() {
        let file = stimuli.join(format!("t-{:03}.stim", number + 1));
        let stimulus = fs::read_to_string(file).expect("a stimulus");
        let shown = simulated(&circuit, &stimulus);
        let expected = test.lines().map(|row| {
            let cells: Vec<bool> = row.split(',').map(|cell| cell == "1").collect();
            BTreeMap::from([("busy".to_owned(), cells[2]), ("done".to_owned(), cells[3])])
        });
        assert_eq!(shown, expected.collect::<Vec<_>>(), "{stimulus}");
    }
}
