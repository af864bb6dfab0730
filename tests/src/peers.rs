//! Other tools as peers: the results of berkeley-abc, yosys and Icarus Verilog for files that hyperkill wrote.
//!
//! All are Debian packages. On a machine without them the tests still pass, after a message on standard error. A peer that crashes,
//! complains or answers unexpectedly is an error of the test, never "no answer".

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use hyperkill_core::Aig;
use hyperkill_core::aiger::write_binary;
use serde_json::Value;
use tempfile::TempDir;

/// Reports on standard error that a test was skipped, past the capture of test output.
pub fn skipped(what: &str, why: &str) {
    // If standard error is closed, the message has no reader.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what} ({why})");
}

/// A failure of a peer.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// The peer could not be run, or a file could not be written for it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The peer gave an unexpected answer.
    #[error("unexpected answer to `{script}`:\n{answer}")]
    Answer {
        /// The script that the peer ran.
        script: String,
        /// The peer's complete answer.
        answer: String,
    },
}

/// The counts that a peer reports for a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// The number of primary inputs.
    pub inputs: usize,
    /// The number of outputs, and of everything else that the peer counts as an output.
    pub outputs: usize,
    /// The number of constraints among these outputs.
    pub constraints: usize,
    /// The number of latches.
    pub latches: usize,
    /// The number of and-gates with a reader.
    pub gates: usize,
}

/// The answer of a model checker for the only bad state of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The bad state is proved unreachable.
    Unreachable,
    /// The bad state is reached after this many steps and not before. The step in which the bad state holds is counted.
    Reached(usize),
    /// The time limit was reached without a decision.
    Undecided,
}

/// A program with its own working folder.
struct Program {
    name: &'static str,
    folder: TempDir,
}

impl Program {
    /// Returns the program, if it is installed. Otherwise reports that `what` is skipped. A Debian package has the name of its program.
    fn find(name: &'static str, what: &str) -> Option<Program> {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let installed = std::env::split_paths(&folders).any(|folder| folder.join(name).is_file());
        if !installed {
            skipped(what, &format!("{name} is not installed"));
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        Some(Program { name, folder })
    }

    fn write(&self, file: &str, bytes: &[u8]) -> Result<(), PeerError> {
        Ok(std::fs::write(self.folder.path().join(file), bytes)?)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Runs a script, given as the last argument. Returns the complete answer if the program ends successfully.
    fn run(&self, arguments: &[&str], script: &str) -> Result<String, PeerError> {
        let output = Command::new(self.name)
            .args(arguments)
            .arg(script)
            .current_dir(&self.folder)
            .output()?;
        let mut answer = String::from_utf8_lossy(&output.stdout).into_owned();
        answer.push_str(&String::from_utf8_lossy(&output.stderr));
        if output.status.success() {
            Ok(answer)
        } else {
            Err(unexpected(script, &answer))
        }
    }
}

fn unexpected(script: &str, answer: &str) -> PeerError {
    PeerError::Answer {
        script: script.to_owned(),
        answer: answer.to_owned(),
    }
}

/// berkeley-abc. It reads the binary format only.
pub struct Abc(Program);

impl Abc {
    /// Returns the tool if it is installed. Otherwise reports that `what` is skipped.
    #[must_use]
    pub fn find(what: &str) -> Option<Abc> {
        Program::find("berkeley-abc", what).map(Abc)
    }

    /// Reads AIGER files one after the other and writes each back. Returns, for each, the peer's counts and the written file.
    ///
    /// # Errors
    ///
    /// If the peer refuses a file.
    pub fn read(&self, files: &[Vec<u8>]) -> Result<Vec<(Counts, Vec<u8>)>, PeerError> {
        let mut script = String::new();
        for (i, file) in files.iter().enumerate() {
            self.0.write(&format!("in{i}.aig"), file)?;
            script += &format!("read_aiger in{i}.aig; print_stats; write_aiger -s out{i}.aig; ");
        }
        let answer = self.0.run(&["-q"], &script)?;
        let counts: Vec<Counts> = answer.lines().filter_map(counts).collect();
        if counts.len() != files.len() {
            return Err(unexpected(&script, &answer));
        }
        let back = |i: usize| std::fs::read(self.0.path(&format!("out{i}.aig")));
        let counts = counts.into_iter().enumerate();
        counts.map(|(i, c)| Ok((c, back(i)?))).collect()
    }

    /// Returns the circuits, as AIGER files, that the peer builds from netlists in the format of ISCAS'89, with all registers 0 at the
    /// start.
    ///
    /// # Errors
    /// If the peer refuses a netlist.
    pub fn read_bench(&self, texts: &[String]) -> Result<Vec<Vec<u8>>, PeerError> {
        let mut script = String::new();
        for (i, text) in texts.iter().enumerate() {
            self.0.write(&format!("in{i}.bench"), text.as_bytes())?;
            script +=
                &format!("read_bench in{i}.bench; strash; init -z; write_aiger -s out{i}.aig; ");
        }
        let answer = self.0.run(&["-q"], &script)?;
        let circuit = |i: usize| std::fs::read(self.0.path(&format!("out{i}.aig")));
        let circuits: Result<Vec<Vec<u8>>, _> = (0..texts.len()).map(circuit).collect();
        circuits.map_err(|_| unexpected(&script, &answer))
    }

    /// Decides the only bad state of `aig` by property directed reachability, and the length of a shortest run to it by bounded model
    /// checking. `seconds` is the time limit of each.
    ///
    /// # Errors
    ///
    /// If the answer is neither a proof, nor a counterexample, nor a timeout.
    pub fn decide(&self, aig: &Aig, seconds: u32) -> Result<Decision, PeerError> {
        self.0.write("question.aig", &write_binary(aig))?;
        // Free initial values become inputs and other initial values 0; constraints become a latch that records a violation.
        let read = "read_aiger question.aig; logic; undc; strash; zero; fold";
        let script = format!("{read}; pdr -T {seconds}");
        let answer = self.0.run(&["-q"], &script)?;
        if answer.contains("Property proved") {
            return Ok(Decision::Unreachable);
        }
        if answer.contains("Property UNDECIDED") {
            return Ok(Decision::Undecided);
        }
        let Some(frame) = asserted_in(&answer) else {
            return Err(unexpected(&script, &answer));
        };
        if aig.latches().is_empty() {
            // All steps are alike, and bmc3 refuses circuits without state.
            return Ok(Decision::Reached(1));
        }
        let script = format!("{read}; bmc3 -F {} -T {seconds}", frame + 1);
        let answer = self.0.run(&["-q"], &script)?;
        match asserted_in(&answer) {
            Some(first) if first <= frame => Ok(Decision::Reached(first + 1)),
            _ => Err(unexpected(&script, &answer)),
        }
    }
}

impl Abc {
    /// Whether the only output of a combinational circuit is never true.
    ///
    /// # Errors
    /// If the answer is neither a proof nor a counterexample.
    pub fn is_never_true(&self, aig: &Aig) -> Result<bool, PeerError> {
        self.0.write("miter.aig", &write_binary(aig))?;
        let script = "read_aiger miter.aig; iprove";
        let answer = self.0.run(&["-q"], script)?;
        if answer.contains("UNSATISFIABLE") {
            Ok(true)
        } else if answer.contains("SATISFIABLE") {
            Ok(false)
        } else {
            Err(unexpected(script, &answer))
        }
    }
}

/// Reads the counts in a line of `print_stats`, like `name : i/o = 2/ 4(c=1) lat = 8 and = 21 lev = 6`. `None` for another line.
fn counts(line: &str) -> Option<Counts> {
    let number = |text: &str| -> Option<usize> {
        let text = text.trim_start();
        let end = text.find(|c: char| !c.is_ascii_digit());
        text[..end.unwrap_or(text.len())].parse().ok()
    };
    let after = |mark: &str| line.split_once(mark).map(|(_, rest)| rest);
    let (inputs, outputs) = after("i/o =")?.split_once('/')?;
    Some(Counts {
        inputs: number(inputs)?,
        outputs: number(outputs)?,
        constraints: after("(c=").and_then(number).unwrap_or(0),
        latches: number(after("lat =")?)?,
        gates: number(after("and =")?)?,
    })
}

/// Returns the frame, from 0, in which an output was asserted. `None` if the answer names none.
fn asserted_in(answer: &str) -> Option<usize> {
    let (_, rest) = answer.split_once("was asserted in frame ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    rest[..end].parse().ok()
}

/// Icarus Verilog.
pub struct Icarus(Program);

impl Icarus {
    /// Returns the tool if it is installed. Otherwise reports that `what` is skipped.
    #[must_use]
    pub fn find(what: &str) -> Option<Icarus> {
        Program::find("iverilog", what).map(Icarus)
    }

    /// Compiles Verilog-2005 files with options and runs them. Returns their output, and whether they end by `$finish`. `name` is the name
    /// of the compiled program, so that several may run at once.
    ///
    /// # Errors
    ///
    /// If the files cannot be compiled or run.
    pub fn run(
        &self,
        name: &str,
        options: &[&str],
        files: &[&Path],
    ) -> Result<(String, bool), PeerError> {
        let program = self.0.path(name);
        let compiled = Command::new(self.0.name)
            .args(["-g2005", "-o"])
            .arg(&program)
            .args(options)
            .args(files)
            .output()?;
        if !compiled.status.success() {
            let answer = String::from_utf8_lossy(&compiled.stderr);
            return Err(unexpected(name, &answer));
        }
        let ran = Command::new("vvp").arg("-N").arg(&program).output()?;
        let answer = String::from_utf8_lossy(&ran.stdout).into_owned();
        Ok((answer, ran.status.success()))
    }
}

impl Icarus {
    /// Returns the complaints about a text (SystemVerilog included), which is read and not run: lines that start with `text.v:LINE:`. Empty
    /// if the text is accepted.
    ///
    /// # Errors
    ///
    /// If Icarus Verilog cannot be run.
    pub fn complaints(&self, text: &str) -> Result<String, PeerError> {
        self.0.write("text.v", text.as_bytes())?;
        let read = Command::new(self.0.name)
            .args(["-g2012", "-t", "null", "text.v"])
            .current_dir(&self.0.folder)
            .output()?;
        let said = String::from_utf8_lossy(&read.stderr).into_owned();
        match (read.status.success(), said.is_empty()) {
            (true, _) => Ok(String::new()),
            (false, false) => Ok(said),
            (false, true) => Err(unexpected("text.v", "a failure without a word")),
        }
    }

    /// Compiles and runs one text, SystemVerilog included. Returns its output.
    ///
    /// # Errors
    ///
    /// If the text cannot be compiled or run, or stops with an error.
    pub fn run_text(&self, text: &str) -> Result<String, PeerError> {
        self.0.write("text.v", text.as_bytes())?;
        let file = self.0.path("text.v");
        let (answer, good) = self.run("text.vvp", &["-g2012"], &[&file])?;
        match good {
            true => Ok(answer),
            false => Err(unexpected("text.v", &answer)),
        }
    }
}

/// yosys. Reads both formats. It drops constraints and logic outside the cones of influence of the outputs.
pub struct Yosys(Program);

impl Yosys {
    /// Returns the tool if it is installed. Otherwise reports that `what` is skipped.
    #[must_use]
    pub fn find(what: &str) -> Option<Yosys> {
        Program::find("yosys", what).map(Yosys)
    }

    /// Writes files, runs a script beside them, and returns the contents of the files `results`.
    ///
    /// # Errors
    ///
    /// If the script fails, or does not write one of the files.
    pub fn make(
        &self,
        files: &[(String, Vec<u8>)],
        script: &str,
        results: &[String],
    ) -> Result<Vec<Vec<u8>>, PeerError> {
        for (name, bytes) in files {
            self.0.write(name, bytes)?;
        }
        self.0.run(&["-q", "-p"], script)?;
        let read = |name: &String| std::fs::read(self.0.path(name));
        Ok(results.iter().map(read).collect::<Result<_, _>>()?)
    }

    /// Returns the peer's counts for the files, ascii or binary. Gates and latches outside the cones of the outputs are not counted.
    ///
    /// # Errors
    ///
    /// If the peer refuses a file.
    pub fn read(&self, files: &[Vec<u8>]) -> Result<Vec<Counts>, PeerError> {
        let mut script = String::new();
        for (i, file) in files.iter().enumerate() {
            self.0.write(&format!("in{i}.aig"), file)?;
            script += &format!("read_aiger in{i}.aig; write_json out{i}.json; design -reset; ");
        }
        self.0.run(&["-q", "-p"], &script)?;
        (0..files.len())
            .map(|i| {
                let text = std::fs::read_to_string(self.0.path(&format!("out{i}.json")))?;
                netlist_counts(&text).ok_or_else(|| unexpected(&script, &text))
            })
            .collect()
    }
}

/// Returns the counts in a netlist of one module, as yosys writes it. `None` if the text has another form.
fn netlist_counts(json: &str) -> Option<Counts> {
    let netlist: Value = serde_json::from_str(json).ok()?;
    let module = netlist["modules"].as_object()?.values().next()?;
    let mut bits: BTreeMap<&str, usize> = BTreeMap::new();
    for port in module["ports"].as_object()?.values() {
        *bits.entry(port["direction"].as_str()?).or_default() += port["bits"].as_array()?.len();
    }
    let mut cells: BTreeMap<&str, usize> = BTreeMap::new();
    for cell in module["cells"].as_object()?.values() {
        *cells.entry(cell["type"].as_str()?).or_default() += 1;
    }
    let latches = ["$_FF_", "$_DFF_P_", "$ff", "$dff"];
    Some(Counts {
        inputs: bits.get("input").copied().unwrap_or(0),
        outputs: bits.get("output").copied().unwrap_or(0),
        constraints: 0,
        latches: latches.iter().filter_map(|kind| cells.get(kind)).sum(),
        gates: cells.get("$_AND_").copied().unwrap_or(0),
    })
}
