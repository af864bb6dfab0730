//! A command template for any model checker that answers in the form of the hardware model checking competition.

use std::ffi::OsString;
use std::path::Path;

use hyperkill_checker::external::{Certificate, Program, Reply, Trouble};
use hyperkill_core::budget::Budget;

use super::workshop::{Workshop, file_name};
use crate::args::ExternalCommand;
use crate::children::{self, Ended, Job};

/// Exit statuses that some programs use for their answer.
const REACHED: i32 = 10;
const UNREACHABLE: i32 = 20;
/// Exit statuses of the shell for a file that is no program, and for a missing one.
const NO_PROGRAM: [i32; 2] = [126, 127];

/// A command template.
#[derive(Debug)]
pub(super) struct ByCommand {
    name: String,
    command: ExternalCommand,
    memory: u64,
}

impl ByCommand {
    /// Returns the engine that starts `command` with the memory limit `memory`, in bytes.
    pub(super) fn new(command: &ExternalCommand, memory: u64) -> ByCommand {
        ByCommand {
            name: file_name(Path::new(command.program())),
            command: command.clone(),
            memory,
        }
    }
}

impl Program for ByCommand {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask(&self, circuit: &[u8], budget: &Budget) -> Result<Reply, Trouble> {
        let workshop = Workshop::with(circuit)?;
        let [witness, certificate] = ["witness", "certificate"].map(|name| workshop.path(name));
        let words = self
            .command
            .words(&workshop.model(), &witness, &certificate);
        let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
        let ended = children::run(&Job {
            words: &words,
            folder: None,
            input: None,
            memory: self.memory,
            budget,
        })?;
        let witness = workshop.read("witness")?;
        let certificate = workshop.read("certificate")?;
        reply(&ended, witness, certificate, self.command.program())
    }
}

/// Returns the answer of a program that has ended. `witness` and `certificate` are the files that it has written; the witness may also be
/// printed.
///
/// # Errors
/// If the program does not exist, or neither prints a status nor ends with a known exit status.
fn reply(
    ended: &Ended,
    witness: Option<Vec<u8>>,
    certificate: Option<Vec<u8>>,
    program: &str,
) -> Result<Reply, Trouble> {
    let (status, from_status) = match answer(&ended.stdout) {
        Some((status, rest)) => (Some(status), Some(rest)),
        None => (None, None),
    };
    let code = ended.status.code();
    if status.is_none() && code.is_some_and(|code| NO_PROGRAM.contains(&code)) {
        let what = format!("`{program}` is not found, or no program");
        return Err(Trouble::Missing(what));
    }
    let reached = match (status, code) {
        (Some(b'1'), _) | (None, Some(REACHED)) => Some(true),
        (Some(b'0'), _) | (None, Some(UNREACHABLE)) => Some(false),
        _ => None,
    };
    if status.is_none() && reached.is_none() {
        return Err(Trouble::Silent(ended.describe()));
    }
    // Some programs print the witness, others write it to the file.
    let printed = from_status.filter(|rest| status == Some(b'1') && has_more_lines(rest));
    Ok(Reply {
        reached,
        witness: witness.or(printed.map(<[u8]>::to_vec)),
        certificate: certificate.map(Certificate::Circuit),
    })
}

/// Returns the digit of the first line that is `0`, `1` or `2`, and the output from that line; `None` if there is no such line.
fn answer(stdout: &[u8]) -> Option<(u8, &[u8])> {
    let mut rest = stdout;
    while !rest.is_empty() {
        let end = rest.iter().position(|&byte| byte == b'\n');
        let (line, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
        if let [status @ b'0'..=b'2'] = line.trim_ascii() {
            return Some((*status, rest));
        }
        rest = after;
    }
    None
}

/// Whether `rest`, the output from the line of the answer, has further lines.
fn has_more_lines(rest: &[u8]) -> bool {
    rest.trim_ascii().contains(&b'\n')
}
