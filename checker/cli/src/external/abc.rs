//! ABC as an engine: `pdr` for invariants and counterexamples, then `bmc3` for counterexamples.
//!
//! `scorr` would speed it up, but a later proof of `pdr` would be about the reduced circuit. Instead ABC gets the product after the
//! built-in signal correspondence, if that engine is on.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyperkill_checker::external::{Certificate, Program, Reply, Trouble};
use hyperkill_core::budget::Budget;

use super::path::on_path;
use super::workshop::{MODEL, Workshop};
use crate::children::{self, Ended, Job};

/// The names of the program; Debian's name comes first.
const NAMES: [&str; 2] = ["berkeley-abc", "abc"];
/// The message for a proved property.
const PROVED: &str = "Property proved";
/// The message for a refuted property.
const REFUTED: &str = "was asserted in frame";

/// ABC.
#[derive(Debug)]
pub(crate) struct Abc {
    program: PathBuf,
    memory: u64,
}

impl Abc {
    /// Returns ABC; `None` if it is not installed. `memory` is its limit in bytes.
    pub(crate) fn find(memory: u64) -> Option<Abc> {
        let program = on_path(&NAMES)?;
        Some(Abc { program, memory })
    }

    /// Returns the path of the program.
    pub(crate) fn path(&self) -> &Path {
        &self.program
    }

    fn carry_out(
        &self,
        script: &str,
        workshop: &Workshop,
        budget: &Budget,
    ) -> Result<Ended, Trouble> {
        let words = [
            self.program.clone().into_os_string(),
            OsString::from("-q"),
            OsString::from(script),
        ];
        children::run(&Job {
            words: &words,
            // ABC reads and writes files in its working directory.
            folder: Some(workshop.folder()),
            input: None,
            memory: self.memory,
            budget,
        })
    }
}

impl Program for Abc {
    fn name(&self) -> &str {
        "abc"
    }

    fn ask(&self, circuit: &[u8], budget: &Budget) -> Result<Reply, Trouble> {
        let workshop = Workshop::with(circuit)?;
        let limit = |share: Option<Duration>| match share {
            Some(share) => format!(" -T {}", share.as_secs().max(1)),
            None => String::new(),
        };
        let most = limit(budget.remaining().map(|left| left * 3 / 4));
        let script = format!("read_aiger {MODEL}; pdr{most} -d -I invariant; write_cex -a witness");
        let ended = self.carry_out(&script, &workshop, budget)?;
        let reply = reply(&ended, &workshop)?;
        // Without a time limit `pdr` did not give up early, so `bmc3` would not help.
        if reply.reached.is_some() || budget.remaining().is_none() {
            return Ok(reply);
        }
        let rest = limit(budget.remaining().map(|left| left * 3 / 4));
        let script = format!("read_aiger {MODEL}; bmc3{rest}; write_cex -a witness");
        let ended = self.carry_out(&script, &workshop, budget)?;
        self::reply(&ended, &workshop)
    }
}

fn reply(ended: &Ended, workshop: &Workshop) -> Result<Reply, Trouble> {
    let text = String::from_utf8_lossy(&ended.stdout);
    let mut reply = Reply::default();
    if text.contains(PROVED) {
        reply.reached = Some(false);
        reply.certificate = workshop.read("invariant")?.map(Certificate::Cubes);
    } else if text.contains(REFUTED) {
        reply.reached = Some(true);
        reply.witness = workshop.read("witness")?.map(|bytes| witness(&bytes));
    } else if !ended.status.success() {
        return Err(Trouble::Silent(ended.describe()));
    }
    Ok(reply)
}

/// Converts the input vectors that ABC writes, a line for each step, to an AIGER witness of property 0.
fn witness(bytes: &[u8]) -> Vec<u8> {
    let lines = bytes.split(|&byte| byte == b'\n');
    let vectors = lines.map(|line| match line.iter().position(|&b| b == b'#') {
        Some(comment) => &line[..comment],
        None => line,
    });
    let mut file = b"1\nb0\n".to_vec();
    let mut vectors: Vec<&[u8]> = vectors.collect();
    // The newline at the end begins no vector. An empty line is a vector of no bits.
    vectors.pop();
    for vector in vectors {
        file.extend_from_slice(vector);
        file.push(b'\n');
    }
    file.extend_from_slice(b".\n");
    file
}
