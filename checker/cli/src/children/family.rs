//! Finds all processes that a program has started, in any process group, session or parent.
//!
//! Linux only, through `/proc`. A process belongs to the program if it is a descendant, or if it inherited an environment variable. If only
//! this process starts programs, orphans also belong: it adopts them as a subreaper. A program would have to evade all three. If this
//! process itself is killed, no process is ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
};

/// The environment variable that names the program of a process.
pub(super) const VARIABLE: &str = "HYPERKILL_PROGRAM";

/// The largest number of scans for remaining processes, since processes may start others during a scan; and the time between scans.
const LOOKS: usize = 200;
const PAUSE: Duration = Duration::from_millis(1);

/// Whether all children of this process are programs that it runs, or orphans of such programs ([`own_process`]).
static ALONE: AtomicBool = AtomicBool::new(false);

/// Declares that no other code in this process starts programs. From now on this process adopts orphans of its descendants.
pub(crate) fn own_process() {
    // A shell may have started children before it was replaced by this process.
    if processes().values().any(is_ours) {
        return;
    }
    // Old kernels have no subreaper; then only the two other criteria apply.
    if set_child_subreaper(Some(getpid())).is_ok() {
        ALONE.store(true, Ordering::Relaxed);
    }
}

/// A process in `/proc`.
struct Process {
    parent: u32,
    has_ended: bool,
}

/// Ends a program with all its processes, except for other running programs. The process id of the program stays reserved.
pub(super) fn end(leader: u32, running: &BTreeMap<u32, String>) {
    for _ in 0..LOOKS {
        let processes = processes();
        let family = family(leader, running, &processes);
        let mut is_alive = false;
        for &id in &family {
            let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) else {
                continue;
            };
            let process = &processes[&id];
            if !process.has_ended {
                is_alive = true;
                // The process may have ended already.
                let _ = kill_process(pid, Signal::KILL);
            } else if id != leader && is_ours(process) {
                // An adopted process: this process must collect its status.
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
        if !is_alive {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

fn is_ours(process: &Process) -> bool {
    process.parent == std::process::id()
}

/// Returns the processes of the program with the process id `leader`, and adopted processes of no running program. Other programs in
/// `running` and their descendants are left out.
fn family(
    leader: u32,
    running: &BTreeMap<u32, String>,
    processes: &BTreeMap<u32, Process>,
) -> BTreeSet<u32> {
    let is_alone = ALONE.load(Ordering::Relaxed);
    let name = running.get(&leader);
    let others = running.iter().filter(|(id, _)| **id != leader);
    let others: BTreeSet<u32> = others.map(|(id, _)| *id).collect();
    let spared = with_descendants(others, processes);
    let belongs = |(id, process): &(&u32, &Process)| {
        if **id == leader {
            return true;
        }
        let named = program_of(**id);
        match &named {
            Some(named) if Some(named) == name => true,
            Some(named) if running.values().any(|other| other == named) => false,
            _ => is_alone && is_ours(process),
        }
    };
    let members = processes.iter().filter(|(id, _)| !spared.contains(id));
    let members = members.filter(belongs).map(|(id, _)| *id).collect();
    let mut family = with_descendants(members, processes);
    family.retain(|id| !spared.contains(id) && *id != std::process::id());
    family
}

fn with_descendants(
    mut members: BTreeSet<u32>,
    processes: &BTreeMap<u32, Process>,
) -> BTreeSet<u32> {
    loop {
        let children = processes
            .iter()
            .filter(|(id, process)| members.contains(&process.parent) && !members.contains(id));
        let children: Vec<u32> = children.map(|(id, _)| *id).collect();
        if children.is_empty() {
            return members;
        }
        members.extend(children);
    }
}

fn processes() -> BTreeMap<u32, Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return BTreeMap::new();
    };
    let ids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(|id| Some((id, process(id)?))).collect()
}

fn process(id: u32) -> Option<Process> {
    let text = fs::read(format!("/proc/{id}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    // The name before the bracket may contain any characters.
    let (_, behind) = text.rsplit_once(')')?;
    let mut fields = behind.split_whitespace();
    Some(Process {
        has_ended: matches!(fields.next()?, "Z" | "X"),
        parent: fields.next()?.parse().ok()?,
    })
}

/// Returns the value of [`VARIABLE`] in the process `id`; `None` if it is not set, or the environment cannot be read.
fn program_of(id: u32) -> Option<String> {
    let environment = fs::read(format!("/proc/{id}/environ")).ok()?;
    let mut variables = environment.split(|&byte| byte == 0);
    let value = variables.find_map(|variable| {
        let value = variable.strip_prefix(VARIABLE.as_bytes())?;
        value.strip_prefix(b"=")
    })?;
    Some(String::from_utf8_lossy(value).into_owned())
}
