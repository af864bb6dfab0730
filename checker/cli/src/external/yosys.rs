//! yosys as a reader of models. What it makes of them is a netlist like any other.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hyperkill_checker::external::Trouble;
use hyperkill_core::budget::Budget;

use super::path::{MEMORY, on_path};
use crate::children::{self, Job};

/// What the program is called.
const NAMES: [&str; 1] = ["yosys"];

/// yosys.
#[derive(Debug)]
pub(crate) struct Yosys {
    program: PathBuf,
}

impl Yosys {
    /// yosys, if it is installed.
    pub(crate) fn find() -> Option<Yosys> {
        on_path(&NAMES).map(|program| Yosys { program })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.program
    }

    /// Carries out a script; `Ok` is what it remarked, `Err` why it stopped.
    ///
    /// # Errors
    /// If the program cannot be run to its end.
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
