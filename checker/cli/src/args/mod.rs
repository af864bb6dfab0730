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
  5    evidence failed its check
  2    score under --fail-under, a property or a test fails, or mutants survive
  3    a mutant, a property or a test is undecided
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
        after_help = "Without -o the circuit is written to standard output. The format is ascii AIGER for a file called *.aag and \
            on a terminal, otherwise binary AIGER. --ascii and --binary override this.\n\nExample:\n  hyperkill translate \
            beverage.smv -o - | hyperkill check - --property phi1"
    )]
    Translate(TranslateArgs),
    /// Decide the mutants of an AIGER file
    #[command(
        after_help = "An input called `nd:NAME` is a choice. A latch called `mut` or `mut:ID` selects mutants.\n\n\
            For one more release `check` also answers questions of `hyperkill verify`, with a warning. These are files without \
            mutants, formulas that are no killing formulas, formulas over infinite traces, --specs and \
            --totality.\n\nExample:\n  hyperkill check mutants.aag --property phi1 --format json"
    )]
    Check(CheckArgs),
    /// Decide a formula over an AIGER file, its bad states, or the properties that a model states
    #[command(after_help = syntax::verify_help())]
    Verify(VerifyArgs),
    /// Check all evidence of a run again, from its copy of the model, without the engines
    #[command(
        after_help = "The files of --model must be equal to the files that the run read.\n\nExit status 0: all evidence checks; \
            5: some evidence fails its check; 3: some evidence could not be checked within --timeout.\n\nExample:\n  \
            hyperkill certify beverage.out"
    )]
    Certify(CertifyArgs),
    /// List the mutants of a model without deciding them
    #[command(after_help = "Example:\n  hyperkill list beverage.smv --operator 'R*' --diff")]
    List(ListArgs),
    /// Write the tests of a suite in another form
    #[command(
        after_help = "--to smv writes the model with a monitor for each test. The INVARSPEC `hyperkill-test` of the monitor holds for \
            a deterministic model. It fails for a mutant that the test kills definitely, if the monitor is added to the source of \
            the mutant.\n\n--to verilog-testbench writes plain Verilog without the model. The bench prints PASS, FAIL or \
            INCONCLUSIVE for each test. It ends with $finish if all tests pass, else with $stop, for which `vvp -N` has exit \
            status 1:\n  iverilog -g2005 -o bench tests/testbench.v design.v && vvp -N bench\n\nThe forms verilog-testbench, \
            cocotb and sva accept every output that the model allows, and fail at all others. The export fails if the allowed \
            outputs of a test are too many for a bench. The forms vcd, csv, altwalker and aiger-stimulus have one run of each \
            test.\n\nThe model is read from the copies in the folder of the run, with the options of the \
            run.\n\nExample:\n  hyperkill export beverage.out --to smv -o tests"
    )]
    Export(ExportArgs),
    /// Run a suite on a real system: pass, fail or inconclusive for each test
    #[command(after_help = systems::EXEC_HELP)]
    Exec(ExecArgs),
    /// Score a test bench, a suite or the model's own properties on the mutants of a run
    #[command(after_help = systems::SCORE_HELP)]
    Score(ScoreArgs),
    /// Show the mutants of a run, one line each, or one mutant in full
    #[command(
        after_help = "With an ID the source diff, the verdict, the evidence and the test of the mutant are shown.\n\nExample:\n  \
            hyperkill show beverage.out --verdict unknown --file beverage.smv:10-20\n  hyperkill show m-1a2b beverage.out"
    )]
    Show(ShowArgs),
    /// Write reports on a run: a page, files for other programs, or annotations of source lines
    #[command(after_help = report::HELP)]
    Report(ReportArgs),
    /// Continue a run that was killed, interrupted or failed
    #[command(
        after_help = "Decided mutants keep their verdicts. The options and the model are read from the folder of the run. Exit \
            statuses are those of `hyperkill run`.\n\nExample:\n  hyperkill resume beverage.out"
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
        after_help = "All parts must be finished, and have the same model, options and mutants. Give each part of the run once. Exit \
            statuses are those of `hyperkill run`.\n\nExample:\n  hyperkill merge part0 part1 part2 part3 -o whole"
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
    /// Set a constant of the model, like `capacity=5`, or define a macro; may be repeated
    ///
    /// A macro without a value is 1.
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<Definition>,
    /// Domain of faults of a machine [default: the faults that the model states]
    ///
    /// FILE contains `faults { … }`. `chaos:S:T` is the domain of all machines with S states and timeouts up to T, like
    /// `chaos:4:600`. Only languages with domains of faults have this option.
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
    /// Let model and mutants ignore an input for which the constraints leave no step
    ///
    /// The state does not change. The output `hyperkill-ignored` reports the input, and all other outputs have the first value of
    /// their type. In action systems, model and mutants refuse exactly the events that are not enabled, and the output `done` reports
    /// whether an event was taken.
    #[arg(long)]
    pub complete: bool,
    /// Observed parts of a model with events: outputs, state or transition
    ///
    /// `outputs`: the outputs only. `state`: also the variables after each step. `transition`: also the transition that is taken, for
    /// machines only. [default: outputs; state for systems without outputs and inputs]
    #[arg(long, value_name = "WHAT")]
    pub observe: Option<String>,
    /// Range of an integer without bounds in a GraphWalker model, like `n=0..9`; may be repeated
    ///
    /// Runs that leave the range are ignored.
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
    /// Returns how to read the model: its files and options. No selection of mutants is set.
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
    /// Largest length of a test, a run or a lasso with one round, in steps [default: unlimited]
    #[arg(long, value_name = "K", value_parser = values::positive)]
    pub bound: Option<usize>,
    /// Time limit per mutant or property, like `90s` or `5min`, or `none`
    #[arg(long, value_name = "DUR", default_value = "60s")]
    pub timeout: Spelled<Limit>,
    /// Time limit for the command, reading the model included, or `none`
    #[arg(long, value_name = "DUR", default_value = "none")]
    pub total_timeout: Spelled<Limit>,
    /// Limit on the memory of this program, like `8G` or `512M` (units of 1024), or `none`
    ///
    /// The share of a mutant or property is SIZE divided by the number of threads. It is left undecided if its solvers exceed this
    /// share. No mutant or property is started while the program uses SIZE.
    #[arg(long, value_name = "SIZE", default_value = "none")]
    pub memory: Spelled<Memory>,
    /// Engines to use, separated by commas; `hyperkill engines` lists them
    ///
    /// `abc` in the list adds ABC, if it is installed. The list `external` leaves all questions to the programs of --external.
    #[arg(long, value_name = "LIST", default_value = EngineList::ALL)]
    pub engine: Spelled<EngineList>,
    /// Accept results of this kind: they do not change the exit status
    #[arg(long, value_name = "WHAT", value_enum)]
    pub accept: Option<Acceptance>,
    /// Add times to the results, which then differ between runs
    #[arg(long)]
    pub timings: bool,
}

impl LimitArgs {
    /// Returns the memory limit for each of `jobs` parallel jobs, in bytes; `None` if memory is not limited.
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
    /// Model checker for mutants that the engines leave undecided; may be repeated
    ///
    /// In COMMAND, {model} is an AIGER file; {witness} and {certificate} are files that the program may write, as in
    /// `prove {model} {witness} {certificate}`. The program prints a line 0 (proved), 1 (refuted) or 2 (unknown), as in the hardware model
    /// checking competition. An answer counts only if its evidence checks: a run that replays, or a witness circuit with an invariant.
    #[arg(long, value_name = "COMMAND")]
    pub external: Vec<Spelled<ExternalCommand>>,
    /// Kind of the tests [default: linear; for a model with choices tree, or global without a tree]
    #[arg(long, value_enum, value_name = "KIND")]
    pub tests: Option<TestChoice>,
    /// Keep every distinct test instead of a minimised suite
    #[arg(long, alias = "no-minimize")]
    pub no_minimise: bool,
    /// Exit with status 2 if the mutation score is under PCT percent, from 0 to 100
    ///
    /// Definite kills count, with --controllable-nd also controllable ones. Undecided mutants count as not killed.
    #[arg(long, value_name = "PCT")]
    pub fail_under: Option<Spelled<Percent>>,
    /// File with accepted mutants: a line for each, with its id and optionally a reason
    ///
    /// An accepted mutant that survives or is undecided counts neither for --fail-under nor for the exit status. A line that begins with
    /// `#` is a comment.
    #[arg(long, value_name = "FILE")]
    pub accept_file: Option<PathBuf>,
    /// Accepted mutants, as a run records them.
    #[arg(long, value_name = "ID", hide = true)]
    pub accept_mutant: Vec<String>,
    /// Decide nothing; print the questions, engines and limits of each step, in their order
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
    /// Largest length of an extended test for a domain of faults [default: number of states + 1]
    ///
    /// The length is a number of inputs. A test is extended if this saves other tests. A test that needs more inputs is longer.
    #[arg(long, value_name = "N", value_parser = values::positive, help_heading = "Deciding")]
    pub max_length: Option<usize>,
    /// Cost to reduce in a suite for a domain of faults
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = CostChoice::Tests, help_heading = "Deciding")]
    pub cost: CostChoice,
    /// Start from the suite of this classic method for a domain of faults, and report its size
    #[arg(long, value_enum, value_name = "METHOD", help_heading = "Deciding")]
    pub method: Option<MethodChoice>,
    /// Output folder of the run; an earlier one becomes DIR.old
    #[arg(short, long, value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub out: PathBuf,
    /// Folder of an earlier run to reuse verdicts from [default: the output folder]
    ///
    /// A verdict is reused if its evidence still holds.
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// Decide everything anew, without verdicts of an earlier run
    #[arg(long, conflicts_with = "from")]
    pub force: bool,
    /// Folder of a plan: decide shard K of it, as given by --shard, with the options of the plan
    #[arg(long, value_name = "DIR", requires = "shard", conflicts_with_all = ["files", "from", "force", "out"])]
    pub plan: Option<PathBuf>,
}

/// `hyperkill plan`.
#[derive(Args, Debug)]
#[command(
    mut_arg("out", |out| out.default_value("hyperkill.plan").help("Folder for the plan")),
    mut_arg("plan", |plan| plan.hide(true)), mut_arg("shard", |shard| shard.hide(true)),
)]
pub struct PlanArgs {
    /// The run that is planned.
    #[command(flatten)]
    pub run: RunArgs,
    /// Number of shards
    #[arg(long, value_name = "N", value_parser = values::positive, help_heading = "Shards", required_unless_present = "per_shard")]
    pub shards: Option<usize>,
    /// Estimated time of a shard on one thread; determines the number of shards
    #[arg(
        long,
        value_name = "DUR",
        help_heading = "Shards",
        conflicts_with = "shards"
    )]
    pub per_shard: Option<Limit>,
    /// Folder of an earlier run, of any version of the model; its times are the estimate
    ///
    /// Without this option, the estimate for a mutant is the size of the part of the model that its verdict depends on.
    #[arg(long, value_name = "DIR", help_heading = "Shards")]
    pub costs: Option<PathBuf>,
    /// Leave all methods to the shards, as plans of more than 4,000 mutants do
    #[arg(long, help_heading = "Shards")]
    pub only_divide: bool,
}

/// Text formats of machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MachineForm {
    /// The machine with its domain of faults, in the syntax in which it is read.
    Tfsm,
    /// A graph in DOT; transitions that only mutants take are dashed.
    Dot,
    /// A feature model: its products are a timed process and its mutants, except those that guidelines exclude.
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
    /// Write the product of original and mutant instead, for other model checkers
    ///
    /// A state is bad if the outputs of both differ on the same inputs. Both make the same choices; a choice that the original cannot make
    /// is bad too. Without --mutant, one latch for each mutant selects it.
    #[arg(long)]
    pub product: bool,
    /// Write the model or its mutants as text instead of a circuit
    ///
    /// `tfsm` and `dot` are for machines with a domain of faults, and show each mutated transition separately. `uvl` is for timed
    /// processes, `efsm` for systems of guarded commands.
    #[arg(long, value_enum, value_name = "FORM", conflicts_with_all = ["product", "mutant", "order", "ascii", "binary"])]
    pub to: Option<MachineForm>,
    /// Write the completeness question of this suite instead
    ///
    /// A state is bad if a mutant of the domain of faults passes all tests and differs from the model. The suite is complete if no bad
    /// state is reachable.
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
    /// Same as `hyperkill verify --traces`, for one more release; killing formulas use finite traces
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
    /// AIGER file with a strategy for the traces of `exists`
    ///
    /// The strategy reads the traces of a leading `forall`; it has no inputs if `exists` leads. Its inputs and outputs are called NAME_k:
    /// the signal NAME of the trace at place k of the prefix, counted from 0.
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
    /// Verify the properties that FILE, a model in another language, states, such as INVARSPEC
    #[arg(long, conflicts_with = "asked")]
    pub specs: bool,
    /// Decide whether every reachable state of FILE has a successor, and one for every input
    ///
    /// FILE is a model in another language than AIGER.
    #[arg(long, conflicts_with_all = ["asked", "specs"])]
    pub totality: bool,
    /// Decide whether the tests of this `suite.json` are complete for a domain of faults
    ///
    /// A complete suite distinguishes FILE, a model with a domain of faults, from each mutant that differs in behaviour. A mutant has any
    /// number of faults of the domain.
    #[arg(long, value_name = "SUITE", conflicts_with_all = ["asked", "specs", "totality", "witness"])]
    pub suite: Option<PathBuf>,
    /// With --suite: domain of faults, as in `hyperkill run`
    #[arg(long, value_name = "FILE|chaos:S:T", requires = "suite")]
    pub domain: Option<String>,
    /// With --suite: write the proof of completeness into this folder, for other checkers
    ///
    /// complete.cnf is an unsatisfiable formula in DIMACS, complete.lrat its refutation in LRAT. They are written if the suite is complete.
    #[arg(long, value_name = "DIR", requires = "suite")]
    pub proof: Option<PathBuf>,
    /// Decide whether the left side refines the right one, as in `A || B <= C && D`; may be repeated
    ///
    /// FILE is a model of timed processes. --consistency and --determinism may be given too.
    #[arg(long, value_name = "QUERY", conflicts_with_all = ["asked", "specs", "totality", "suite", "witness"])]
    pub refinement: Vec<String>,
    /// Decide whether this system in FILE has a good initial state; may be repeated
    #[arg(long, value_name = "QUERY", conflicts_with_all = ["asked", "specs", "totality", "suite", "witness"])]
    pub consistency: Vec<String>,
    /// Decide whether no action of this system in FILE leads from one state to two; may be repeated
    #[arg(long, value_name = "QUERY", conflicts_with_all = ["asked", "specs", "totality", "suite", "witness"])]
    pub determinism: Vec<String>,
    /// Write a witness or a certificate of each bad state property into this folder
    ///
    /// The files are those of the hardware model checking competition. Each run to a bad state is also written as JSON, with names and
    /// values.
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
    /// Model checker for bad states that the engines leave undecided; may be repeated
    ///
    /// {model}, {witness} and {certificate} have the meaning of `hyperkill check --external`.
    #[arg(long, value_name = "COMMAND", help_heading = "Deciding", conflicts_with_all = ["asked", "totality"])]
    pub external: Vec<Spelled<ExternalCommand>>,
    /// Decide nothing; print the questions, engines and limits of each step, in their order
    #[arg(long, help_heading = "Deciding")]
    pub explain: bool,
    /// Also write the answers to the formula into this folder; an earlier one becomes DIR.old
    ///
    /// The folder has the evidence of each answer. `hyperkill certify` checks it.
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
    /// Also write proofs as witness circuits into this folder, for checkers like Certifaiger
    ///
    /// Each suitable proof becomes a safety problem, NAME.model.aig, and a witness circuit, NAME.witness.aig, as in the hardware model
    /// checking competition.
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
    /// Write the mutated source of each valid mutant into this folder
    ///
    /// For a model in several files, `replaced.tsv` in the folder names the file that each source replaces.
    #[arg(long, value_name = "DIR")]
    pub emit: Option<PathBuf>,
    /// For timed processes: write one file with all mutants; a constant in it selects the mutant
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
    /// For one mutant: show the hidden choices of both runs of the kill, computed from the model
    #[arg(long)]
    pub hidden: bool,
    /// For one mutant: write the runs of model and mutant side by side into a waveform file (VCD)
    ///
    /// With --hidden the file also has their latches and choices.
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
    /// Program of the run's own --external, with the same command; may be repeated
    #[arg(long, value_name = "COMMAND")]
    pub external: Vec<String>,
}

/// `hyperkill merge`.
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// Folders of all parts of a run, in any order, or the folder of a plan
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// For a plan: merge the decided shards only; mutants of other shards become undecided
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
