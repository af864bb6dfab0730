//! The command line as typed data. This module checks values, and touches no files.

mod documents;
mod export;
mod formulas;
mod global;
pub(crate) mod in_files;
mod plans;
mod reading;
mod report;
mod selection;
mod suites;
mod syntax;
mod systems;
mod values;

pub use documents::DocumentName;
pub use export::{ExportArgs, ExportFormat, ExportOptions};
pub use formulas::{DialectChoice, TracesChoice};
pub use global::Global;
pub use plans::{PartChoice, SchedulerChoice, SubmitArgs};
pub use reading::{HardwareArgs, ProcessArgs, RoleArgs, Via};
pub use report::{AnnotationChoice, ReportArgs};
pub use selection::SelectionArgs;
pub use suites::{CostChoice, MethodChoice};

pub use hyperkill_run::asked::{EngineList, ExternalCommand, Limit, Memory, Percent, Spelled};
pub use systems::{ExecArgs, ScoreArgs};
use values::any_path;
pub use values::{
    Acceptance, ColorChoice, Format, Jobs, LogFormat, SystemFile, TestChoice, VerdictChoice,
};

use std::path::PathBuf;

use clap::builder::ArgPredicate;
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use hyperkill_run::reading::ModelSpec;
use hyperkill_run::selection::Lines;

use crate::documents::reading::{Definition, EventOptions, IntegerRange, ModelOptions};

/// Meaning of exit statuses, for `--help`.
const EXIT_STATUS: &str = "\
Exit status, the first that applies:
  70   internal error
  130  interrupted; everything decided so far is on disk
  1    the command line cannot be used
  4    the model is invalid
  5    evidence did not check
  2    score under --fail-under, a property or a test fails, or mutants survive
  3    something undecided
  0    otherwise: every mutant decided, or every property holds

Example:
  hyperkill run beverage.smv";

/// Kill mutants of reactive system models with tests, or prove them equivalent.
#[derive(Parser, Debug)]
#[command(name = "hyperkill", version, about, after_help = EXIT_STATUS, max_term_width = 100)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
#[allow(clippy::large_enum_variant)] // A program has one of them.
pub enum Command {
    /// Mutate a model, decide every mutant, write tests and evidence into a folder
    #[command(after_help = "Example:\n  hyperkill run beverage.smv -D capacity=5 -o beverage.out")]
    Run(RunArgs),
    /// Write the conditional mutant of a model as AIGER
    #[command(
        after_help = "Without `-o` the file goes to standard output. A file called *.aag and what a terminal shows are \
            ascii, everything else is binary, unless --ascii or --binary is given.\n\nExample:\n  hyperkill translate \
            beverage.smv -o - | hyperkill check - --property phi1"
    )]
    Translate(TranslateArgs),
    /// Decide the mutants of an AIGER file
    #[command(
        after_help = "Inputs whose names start with `nd:` are choices, latches called `mut` or `mut:ID` select mutants.\n\n\
            For one more release `check` does what `hyperkill verify` does, too, and says so: of a file without mutants, for \
            a formula that is no killing formula or is to be about infinite traces, and with --specs and \
            --totality.\n\nExample:\n  hyperkill check mutants.aag --property phi1 --format json"
    )]
    Check(CheckArgs),
    /// Decide a formula over an AIGER file, its bad states, or the properties that a model states
    #[command(after_help = syntax::verify_help())]
    Verify(VerifyArgs),
    /// Check all evidence of a run again, from its copy of the model, without the engines
    #[command(
        after_help = "With --model the model is read from files, which must be what the run read. Exit status 0: all \
            evidence checks; 5: something does not; 3: something could not be checked within --timeout.\n\nExample:\n  \
            hyperkill certify beverage.out"
    )]
    Certify(CertifyArgs),
    /// List the mutants of a model without deciding them
    #[command(after_help = "Example:\n  hyperkill list beverage.smv --operator 'R*' --diff")]
    List(ListArgs),
    /// Write the tests of a suite in another form
    #[command(
        after_help = "--to smv: for each test the model with a monitor in it. Its INVARSPEC `hyperkill-test` holds of a \
            deterministic model, and fails of a mutant that the test kills for certain if the monitor is put into the \
            mutant's source.\n\n--to verilog-testbench: plain Verilog, without a line of the model. It prints PASS, FAIL \
            or INCONCLUSIVE for each test, and stops with $stop instead of $finish unless all pass, which `vvp -N` makes \
            exit status 1:\n  iverilog -g2005 -o bench tests/testbench.v design.v && vvp -N bench\n\nBenches, cocotb and sva \
            go on after every output that the model can give, and fail at others only. What is too much to follow so is an \
            error. vcd, csv, altwalker and aiger-stimulus are one run of each test.\n\nThe model is read from \
            the run's copies, with the run's options.\n\nExample:\n  hyperkill export beverage.out --to smv -o tests"
    )]
    Export(ExportArgs),
    /// Run a suite on a real system: pass, fail or inconclusive for each test
    #[command(after_help = systems::EXEC_HELP)]
    Exec(ExecArgs),
    /// Score a test bench, a suite or the model's own properties on the mutants of a run
    #[command(after_help = systems::SCORE_HELP)]
    Score(ScoreArgs),
    /// Show the mutants of a run, one line each, or one mutant in full: source diff, verdict, evidence, test
    #[command(
        after_help = "Example:\n  hyperkill show beverage.out --verdict unknown --file beverage.smv:10-20\n  hyperkill show m-1a2b \
            beverage.out"
    )]
    Show(ShowArgs),
    /// Write reports on a run: a page, files for other programs, or annotations of source lines
    #[command(after_help = report::HELP)]
    Report(ReportArgs),
    /// Continue a run that was killed, interrupted or failed
    #[command(
        after_help = "What was decided stays, and the run's own options and model are taken from its folder. Exit statuses are \
            those of `hyperkill run`.\n\nExample:\n  hyperkill resume beverage.out"
    )]
    Resume(ResumeArgs),
    /// Cut a run into shards for a cluster
    #[command(after_help = plans::PLAN_HELP)]
    Plan(Box<PlanArgs>),
    /// Write job files for a scheduler that runs the shards of a plan
    #[command(after_help = plans::SUBMIT_HELP)]
    Submit(SubmitArgs),
    /// Merge all parts (--shard) of a run, or all shards of a plan, into one run
    #[command(
        after_help = "The parts must be finished, and all parts of one run: of the same model, options and mutants, none twice and \
            none missing. Exit statuses are those of `hyperkill run`.\n\nExample:\n  hyperkill merge part0 part1 part2 part3 -o \
            whole"
    )]
    Merge(MergeArgs),
    /// Show the progress of a run or a plan
    #[command(after_help = "Example:\n  hyperkill status beverage.out")]
    Status(StatusArgs),
    /// List the mutation operators
    #[command(after_help = "Example:\n  hyperkill operators --language smv")]
    Operators(OperatorsArgs),
    /// List the engines that can decide mutants
    #[command(after_help = "Example:\n  hyperkill engines")]
    Engines,
    /// Print the JSON Schema of a document that hyperkill writes
    #[command(after_help = "Example:\n  hyperkill schema check > check.schema.json")]
    Schema(SchemaArgs),
    /// Print completions for a shell
    #[command(
        after_help = "Example:\n  hyperkill completions bash > ~/.local/share/bash-completion/completions/hyperkill"
    )]
    Completions(CompletionsArgs),
    /// Print the manual page of the program, or write the pages of all commands with `-o`
    #[command(after_help = "Example:\n  hyperkill man -o ~/.local/share/man/man1")]
    Man(ManArgs),
}

/// A model and how to read it.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// Files of the model; `-` is standard input
    #[arg(required = true, value_name = "MODEL")]
    pub files: Vec<PathBuf>,
    /// Language of the model [default: by the file name's extension]
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// Set a named constant of the model, or define a macro; the value is 1 if none is given; may be repeated
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<Definition>,
    /// Domain of faults: a file with `faults { … }`, or `chaos:STATES:MAXTIMEOUT` for all machines with that many states and timeouts up
    /// to MAXTIMEOUT. Only for languages with domains of faults [default: the faults written after the model]
    #[arg(long, value_name = "FILE|chaos:S:T")]
    pub domain: Option<String>,
    /// Treatment of inputs that a machine does not define in a state
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Undefined::Ignore)]
    pub undefined: Undefined,
    /// Options of circuits.
    #[command(flatten)]
    pub hardware: HardwareArgs,
    /// Options of timed processes.
    #[command(flatten)]
    pub process: ProcessArgs,
    /// Let model and mutants ignore an input if the constraints leave no step for it. The state does not change, the output
    /// `hyperkill-ignored` reports it, and all other outputs have the first value of their type. In action systems, model and mutants
    /// refuse exactly what they cannot do, and the output `done` reports it
    #[arg(long)]
    pub complete: bool,
    /// Observed parts of models with events: only outputs (outputs), the variables after each step (state), or also the transition taken
    /// (transition, machines only) [default: outputs; state for systems without outputs and inputs]
    #[arg(long, value_name = "WHAT")]
    pub observe: Option<String>,
    /// Range of an integer without bounds in a GraphWalker model; may be repeated. Runs that leave the range are ignored
    #[arg(long, value_name = "NAME=LOW..HIGH")]
    pub range: Vec<IntegerRange>,
    /// Roles of signals.
    #[command(flatten)]
    pub roles: RoleArgs,
}

/// Treatment of inputs that a machine does not define in a state.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum Undefined {
    /// No test gives them there, and mutants may respond in any way.
    #[default]
    Ignore,
    /// The machine is refused.
    Error,
}

impl ModelArgs {
    /// Returns the specification of the model with all of its mutants.
    #[must_use]
    pub fn spec(&self) -> ModelSpec {
        let order = self.process.order;
        let mut spec = ModelSpec {
            files: self.files.clone(),
            language: self.language.clone(),
            options: ModelOptions {
                define: self.define.clone(),
                hardware: self.hardware.options(),
                domain: self.domain.clone(),
                processes: self.process.options(),
                order: order.map(|order| order.changes),
                order_sample: order.and_then(|order| order.sample),
                events: EventOptions {
                    complete: self.complete,
                    observe: self.observe.clone(),
                    ranges: self.range.clone(),
                },
                roles: self.roles.options(),
                everything_defined: self.undefined == Undefined::Error,
            },
            ..ModelSpec::default()
        };
        spec.settle();
        spec
    }
}

/// The killing question for every mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum PropertyChoice {
    /// Potential killing (phi1 if the model is deterministic, else phi2), then the strength of kills.
    #[default]
    Auto,
    /// Potentially killable, for deterministic models.
    Phi1,
    /// Potentially killable.
    Phi2,
    /// Definitely killable.
    Phi3,
    /// Definitely killable, for deterministic models.
    Phi4,
}

/// Engines, limits, and the treatment of undecided results.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Deciding")]
pub struct LimitArgs {
    /// Longest test or run, in steps; the search does not go beyond [default: unlimited]
    #[arg(long, value_name = "K", value_parser = values::positive)]
    pub bound: Option<usize>,
    /// Time limit per mutant or property, or `none`
    #[arg(long, value_name = "DUR", default_value = "60s")]
    pub timeout: Spelled<Limit>,
    /// Time for everything, reading the model included, or `none`
    #[arg(long, value_name = "DUR", default_value = "none")]
    pub total_timeout: Spelled<Limit>,
    /// Memory of this program, like `8G`, or `none`: a mutant or property whose solvers take more than their share of it
    /// (by the number of threads) is left undecided, and nothing new is started while all of it is used
    #[arg(long, value_name = "SIZE", default_value = "none")]
    pub memory: Spelled<Memory>,
    /// Engines to use
    #[arg(long, value_name = "LIST", default_value = EngineList::ALL)]
    pub engine: Spelled<EngineList>,
    /// Do not let what is undecided change the exit status
    #[arg(long, value_name = "WHAT", value_enum)]
    pub accept: Option<Acceptance>,
    /// Add times to the results, which then differ between runs
    #[arg(long)]
    pub timings: bool,
}

impl LimitArgs {
    /// Returns the bytes for each of `jobs` parallel jobs; `None` if memory is not limited.
    #[must_use]
    pub fn memory_of_job(&self, jobs: usize) -> Option<u64> {
        Some(self.memory.0? / jobs.max(1) as u64)
    }
}

/// Options of deciding mutants.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Deciding")]
pub struct DecisionArgs {
    /// Killing formula to decide
    #[arg(long, value_enum, default_value_t = PropertyChoice::Auto)]
    pub property: PropertyChoice,
    /// Killing formula in HyperLTL; `hyperkill verify` decides other formulas
    #[arg(long, value_name = "TEXT", conflicts_with = "property")]
    pub formula: Option<String>,
    /// File with the killing formula in HyperLTL
    #[arg(long, value_name = "F", conflicts_with_all = ["property", "formula"])]
    pub formula_file: Option<PathBuf>,
    /// Assume that the tester controls choices like test inputs
    #[arg(long)]
    pub controllable_nd: bool,
    /// Engines and limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Model checker to ask about mutants that the engines leave undecided; may be repeated. In COMMAND, {model} is an AIGER file;
    /// {witness} and {certificate} are files that the program may write. Its first output line is 0, 1 or 2, as in the hardware model
    /// checking competition. An answer counts only with a run that replays, or a witness circuit whose invariant checks
    #[arg(long, value_name = "COMMAND")]
    pub external: Vec<Spelled<ExternalCommand>>,
    /// Kind of the tests [default: linear if the model is deterministic; if it chooses a tree where there is one, else global]
    #[arg(long, value_enum, value_name = "KIND")]
    pub tests: Option<TestChoice>,
    /// Keep every distinct test instead of a minimised suite
    #[arg(long, alias = "no-minimize")]
    pub no_minimise: bool,
    /// Exit with status 2 if the mutation score is under PCT percent. Definite kills count, and controllable ones with --controllable-nd;
    /// undecided mutants count as not killed
    #[arg(long, value_name = "PCT")]
    pub fail_under: Option<Spelled<Percent>>,
    /// Mutants that are known and accepted: a line for each, with its id and perhaps why. As long as they survive, or are
    /// undecided, they count neither for --fail-under nor for the exit status
    #[arg(long, value_name = "FILE")]
    pub accept_file: Option<PathBuf>,
    /// Accepted mutants, as a run records them.
    #[arg(long, value_name = "ID", hide = true)]
    pub accept_mutant: Vec<String>,
    /// Decide nothing; print which engines would be asked which questions, in which order, and the limits of each step
    #[arg(long)]
    pub explain: bool,
}

/// `hyperkill run`.
#[derive(Args, Debug)]
#[command(mut_arg("files", |files| files.required(false).required_unless_present("plan")))]
pub struct RunArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Selection of mutants.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Options of deciding.
    #[command(flatten)]
    pub decision: DecisionArgs,
    /// Extend tests for a domain of faults up to N inputs if this saves other tests [default: number of states + 1]
    #[arg(long, value_name = "N", value_parser = values::positive, help_heading = "Deciding")]
    pub max_length: Option<usize>,
    /// Cost that a suite for a domain of faults keeps small
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = CostChoice::Tests, help_heading = "Deciding")]
    pub cost: CostChoice,
    /// Start the search for a suite for a domain of faults with the suite of a classic method, and report the size of that suite
    #[arg(long, value_enum, value_name = "METHOD", help_heading = "Deciding")]
    pub method: Option<MethodChoice>,
    /// Output folder of the run; an earlier one becomes DIR.old
    #[arg(short, long, value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub out: PathBuf,
    /// Folder of an earlier run; its verdicts are reused if their evidence still holds [default: the earlier run in the output folder]
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// Decide everything anew, without verdicts of an earlier run
    #[arg(long, conflicts_with = "from")]
    pub force: bool,
    /// Folder of a plan; decide its shard --shard K, with the options of the plan
    #[arg(long, value_name = "DIR", requires = "shard", conflicts_with_all = ["files", "from", "force", "out"])]
    pub plan: Option<PathBuf>,
}

/// `hyperkill plan`.
#[derive(Args, Debug)]
#[command(
    mut_arg("out", |out| out.default_value("hyperkill.plan").help("Folder for the plan")),
    mut_arg("plan", |plan| plan.hide(true)),
    mut_arg("shard", |shard| shard.hide(true)),
)]
pub struct PlanArgs {
    /// The run that is planned.
    #[command(flatten)]
    pub run: RunArgs,
    /// Number of shards
    #[arg(long, value_name = "N", value_parser = values::positive, help_heading = "Shards", required_unless_present = "per_shard")]
    pub shards: Option<usize>,
    /// Cut into shards that take one thread about this time, by the estimate
    #[arg(
        long,
        value_name = "DUR",
        help_heading = "Shards",
        conflicts_with = "shards"
    )]
    pub per_shard: Option<Limit>,
    /// Folder of an earlier run, of any version of the model; its times are the estimate [default: estimate by the size of the part of
    /// the model that a verdict depends on]
    #[arg(long, value_name = "DIR", help_heading = "Shards")]
    pub costs: Option<PathBuf>,
}

/// Text formats of machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MachineForm {
    /// The machine in the syntax in which it is read.
    Tfsm,
    /// A graph in DOT; transitions that only mutants take are dashed.
    Dot,
    /// A feature model: the model of a timed process or one of its mutants, without the mutants that guidelines exclude.
    Uvl,
    /// A machine with variables: the model of any language of guarded commands, without its mutants.
    Efsm,
}

/// `hyperkill translate`.
#[derive(Args, Debug)]
pub struct TranslateArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Only mutants of these operators; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub operator: Vec<String>,
    /// Only this mutant, with a selector called `mut`
    #[arg(long, value_name = "ID")]
    pub mutant: Option<String>,
    /// Write the product of original and mutant instead, for other model checkers. A state is bad if their outputs differ on the same
    /// inputs. Both make the same choices, if there are any; a choice that the original cannot make is bad too. Without --mutant, a latch
    /// for each mutant selects it
    #[arg(long)]
    pub product: bool,
    /// Write text instead: a machine and its domain of faults, with each mutated transition by itself, as a `.tfsm` or a graph; the
    /// mutants of a timed process as a feature model; or a system of guarded commands as a machine with variables
    #[arg(long, value_enum, value_name = "FORM", conflicts_with_all = ["product", "mutant", "order", "ascii", "binary"])]
    pub to: Option<MachineForm>,
    /// Write the completeness question of this suite instead. A state is bad if a mutant of the domain of faults passes all tests and
    /// differs from the model; the suite is complete if no bad state is reachable
    #[arg(long, value_name = "FILE", conflicts_with_all = ["product", "mutant", "order", "to"])]
    pub suite: Option<PathBuf>,
    /// Time steps per unit in the circuit of a timed process, at least 2 [default: 2]
    #[arg(long, value_name = "N", conflicts_with_all = ["to", "suite"])]
    pub ticks: Option<u32>,
    /// File to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,
    /// Write the ascii AIGER format
    #[arg(long, conflicts_with = "binary")]
    pub ascii: bool,
    /// Write the binary AIGER format
    #[arg(long)]
    pub binary: bool,
}

/// `hyperkill check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// AIGER file; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Same as `hyperkill verify --specs`, for one more release
    #[arg(long, conflicts_with = "out")]
    pub specs: bool,
    /// Same as `hyperkill verify --totality`, for one more release
    #[arg(long, conflicts_with_all = ["out", "specs"])]
    pub totality: bool,
    /// Roles of signals.
    #[command(flatten)]
    pub roles: RoleArgs,
    /// Selection of mutants.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Options of deciding.
    #[command(flatten)]
    pub decision: DecisionArgs,
    /// Also write a run folder; an earlier one becomes DIR.old
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Same as `hyperkill verify --traces`, for one more release. Questions about killing use finite traces
    #[arg(long, value_enum, value_name = "WHICH")]
    pub traces: Option<TracesChoice>,
    /// Same as `hyperkill verify --witness`, for one more release
    #[arg(long, value_name = "DIR")]
    pub witness: Option<PathBuf>,
}

/// `hyperkill verify`.
#[derive(Args, Clone, Debug)]
#[command(mut_group("SelectionArgs", |selection| selection.requires("asked")))]
#[command(group(ArgGroup::new("asked").args(["formula", "formula_file"])))]
pub struct VerifyArgs {
    /// AIGER file, `-` is standard input; with a formula also a model in another language
    #[arg(
        value_name = "FILE",
        required = false,
        required_unless_present = "system",
        value_parser = any_path(),
        default_value_if("system", ArgPredicate::IsPresent, "")
    )]
    pub file: PathBuf,
    /// Model of this trace of the formula, if it is not FILE; may be repeated
    #[arg(long, value_name = "TRACE=FILE", requires = "asked")]
    pub system: Vec<SystemFile>,
    /// AIGER file with a strategy for the traces of `exists`. It reads the traces of a leading `forall`, or has no inputs if `exists`
    /// leads. Its inputs and outputs are called NAME_0, NAME_1, …: an input and the place of a trace in the prefix
    #[arg(long, value_name = "FILE", requires = "asked")]
    pub strategy: Option<PathBuf>,
    /// HyperLTL formula [default: no bad state is reachable]
    #[arg(long, value_name = "TEXT")]
    pub formula: Option<String>,
    /// File with the HyperLTL formula
    #[arg(long, value_name = "F")]
    pub formula_file: Option<PathBuf>,
    /// Language of the formula
    #[arg(long, value_enum, value_name = "LANGUAGE", default_value_t = DialectChoice::Hyperkill, requires = "asked")]
    pub dialect: DialectChoice,
    /// Traces that the formula quantifies over
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = TracesChoice::Infinite, requires = "asked")]
    pub traces: TracesChoice,
    /// Verify the invariants stated in FILE, a model in another language, such as INVARSPEC
    #[arg(long, conflicts_with = "asked")]
    pub specs: bool,
    /// Decide whether every reachable state of FILE, a model in another language, has a successor, and one for every input
    #[arg(long, conflicts_with_all = ["asked", "specs"])]
    pub totality: bool,
    /// Decide whether the tests of this `suite.json` tell every distinguishable mutant from FILE, a model with a domain of faults;
    /// mutants have any number of faults
    #[arg(long, value_name = "SUITE", conflicts_with_all = ["asked", "specs", "totality", "witness"])]
    pub suite: Option<PathBuf>,
    /// With --suite: domain of faults, as in `hyperkill run`
    #[arg(long, value_name = "FILE|chaos:S:T", requires = "suite")]
    pub domain: Option<String>,
    /// With --suite, if the suite is complete: write the last question and the proof of its answer into this folder, for other checkers.
    /// complete.cnf is an unsatisfiable formula in DIMACS, complete.lrat its proof
    #[arg(long, value_name = "DIR", requires = "suite")]
    pub proof: Option<PathBuf>,
    /// Decide whether the left side refines the right one, as in `A || B <= C && D`, for FILE, a model of timed processes; may be
    /// repeated, also beside --consistency and --determinism
    #[arg(long, value_name = "QUERY", conflicts_with_all = ["asked", "specs", "totality", "suite", "witness"])]
    pub refinement: Vec<String>,
    /// Decide whether this system of the same file has a good initial state
    #[arg(long, value_name = "QUERY", conflicts_with_all = ["asked", "specs", "totality", "suite", "witness"])]
    pub consistency: Vec<String>,
    /// Decide whether this system of the same file is deterministic: no action leads from one state to two
    #[arg(long, value_name = "QUERY", conflicts_with_all = ["asked", "specs", "totality", "suite", "witness"])]
    pub determinism: Vec<String>,
    /// Write a witness or a certificate of each bad state property into this folder, as in the hardware model checking competition. Also
    /// write each run to a bad state with names and values, as JSON
    #[arg(long, value_name = "DIR", conflicts_with_all = ["asked", "totality"])]
    pub witness: Option<PathBuf>,
    /// Roles of signals.
    #[command(flatten)]
    pub roles: RoleArgs,
    /// Selection of the mutants for a formula about mutants.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Engines and limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Model checker to ask about bad states that the engines leave undecided; may be repeated. {model}, {witness} and {certificate} are
    /// as in `hyperkill check`
    #[arg(long, value_name = "COMMAND", help_heading = "Deciding", conflicts_with_all = ["asked", "totality"])]
    pub external: Vec<Spelled<ExternalCommand>>,
    /// Decide nothing: say what would be asked, by which engines, in which order, and how much each step may cost
    #[arg(long, help_heading = "Deciding")]
    pub explain: bool,
    /// Also write the answers to the formula with their evidence into this folder, for `hyperkill certify`; an earlier one becomes
    /// DIR.old
    #[arg(short, long, value_name = "DIR", requires = "asked")]
    pub out: Option<PathBuf>,
}

/// `hyperkill certify`.
#[derive(Args, Clone, Debug)]
pub struct CertifyArgs {
    /// Folder of the run or of a plan
    #[arg(value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub dir: PathBuf,
    /// For a plan: check this shard, which must be decided; shards count from 0
    #[arg(long, value_name = "K")]
    pub shard: Option<usize>,
    /// File to read in place of the run's copy of a model file; once for each file, in their order
    #[arg(long, value_name = "FILE")]
    pub model: Vec<PathBuf>,
    /// Time limit per claim, or `none`
    #[arg(long, value_name = "DUR", default_value = "60s")]
    pub timeout: Limit,
    /// Also write each suitable proof into this folder in the form of the hardware model checking competition, for checkers like
    /// Certifaiger: NAME.model.aig, a safety problem, and NAME.witness.aig, a witness circuit
    #[arg(long, value_name = "DIR")]
    pub hwmcc: Option<PathBuf>,
}

/// `hyperkill list`.
#[derive(Args, Debug)]
pub struct ListArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Selection of mutants.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Show the source difference of each mutant
    #[arg(long)]
    pub diff: bool,
    /// Write the mutated source of each valid mutant into this folder. For a model in several files, `replaced.tsv` in the folder names
    /// the file that each source replaces
    #[arg(long, value_name = "DIR")]
    pub emit: Option<PathBuf>,
    /// For timed processes: write a single file with all mutants, in which a constant selects the mutant
    #[arg(long, requires = "emit")]
    pub featured: bool,
    /// List inputs, choices and outputs instead of mutants, with the reasons for their roles
    #[arg(long, conflicts_with_all = ["diff", "emit", "mutant", "lines", "in_diff", "exclude", "sample", "shard"])]
    pub signature: bool,
    /// Time limit for the command, reading the model included, or `none`
    #[arg(long, value_name = "DUR", default_value = "none")]
    pub total_timeout: Limit,
}

/// `hyperkill show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// Mutant, by id or a unique prefix of its id [default: a line for each mutant]
    #[arg(value_name = "ID")]
    pub mutant: Option<String>,
    /// Folder of the run; may be given without an id
    #[arg(value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub dir: PathBuf,
    /// Only mutants with this verdict; may be repeated
    #[arg(long, value_enum, value_name = "WHAT")]
    pub verdict: Vec<VerdictChoice>,
    /// Only mutants of these operators; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub operator: Vec<String>,
    /// Only mutants in this file, or in these lines of it; may be repeated
    #[arg(long, value_name = "FILE[:LINES]")]
    pub file: Vec<Lines>,
    /// For one mutant: read the run's model, and show the hidden choices of both runs of the kill
    #[arg(long)]
    pub hidden: bool,
    /// For one mutant: write the runs of model and mutant side by side as waveforms; with --hidden also their latches and choices
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
}

/// `hyperkill status`.
#[derive(Args, Debug)]
pub struct StatusArgs {
    /// Folder of the run
    #[arg(value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub dir: PathBuf,
    /// Show where the time went, by round, engine and phase, with counted work
    #[arg(long)]
    pub work: bool,
}

/// `hyperkill resume`.
#[derive(Args, Debug)]
pub struct ResumeArgs {
    /// Folder of the run
    #[arg(value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub dir: PathBuf,
    /// Program that the run asked, with the same command; may be repeated. The run folder has all other options
    #[arg(long, value_name = "COMMAND")]
    pub external: Vec<String>,
}

/// `hyperkill merge`.
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// Folders of all parts of a run, in any order, or the folder of a plan
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// For a plan: merge without the undecided shards; their mutants become undecided
    #[arg(long)]
    pub partial: bool,
    /// Folder for the merged run; an earlier one becomes DIR.old
    #[arg(short, long, value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub out: PathBuf,
}

/// `hyperkill operators`.
#[derive(Args, Debug)]
pub struct OperatorsArgs {
    /// Only operators of this language
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
}

/// `hyperkill schema`.
#[derive(Args, Debug)]
pub struct SchemaArgs {
    /// Name of the document
    #[arg(value_enum, value_name = "NAME")]
    pub name: DocumentName,
}

/// `hyperkill completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// Name of the shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `hyperkill man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Folder for the pages [default: the page of the program on standard output]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed_and_every_command_shows_an_example() {
        let mut command = Cli::command();
        command.build();
        command.clone().debug_assert();
        for sub in command.get_subcommands_mut() {
            if sub.get_name() != "help" {
                let help = sub.render_long_help().to_string();
                assert!(
                    help.contains("Example:\n  hyperkill "),
                    "{}",
                    sub.get_name()
                );
            }
        }
    }
}
