//! The command line as typed data. Values are checked here; files are not touched.

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

/// What the exit statuses mean, for `--help`.
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
    /// What to do.
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
    /// Decide a formula over an AIGER file, its bad states, or what a model states itself
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
    /// The tests of a suite in another form
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
    /// Which mutants of a run something else notices: your own test bench, or a suite
    #[command(after_help = systems::SCORE_HELP)]
    Score(ScoreArgs),
    /// The mutants of a run, a line for each, or one in full: source diff, verdict, evidence, test
    #[command(
        after_help = "Example:\n  hyperkill show beverage.out --verdict unknown --file beverage.smv:10-20\n  hyperkill show m-1a2b \
            beverage.out"
    )]
    Show(ShowArgs),
    /// What a run has found as a page, for other programs, or at the lines of the source
    #[command(after_help = report::HELP)]
    Report(ReportArgs),
    /// Go on with a run that was killed or interrupted, or that failed, as if it had never stopped
    #[command(
        after_help = "What was decided stays, and the run's own options and model are taken from its folder. Exit statuses are \
            those of `hyperkill run`.\n\nExample:\n  hyperkill resume beverage.out"
    )]
    Resume(ResumeArgs),
    /// Cut a run into shards for a cluster
    #[command(after_help = plans::PLAN_HELP)]
    Plan(Box<PlanArgs>),
    /// Job files for a scheduler that runs the shards of a plan
    #[command(after_help = plans::SUBMIT_HELP)]
    Submit(SubmitArgs),
    /// Make one run of all the parts (--shard) of one, or of all shards of a plan
    #[command(
        after_help = "The parts must be finished, and all parts of one run: of the same model, options and mutants, none twice and \
            none missing. Exit statuses are those of `hyperkill run`.\n\nExample:\n  hyperkill merge part0 part1 part2 part3 -o \
            whole"
    )]
    Merge(MergeArgs),
    /// How far a run is, or a plan
    #[command(after_help = "Example:\n  hyperkill status beverage.out")]
    Status(StatusArgs),
    /// The catalogue of mutation operators
    #[command(after_help = "Example:\n  hyperkill operators --language smv")]
    Operators(OperatorsArgs),
    /// The engines that can decide mutants
    #[command(after_help = "Example:\n  hyperkill engines")]
    Engines,
    /// A JSON Schema of what hyperkill writes
    #[command(after_help = "Example:\n  hyperkill schema check > check.schema.json")]
    Schema(SchemaArgs),
    /// Completions for a shell
    #[command(
        after_help = "Example:\n  hyperkill completions bash > ~/.local/share/bash-completion/completions/hyperkill"
    )]
    Completions(CompletionsArgs),
    /// Manual pages: that of the program, or with `-o` one for each command as well
    #[command(after_help = "Example:\n  hyperkill man -o ~/.local/share/man/man1")]
    Man(ManArgs),
}

/// A model and how to read it.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// The model's files; `-` is standard input
    #[arg(required = true, value_name = "MODEL")]
    pub files: Vec<PathBuf>,
    /// Language of the model [default: by the file name's extension]
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// Sets a named constant of the model, or defines a macro, as 1 if no value is said; may be repeated
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<Definition>,
    /// The faults that mutants may have: a file with `faults { … }`, or `chaos:STATES:MAXTIMEOUT` for everything in so many
    /// states. For languages with domains of faults; without it, what is written behind the model
    #[arg(long, value_name = "FILE|chaos:S:T")]
    pub domain: Option<String>,
    /// An input of which a machine says nothing in a state: no test gives it there, and mutants may do anything; or it is an error
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Undefined::Ignore)]
    pub undefined: Undefined,
    /// How a circuit is read.
    #[command(flatten)]
    pub hardware: HardwareArgs,
    /// How timed processes are read.
    #[command(flatten)]
    pub process: ProcessArgs,
    /// Where constraints leave no step for an input, let model and mutants ignore it: nothing changes, and the output
    /// `hyperkill-ignored` says so. All other outputs then have the first value of their type. In action systems both refuse just what they
    /// cannot do, and the output `done` says so
    #[arg(long)]
    pub complete: bool,
    /// What is seen of models with events beside these: nothing but outputs (outputs), the variables after each step (state), or also which
    /// transition was taken (transition, of machines only) [default: outputs, or state of systems without outputs and inputs]
    #[arg(long, value_name = "WHAT")]
    pub observe: Option<String>,
    /// The range of an integer that has no bounds in a GraphWalker model; may be repeated. Runs that leave it are not looked at
    #[arg(long, value_name = "NAME=LOW..HIGH")]
    pub range: Vec<IntegerRange>,
    /// Who controls what.
    #[command(flatten)]
    pub roles: RoleArgs,
}

/// What inputs are of which a machine says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum Undefined {
    /// No test gives them.
    #[default]
    Ignore,
    /// The machine is refused.
    Error,
}

impl ModelArgs {
    /// The model that is meant, with all of its mutants.
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

/// The question asked of every mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum PropertyChoice {
    /// Potential killing first (phi1 if the model is deterministic, else phi2), then the strength.
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

/// Engines, limits, and what an answer that is not found means.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Deciding")]
pub struct LimitArgs {
    /// Longest test or run, in steps: nothing is searched beyond [default: unlimited]
    #[arg(long, value_name = "K", value_parser = values::positive)]
    pub bound: Option<usize>,
    /// Time per mutant or property, or `none`
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
    /// Add times to the results, which are then no longer the same for every run
    #[arg(long)]
    pub timings: bool,
}

impl LimitArgs {
    /// Bytes that each of so many jobs may have that run at a time, if that is limited.
    #[must_use]
    pub fn memory_of_job(&self, jobs: usize) -> Option<u64> {
        Some(self.memory.0? / jobs.max(1) as u64)
    }
}

/// How mutants are decided.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Deciding")]
pub struct DecisionArgs {
    /// The killing formula to ask
    #[arg(long, value_enum, default_value_t = PropertyChoice::Auto)]
    pub property: PropertyChoice,
    /// The same as a HyperLTL formula; `hyperkill verify` decides others
    #[arg(long, value_name = "TEXT", conflicts_with = "property")]
    pub formula: Option<String>,
    /// The same from a file
    #[arg(long, value_name = "F", conflicts_with_all = ["property", "formula"])]
    pub formula_file: Option<PathBuf>,
    /// Choices can be controlled as if they were test inputs
    #[arg(long)]
    pub controllable_nd: bool,
    /// Engines and limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Another model checker to ask about what the engines leave open; may be repeated. {model} is an AIGER file, {witness}
    /// and {certificate} are files that it may write. The first line that it prints is 0, 1 or 2, as in the hardware model
    /// checking competition; it is believed only with a run that can be followed or a witness circuit whose invariant checks
    #[arg(long, value_name = "COMMAND")]
    pub external: Vec<Spelled<ExternalCommand>>,
    /// Kind of the tests [default: linear if the model is deterministic; if it chooses a tree where there is one, else global]
    #[arg(long, value_enum, value_name = "KIND")]
    pub tests: Option<TestChoice>,
    /// Keep every distinct test, not only as many as are needed
    #[arg(long, alias = "no-minimize")]
    pub no_minimise: bool,
    /// Exit status 2 if the mutation score is under PCT percent. Counted are definite kills, and controllable ones with
    /// --controllable-nd; undecided mutants count as not killed
    #[arg(long, value_name = "PCT")]
    pub fail_under: Option<Spelled<Percent>>,
    /// Mutants that are known and accepted: a line for each, with its id and perhaps why. As long as they survive, or are
    /// undecided, they count neither for --fail-under nor for the exit status
    #[arg(long, value_name = "FILE")]
    pub accept_file: Option<PathBuf>,
    /// The same, as a run writes them down.
    #[arg(long, value_name = "ID", hide = true)]
    pub accept_mutant: Vec<String>,
    /// Decide nothing: say which engines would be asked about what, in which order, and how much each step may cost
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
    /// Which mutants.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// How.
    #[command(flatten)]
    pub decision: DecisionArgs,
    /// Tests for a domain of faults go on up to N inputs where that saves other tests [default: one more than there are states]
    #[arg(long, value_name = "N", value_parser = values::positive, help_heading = "Deciding")]
    pub max_length: Option<usize>,
    /// What a suite for a domain of faults has little of: tests, inputs of all tests, or time on the clock
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = CostChoice::Tests, help_heading = "Deciding")]
    pub cost: CostChoice,
    /// Begin the search for a suite for a domain of faults with the suite of a classic method, and say how large that is
    #[arg(long, value_enum, value_name = "METHOD", help_heading = "Deciding")]
    pub method: Option<MethodChoice>,
    /// Folder for everything found; an earlier one becomes DIR.old
    #[arg(short, long, value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub out: PathBuf,
    /// Carry over verdicts from the run in this folder whose evidence still holds [default: from what is in the folder that is to be
    /// written]
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// Carry nothing over: decide everything anew
    #[arg(long, conflicts_with = "from")]
    pub force: bool,
    /// Decide the shard --shard K of the plan in this folder; its options are those of the plan
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
    /// Cut into N shards
    #[arg(long, value_name = "N", value_parser = values::positive, help_heading = "Shards", required_unless_present = "per_shard")]
    pub shards: Option<usize>,
    /// Cut into shards that take one thread about so long, by the estimate
    #[arg(
        long,
        value_name = "DUR",
        help_heading = "Shards",
        conflicts_with = "shards"
    )]
    pub per_shard: Option<Limit>,
    /// Estimate by the times of this earlier run, of any version of the model [default: by the size of what a verdict depends on]
    #[arg(long, value_name = "DIR", help_heading = "Shards")]
    pub costs: Option<PathBuf>,
}

/// Texts that a machine can be written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MachineForm {
    /// As it is read.
    Tfsm,
    /// A graph in DOT, dashed where only mutants do so.
    Dot,
    /// A feature model: the model of a timed process or one of its mutants, but for those that guidelines exclude.
    Uvl,
    /// A machine with variables: the model of every language of guarded commands, without its mutants.
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
    /// Only this mutant, behind a selector called `mut`
    #[arg(long, value_name = "ID")]
    pub mutant: Option<String>,
    /// Write the product of original and mutant instead, for other model checkers: bad is that their outputs differ on the
    /// same inputs. They make the same choices, if there are any, and that the original cannot is bad too. Without --mutant
    /// a latch for each mutant says which it is
    #[arg(long)]
    pub product: bool,
    /// Write text instead: a machine and its domain of faults, each mutated transition of it by itself, as a `.tfsm` or a graph; the
    /// mutants of a timed process as a feature model; or a system of guarded commands as a machine with variables
    #[arg(long, value_enum, value_name = "FORM", conflicts_with_all = ["product", "mutant", "order", "ascii", "binary"])]
    pub to: Option<MachineForm>,
    /// Write whether a mutant of the domain of faults passes all tests of this suite and differs: that is bad, and where nothing bad is
    /// reached the suite is complete
    #[arg(long, value_name = "FILE", conflicts_with_all = ["product", "mutant", "order", "to"])]
    pub suite: Option<PathBuf>,
    /// Steps of time to a unit in the circuit of a timed process, at least 2 [default: 2]
    #[arg(long, value_name = "N", conflicts_with_all = ["to", "suite"])]
    pub ticks: Option<u32>,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,
    /// Write the ascii format
    #[arg(long, conflicts_with = "binary")]
    pub ascii: bool,
    /// Write the binary format
    #[arg(long)]
    pub binary: bool,
}

/// `hyperkill check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// An AIGER file; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// As `hyperkill verify --specs`, for one more release
    #[arg(long, conflicts_with = "out")]
    pub specs: bool,
    /// As `hyperkill verify --totality`, for one more release
    #[arg(long, conflicts_with_all = ["out", "specs"])]
    pub totality: bool,
    /// Who controls what.
    #[command(flatten)]
    pub roles: RoleArgs,
    /// Which mutants.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// How.
    #[command(flatten)]
    pub decision: DecisionArgs,
    /// Also write a run folder; an earlier one becomes DIR.old
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// As `hyperkill verify --traces`, for one more release. Questions about killing are about finite traces
    #[arg(long, value_enum, value_name = "WHICH")]
    pub traces: Option<TracesChoice>,
    /// As `hyperkill verify --witness`, for one more release
    #[arg(long, value_name = "DIR")]
    pub witness: Option<PathBuf>,
}

/// `hyperkill verify`.
#[derive(Args, Clone, Debug)]
#[command(mut_group("SelectionArgs", |selection| selection.requires("asked")))]
#[command(group(ArgGroup::new("asked").args(["formula", "formula_file"])))]
pub struct VerifyArgs {
    /// An AIGER file, `-` is standard input; with a formula also a model in another language
    #[arg(
        value_name = "FILE",
        required = false,
        required_unless_present = "system",
        value_parser = any_path(),
        default_value_if("system", ArgPredicate::IsPresent, "")
    )]
    pub file: PathBuf,
    /// The model that this trace of the formula is of, if it is not FILE; may be repeated
    #[arg(long, value_name = "TRACE=FILE", requires = "asked")]
    pub system: Vec<SystemFile>,
    /// An AIGER file that says what the traces of `exists` do: from the traces of a leading `forall`, or without inputs if `exists`
    /// leads. Inputs and outputs are called NAME_0, NAME_1, …: an input and the place of a trace in the prefix
    #[arg(long, value_name = "FILE", requires = "asked")]
    pub strategy: Option<PathBuf>,
    /// A HyperLTL formula [default: no bad state can be reached]
    #[arg(long, value_name = "TEXT")]
    pub formula: Option<String>,
    /// The same from a file
    #[arg(long, value_name = "F")]
    pub formula_file: Option<PathBuf>,
    /// The language of the formula
    #[arg(long, value_enum, value_name = "LANGUAGE", default_value_t = DialectChoice::Hyperkill, requires = "asked")]
    pub dialect: DialectChoice,
    /// Which traces the formula is about
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = TracesChoice::Infinite, requires = "asked")]
    pub traces: TracesChoice,
    /// FILE is a model in another language: verify the invariants that it states itself, such as INVARSPEC
    #[arg(long, conflicts_with = "asked")]
    pub specs: bool,
    /// FILE is a model in another language: does every state that can be reached have a successor, and one for every input?
    #[arg(long, conflicts_with_all = ["asked", "specs"])]
    pub totality: bool,
    /// FILE is a model with a domain of faults: do the tests of this `suite.json` tell every mutant, with any number of
    /// faults, that can be told?
    #[arg(long, value_name = "SUITE", conflicts_with_all = ["asked", "specs", "totality", "witness"])]
    pub suite: Option<PathBuf>,
    /// With --suite: the faults that mutants may have, as in `hyperkill run`
    #[arg(long, value_name = "FILE|chaos:S:T", requires = "suite")]
    pub domain: Option<String>,
    /// With --suite, if the tests tell every mutant: write the last question about it and the proof of its answer into this folder, for
    /// other checkers: complete.cnf in DIMACS, which nothing may satisfy, and complete.lrat
    #[arg(long, value_name = "DIR", requires = "suite")]
    pub proof: Option<PathBuf>,
    /// FILE is a model of timed processes: does the left side refine the right one, as in `A || B <= C && D`? May be repeated, also
    /// beside the next two
    #[arg(long, value_name = "QUERY", conflicts_with_all = ["asked", "specs", "totality", "suite", "witness"])]
    pub refinement: Vec<String>,
    /// The same file: has this a good initial state?
    #[arg(long, value_name = "QUERY", conflicts_with_all = ["asked", "specs", "totality", "suite", "witness"])]
    pub consistency: Vec<String>,
    /// The same file: does no action lead from one state of this to two?
    #[arg(long, value_name = "QUERY", conflicts_with_all = ["asked", "specs", "totality", "suite", "witness"])]
    pub determinism: Vec<String>,
    /// Write a witness or a certificate of each bad state property into this folder, as in the hardware model checking
    /// competition, and each run that reaches one with names and values, as JSON
    #[arg(long, value_name = "DIR", conflicts_with_all = ["asked", "totality"])]
    pub witness: Option<PathBuf>,
    /// Who controls what.
    #[command(flatten)]
    pub roles: RoleArgs,
    /// Which mutants the formula is about, if it is about any.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Engines and limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Another model checker to ask about bad states that the engines leave open; may be repeated. {model}, {witness} and
    /// {certificate} are as in `hyperkill check`
    #[arg(long, value_name = "COMMAND", help_heading = "Deciding", conflicts_with_all = ["asked", "totality"])]
    pub external: Vec<Spelled<ExternalCommand>>,
    /// Decide nothing: say what would be asked, by which engines, in which order, and how much each step may cost
    #[arg(long, help_heading = "Deciding")]
    pub explain: bool,
    /// Also write the answers to the formula and what shows them into this folder, for `hyperkill certify`; an earlier one becomes DIR.old
    #[arg(short, long, value_name = "DIR", requires = "asked")]
    pub out: Option<PathBuf>,
}

/// `hyperkill certify`.
#[derive(Args, Clone, Debug)]
pub struct CertifyArgs {
    /// Folder of the run, or of a plan
    #[arg(value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub dir: PathBuf,
    /// Of a plan: check this shard, which must be decided; they count from 0
    #[arg(long, value_name = "K")]
    pub shard: Option<usize>,
    /// Read this file of the model in place of the run's copy; once for each of them, in their order
    #[arg(long, value_name = "FILE")]
    pub model: Vec<PathBuf>,
    /// Time per claim, or `none`
    #[arg(long, value_name = "DUR", default_value = "60s")]
    pub timeout: Limit,
    /// Also write each proof that has the form into this folder as in the hardware model checking competition, for checkers
    /// like Certifaiger: NAME.model.aig, a safety problem, and NAME.witness.aig, a witness circuit
    #[arg(long, value_name = "DIR")]
    pub hwmcc: Option<PathBuf>,
}

/// `hyperkill list`.
#[derive(Args, Debug)]
pub struct ListArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Which mutants.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// The source difference of each mutant
    #[arg(long)]
    pub diff: bool,
    /// Write the plain mutated source of each mutant that is not invalid into this folder; of a model in several files,
    /// `replaced.tsv` there says which of them each stands for
    #[arg(long, value_name = "DIR")]
    pub emit: Option<PathBuf>,
    /// Write one file there that is each of the mutants by a constant in it: of timed processes
    #[arg(long, requires = "emit")]
    pub featured: bool,
    /// Inputs, choices and outputs instead of mutants, and how their roles were found
    #[arg(long, conflicts_with_all = ["diff", "emit", "mutant", "lines", "in_diff", "exclude", "sample", "shard"])]
    pub signature: bool,
    /// Time for everything, reading the model included, or `none`
    #[arg(long, value_name = "DUR", default_value = "none")]
    pub total_timeout: Limit,
}

/// `hyperkill show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// The mutant, by id or a unique start of it [default: a line for each mutant]
    #[arg(value_name = "ID")]
    pub mutant: Option<String>,
    /// Folder of the run; it may stand alone, without an id
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
    /// Of one mutant: read the run's model, and show what both runs of the kill chose where nobody sees it
    #[arg(long)]
    pub hidden: bool,
    /// Of one mutant: write the runs of model and mutant side by side as waveforms, with --hidden also what they hold and choose
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
}

/// `hyperkill status`.
#[derive(Args, Debug)]
pub struct StatusArgs {
    /// Folder of the run
    #[arg(value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub dir: PathBuf,
    /// Where the time went, by round, engine and phase, with counted work
    #[arg(long)]
    pub work: bool,
}

/// `hyperkill resume`.
#[derive(Args, Debug)]
pub struct ResumeArgs {
    /// Folder of the run
    #[arg(value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub dir: PathBuf,
    /// A program that the run asked, as it was named then; may be repeated. All other options are known
    #[arg(long, value_name = "COMMAND")]
    pub external: Vec<String>,
}

/// `hyperkill merge`.
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// Folders of all parts of a run, in any order, or the folder of a plan
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Of a plan: also without shards that are not decided; their mutants are undecided then
    #[arg(long)]
    pub partial: bool,
    /// Folder for the whole run; an earlier one becomes DIR.old
    #[arg(short, long, value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub out: PathBuf,
}

/// `hyperkill operators`.
#[derive(Args, Debug)]
pub struct OperatorsArgs {
    /// Only those of this language
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
}

/// `hyperkill schema`.
#[derive(Args, Debug)]
pub struct SchemaArgs {
    /// Which document
    #[arg(value_enum, value_name = "NAME")]
    pub name: DocumentName,
}

/// `hyperkill completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `hyperkill man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Folder for the pages [default: that of the program on standard output]
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
