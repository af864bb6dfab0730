//! The external model checkers of a command.

use std::sync::Arc;

use hyperkill_checker::external::{External, Program};

use super::abc::Abc;
use super::command::ByCommand;
use super::path::MEMORY;
use crate::args::{ExternalCommand, LimitArgs, Spelled};
use crate::failure::Failure;
use crate::session::{Level, Session};

/// Returns the external model checkers that options select; `None` if there are none.
///
/// # Errors
/// If options contradict each other.
pub(crate) fn programs(
    session: &mut Session<'_>,
    limits: &LimitArgs,
    commands: &[Spelled<ExternalCommand>],
) -> Result<Option<External>, Failure> {
    if limits.engine.external && commands.is_empty() {
        return Err(Failure::usage(
            "--engine external: no program is given; name it by --external",
        ));
    }
    let memory = limits.memory_of_job(session.jobs).unwrap_or(MEMORY);
    let mut programs: Vec<Arc<dyn Program>> = Vec::new();
    if limits.engine.abc {
        match Abc::find(memory) {
            Some(abc) => programs.push(Arc::new(abc)),
            None => session.say(
                Level::Warning,
                "--engine abc: neither `berkeley-abc` nor `abc` is on the path, so ABC is not used",
            ),
        }
    }
    for command in commands {
        programs.push(Arc::new(ByCommand::new(command, memory)));
    }
    Ok((!programs.is_empty()).then(|| External::new(programs)))
}
