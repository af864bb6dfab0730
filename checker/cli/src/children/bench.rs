//! The user's own program, run to its end: under no limits but the clock's, and with its last words kept.

use std::ffi::OsString;
use std::process::Stdio;

use hyperkill_checker::external::Trouble;
use hyperkill_core::budget::Budget;

use super::dialogue::own_command;
use super::{Ended, LINGER, PAUSE, Running, in_background, last_of};

/// Runs a program that reads nothing. What it writes is kept as far as it is the last.
///
/// # Errors
/// If it cannot be started, or its time is over.
pub(crate) fn run_own(
    words: &[OsString],
    variables: &[(&str, OsString)],
    budget: &Budget,
) -> Result<Ended, Trouble> {
    let missing = |error: std::io::Error| Trouble::Missing(error.to_string());
    let mut command = own_command(words);
    command
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = Running::start(&mut command).map_err(missing)?;
    let stdout = running.0.stdout.take();
    let stdout = stdout.map(|stream| in_background(move || last_of(stream)));
    let stderr = running.0.stderr.take();
    let stderr = stderr.map(|stream| in_background(move || last_of(stream)));
    while !running.has_ended() {
        if let Some(stop) = budget.stopped() {
            return Err(Trouble::Stopped(stop));
        }
        std::thread::sleep(PAUSE);
    }
    let status = running.end().map_err(missing)?;
    let text = |stream: Option<std::sync::mpsc::Receiver<Vec<u8>>>| {
        let bytes = stream.and_then(|stream| stream.recv_timeout(LINGER).ok());
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    };
    let (stdout, stderr) = (text(stdout), text(stderr));
    Ok(Ended {
        status,
        stdout: Vec::new(),
        // Benches say on either what they have found.
        messages: match stderr.trim().is_empty() {
            true => stdout,
            false => stderr,
        },
    })
}
