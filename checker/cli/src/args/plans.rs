//! Plans of runs, and schedulers that carry them out.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::values::{self, Jobs};
use super::{Limit, Memory};

/// Help of `hyperkill plan`.
pub(super) const PLAN_HELP: &str = "\
The command decides mutants by methods that are fast or try many mutants at once, such as fault simulation. It divides the other \
mutants into shards of about equal cost. Run the shards by hand, or let `hyperkill submit` write job files for a scheduler. To continue \
a plan that was stopped, give the same command again.

Example:
  hyperkill plan beverage.smv --shards 4 -o beverage.plan
  hyperkill run --plan beverage.plan --shard 0     # … to 3, anywhere
  hyperkill merge beverage.plan -o beverage.out";

/// Help of `hyperkill submit`.
pub(super) const SUBMIT_HELP: &str = "\
The command writes job files into DIR/submit and prints the command that starts them. A job runs one shard. It continues an earlier \
attempt at the shard, and ends two minutes before its time limit. The last job merges all shards.

The file of --template may contain {hyperkill}, {plan}, {shards}, {last}, {limit}, {minutes}, {seconds}, {memory}, {cpus}, {attempts}, \
{out} and {name}.

Example:
  hyperkill submit beverage.plan --to slurm --time 2h --memory 4G";

/// The value of `--shard`: a part of all mutants (`K/N`), or a shard of a plan (`K`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartChoice {
    /// Part `index` of `count`.
    Of(hyperkill_run::selection::Shard),
    /// A shard of a plan, by its number, from 0.
    Planned(usize),
}

impl std::str::FromStr for PartChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<PartChoice, String> {
        match text.parse() {
            Ok(number) => Ok(PartChoice::Planned(number)),
            Err(_) => text.parse().map(PartChoice::Of),
        }
    }
}

/// A scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SchedulerChoice {
    /// An array job, and a job that merges.
    Slurm,
    /// A script that submits the shards to HyperQueue.
    Hyperqueue,
    /// An indexed job, and a job that merges; `--start` is refused.
    Kubernetes,
    /// A file of commands for GNU parallel.
    Parallel,
    /// The numbers of the shards as JSON, for a matrix of GitHub or GitLab.
    Matrix,
}

/// `hyperkill submit`.
#[derive(Args, Debug)]
pub struct SubmitArgs {
    /// Folder of the plan
    #[arg(value_name = "DIR", default_value = "hyperkill.plan")]
    pub dir: PathBuf,
    /// Scheduler that runs the jobs
    #[arg(long, value_enum, value_name = "SCHEDULER")]
    pub to: SchedulerChoice,
    /// Time limit of a job, like `2h` [default: by the estimated cost of the shards]
    ///
    /// The default is twice the estimate for the most expensive shard plus ten minutes, and at least half an hour.
    #[arg(long, value_name = "DUR")]
    pub time: Option<Limit>,
    /// Memory of a job, like `4G` or `512M` (units of 1024)
    #[arg(long, value_name = "SIZE", default_value = "4G")]
    pub memory: Memory,
    /// Cores of a job
    #[arg(long, value_name = "N", default_value = "1")]
    pub cpus: Jobs,
    /// Largest number of restarts of a stopped job
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub attempts: usize,
    /// Command that starts hyperkill on the machines of the scheduler
    #[arg(long, value_name = "COMMAND", default_value = "hyperkill")]
    pub command: String,
    /// Largest number of jobs that run at once [default: unlimited]
    #[arg(long, value_name = "N", value_parser = values::positive)]
    pub at_once: Option<usize>,
    /// File with a template that replaces the built-in one
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// Folder for the merged run
    #[arg(short, long, value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub out: PathBuf,
    /// Also start the jobs
    #[arg(long)]
    pub start: bool,
}
