//! Runs programs under limits, and ends a program with all its processes when its time is over.
//!
//! The limits are those of `ulimit`: address space, CPU time, file size, no core dumps. Each program leads a process group, which is ended
//! as a unit. On Linux, processes that have left the group are ended too ([`family`]). This module is independent of model checking.

mod bench;
mod dialogue;
#[cfg(target_os = "linux")]
mod family;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyperkill_checker::external::Trouble;
use hyperkill_core::budget::Budget;

pub(crate) use bench::Bench;
pub(crate) use dialogue::Dialogue;
#[cfg(target_os = "linux")]
pub(crate) use family::own_process;

/// Declares that no other code in this process starts programs. Only Linux uses this.
#[cfg(not(target_os = "linux"))]
pub(crate) fn own_process() {}

/// Limit on standard output and on each file, in bytes.
pub(crate) const MOST_BYTES: u64 = 64 << 20;
/// The number of last bytes of standard error that are kept.
const MOST_MESSAGES: usize = 4 << 10;
/// The time between two checks of a program.
const PAUSE: Duration = Duration::from_millis(5);
/// The time limit for reading the rest of its output after a program has ended.
const LINGER: Duration = Duration::from_secs(2);

/// Running programs: leaders of process groups, with the values of their environment variable.
static GROUPS: Mutex<BTreeMap<u32, String>> = Mutex::new(BTreeMap::new());

/// A program to run, and its limits.
pub(crate) struct Job<'a> {
    /// The program with its arguments.
    pub(crate) words: &'a [OsString],
    /// The working directory; `None`: the current directory of this process.
    pub(crate) folder: Option<&'a Path>,
    /// The file for standard input; `None` for empty input.
    pub(crate) input: Option<&'a Path>,
    /// The limit on address space, in bytes.
    pub(crate) memory: u64,
    /// The time limit.
    pub(crate) budget: &'a Budget,
}

/// The result of a program that has ended without being killed by a limit.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    /// The last lines of standard error.
    pub(crate) messages: String,
}

impl Ended {
    /// Describes how the program ended, as in "exit status 1, `last message`".
    pub(crate) fn describe(&self) -> String {
        ended(self.status, &self.messages)
    }
}

/// Describes how a program ended: its signal or exit status, and the last line of its messages that is not empty.
fn ended(status: ExitStatus, messages: &str) -> String {
    let mut text = match signal(status) {
        Some(signal) => format!("ended by signal {signal}"),
        None => format!("exit status {}", status.code().unwrap_or(-1)),
    };
    if let Some(line) = messages.lines().rev().find(|l| !l.trim().is_empty()) {
        let line: String = line.trim().chars().take(200).collect();
        text.push_str(&format!(", `{line}`"));
    }
    text
}

/// Runs a program until it ends.
///
/// # Errors
/// If it cannot be started, writes too much, or runs out of time.
pub(crate) fn run(job: &Job<'_>) -> Result<Ended, Trouble> {
    let missing = |error: std::io::Error| Trouble::Missing(error.to_string());
    let mut command = limited(job);
    if let Some(folder) = job.folder {
        command.current_dir(folder);
    }
    let input = match job.input {
        Some(file) => Stdio::from(File::open(file).map_err(missing)?),
        None => Stdio::null(),
    };
    command
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = Running::start(&mut command).map_err(missing)?;
    let flooded = Arc::new(AtomicBool::new(false));
    let stdout = running.0.stdout.take().map(|stream| {
        let flooded = Arc::clone(&flooded);
        in_background(move || all_of(stream, &flooded))
    });
    let stderr = running.0.stderr.take();
    let stderr = stderr.map(|stream| in_background(move || last_of(stream)));
    while !running.has_ended() {
        if flooded.load(Ordering::Relaxed) {
            return Err(Trouble::Flood(MOST_BYTES));
        }
        if let Some(stop) = job.budget.stopped() {
            return Err(Trouble::Stopped(stop));
        }
        std::thread::sleep(PAUSE);
    }
    let status = running.end().map_err(missing)?;
    let bytes = |stream: Option<Receiver<Vec<u8>>>| {
        stream
            .and_then(|stream| stream.recv_timeout(LINGER).ok())
            .unwrap_or_default()
    };
    let (stdout, stderr) = (bytes(stdout), bytes(stderr));
    if flooded.load(Ordering::Relaxed) {
        return Err(Trouble::Flood(MOST_BYTES));
    }
    Ok(Ended {
        status,
        stdout,
        messages: String::from_utf8_lossy(&stderr).into_owned(),
    })
}

/// Ends all running programs, before this process exits without waiting.
pub(crate) fn end_all() {
    let groups = GROUPS.lock().unwrap_or_else(PoisonError::into_inner);
    for &group in groups.keys() {
        end_group(group);
        end_others(group, &groups);
    }
}

/// A running program, which is ended when this value is dropped.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> std::io::Result<Running> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{number}", std::process::id());
        #[cfg(target_os = "linux")]
        command.env(family::VARIABLE, &name);
        let mut groups = GROUPS.lock().unwrap_or_else(PoisonError::into_inner);
        let child = command.spawn()?;
        groups.insert(child.id(), name);
        Ok(Running(child))
    }

    /// Ends all remaining processes of the program, and returns its exit status.
    fn end(&mut self) -> std::io::Result<ExitStatus> {
        let mut groups = GROUPS.lock().unwrap_or_else(PoisonError::into_inner);
        // While the process id is still reserved and no other process can have it.
        let id = self.0.id();
        if groups.contains_key(&id) {
            end_group(id);
            end_others(id, &groups);
            #[cfg(not(unix))]
            self.0.kill()?;
        }
        // The program is still registered here. Otherwise the end of another program would collect its status.
        let status = self.0.wait();
        groups.remove(&id);
        status
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Errors in `drop` cannot be reported.
        let _ = self.end();
    }
}

#[cfg(unix)]
impl Running {
    /// Whether the program has ended. Its process id stays reserved.
    fn has_ended(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(
            waitid(WaitId::Pid(Pid::from_child(&self.0)), options),
            Ok(None)
        )
    }
}

#[cfg(not(unix))]
impl Running {
    fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

/// Returns a command: a shell that sets the limits of `job`, then replaces itself by the program. Stricter limits of this process stay.
#[cfg(unix)]
fn limited(job: &Job<'_>) -> Command {
    use std::os::unix::process::CommandExt;

    const SCRIPT: &str = "ulimit -c 0; { ulimit -v $1; ulimit -t $2; ulimit -f $3; } 2>/dev/null; shift 3; exec \"$@\"";
    // CPU time counts all threads, so the limit is a multiple of the wall time. It only matters if this process is killed.
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let seconds = job.budget.remaining();
    let seconds = seconds.map(|left| (left.as_secs() + 2) * threads);
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", SCRIPT, "sh"])
        .arg((job.memory >> 10).to_string())
        .arg(seconds.map_or("unlimited".to_owned(), |s| s.to_string()))
        // `ulimit -f` counts blocks of 512 bytes.
        .arg((MOST_BYTES >> 9).to_string())
        .args(job.words)
        .process_group(0);
    command
}

#[cfg(not(unix))]
fn limited(job: &Job<'_>) -> Command {
    let mut words = job.words.iter();
    let mut command = Command::new(words.next().cloned().unwrap_or_default());
    command.args(words);
    command
}

#[cfg(unix)]
fn end_group(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        // The group may have ended already.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_: u32) {}

/// Ends processes that have left the group of a program.
#[cfg(target_os = "linux")]
fn end_others(leader: u32, running: &BTreeMap<u32, String>) {
    family::end(leader, running);
}

#[cfg(not(target_os = "linux"))]
fn end_others(_: u32, _: &BTreeMap<u32, String>) {}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;
    status.signal()
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// Calls a function in a thread, and returns a receiver of its result. Reading in a thread is safe if other processes keep a stream open.
fn in_background<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        // The receiver may be dropped.
        let _ = sender.send(read());
    });
    receiver
}

fn all_of(stream: impl Read, flooded: &AtomicBool) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Bytes before an error count.
    let _ = stream.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > MOST_BYTES {
        flooded.store(true, Ordering::Relaxed);
    }
    bytes
}

fn last_of(mut stream: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut part = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut part) {
        kept.extend_from_slice(&part[..count]);
        let excess = kept.len().saturating_sub(MOST_MESSAGES);
        kept.drain(..excess);
    }
    kept
}
