//! Yosys as a reader of models: it converts them to a netlist.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hyperkill_checker::external::Trouble;
use hyperkill_core::budget::Budget;

use super::path::{MEMORY, on_path};
use crate::children::{self, Job};

/// The name of the program.
const NAMES: [&str; 1] = ["yosys"];

/// Yosys.
#[derive(Debug)]
pub(crate) struct Yosys {
    program: PathBuf,
}

impl Yosys {
    /// Returns Yosys; `None` if it is not installed.
    pub(crate) fn find() -> Option<Yosys> {
        on_path(&NAMES).map(|program| Yosys { program })
    }

    /// Returns the path of the program.
    pub(crate) fn path(&self) -> &Path {
        &self.program
    }

    /// Runs a script of Yosys commands. The inner `Ok` has the warnings of Yosys, the inner `Err` its errors.
    ///
    /// # Errors
    /// If the process fails or exceeds a limit.
    pub(crate) fn carry_out(
        &self,
        script: &str,
        budget: &Budget,
    ) -> Result<Result<String, String>, Trouble> {
        let words = [
            self.program.clone().into_os_string(),
            OsString::from("-q"),
            OsString::from("-p"),
            OsString::from(script),
        ];
        let ended = children::run(&Job {
            words: &words,
            folder: None,
            input: None,
            memory: MEMORY,
            budget,
        })?;
        if ended.status.success() {
            return Ok(Ok(ended.messages));
        }
        let errors = ended.messages.lines().filter(|line| line.contains("ERROR"));
        let errors: Vec<&str> = errors.map(str::trim).collect();
        Ok(Err(match errors.as_slice() {
            [] => ended.describe(),
            errors => errors.join("\n"),
        }))
    }
}
