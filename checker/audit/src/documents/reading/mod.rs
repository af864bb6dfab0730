//! The options with which a model is read, in sections by kind of language. Documents of runs store them, and the model is read again with
//! them.

mod values;

use std::path::PathBuf;

use hyperkill_frontend::ModelOption;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

pub use values::{BlackBox, ClockPeriod, Definition, IntegerRange, Order, Reset};

/// The options of a model. Together with its files and its language they decide its meaning. By default no option is given.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ModelOptions {
    /// Named constants that were set, as `NAME=VALUE`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub define: Vec<Definition>,
    /// Options about circuits in hardware languages.
    #[serde(flatten)]
    pub hardware: HardwareOptions,
    /// The name of the fault domain. Missing if the domain is a file, which is listed among the files.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub domain: Option<String>,
    /// Options about timed processes.
    #[serde(flatten)]
    pub processes: ProcessOptions,
    /// The number of changes of a mutant. Missing: one change.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub order: Option<usize>,
    /// The number of mutants of that order that were sampled. Missing: all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub order_sample: Option<usize>,
    /// Options about inputs without a step, and about observation.
    #[serde(flatten)]
    pub events: EventOptions,
    /// The roles of variables that were set.
    #[serde(flatten)]
    pub roles: RoleOptions,
    /// Whether a model without a transition for some input in some state is refused. The option does not change the meaning of a model that
    /// is read, so documents do not store it.
    #[serde(skip)]
    pub everything_defined: bool,
}

/// Options about circuits in hardware languages.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HardwareOptions {
    /// The top module, if selected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub top: Option<String>,
    /// Folders with files to include.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        default,
        serialize_with = "lossy"
    )]
    #[schemars(with = "Vec<String>")]
    pub include: Vec<PathBuf>,
    /// Resets, as `NAME[=0|1][:STEPS]`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub reset: Vec<Reset>,
    /// Whether registers without an initial value start at 0.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub zero_init: bool,
    /// Parameters of the top module that were set, as `NAME=VALUE`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub parameters: Vec<Definition>,
    /// Whether all clocks are taken for one.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub one_clock: bool,
    /// The clocks that tick, as `NAME[:PERIOD]`. Empty: all clocks tick.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub clock: Vec<ClockPeriod>,
    /// Conditions that are assumed in all steps.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub assume: Vec<String>,
    /// The program that translates the files before a front end reads them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(with = "Option<String>")]
    pub via: Option<Program>,
    /// Modules whose outputs are choices, as `NAME[:unobserved]`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub blackbox: Vec<BlackBox>,
    /// Modules whose outputs are an unknown function of their inputs.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub function: Vec<String>,
    /// Files with modules that stand in for missing ones. They are the last ones of the files, too.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub stub: Vec<String>,
}

/// A program that translates a model before a front end reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// yosys: Verilog becomes a netlist.
    Yosys,
}

/// Options about timed processes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProcessOptions {
    /// The process under test, if selected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sut: Option<String>,
    /// The environment of the process under test, if selected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub environment: Option<String>,
    /// The conformance relation between mutant and model, if selected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub semantics: Option<String>,
    /// The target of inputs that the process leaves open, if selected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub totalise: Option<String>,
    /// The number of sampling steps per unit of time in a circuit. Only written circuits have this option, not runs.
    #[serde(skip)]
    pub ticks: Option<u32>,
}

/// Options about inputs without a step, and about observation.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct EventOptions {
    /// Whether inputs without a step are ignored.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub complete: bool,
    /// The observed part of a model with events. Missing: the default of its language.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub observe: Option<String>,
    /// Ranges of integers without a range in the model, as `NAME=LOW..HIGH`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ranges: Vec<IntegerRange>,
}

/// Roles of variables as patterns of names. They override and extend the roles in the model.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct RoleOptions {
    /// Test inputs.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub inputs: Vec<String>,
    /// Outputs.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub outputs: Vec<String>,
    /// Choices.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub nd: Vec<String>,
    /// Selectors.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub selectors: Vec<String>,
}

/// Serialises the names of folders. Parts of a name that are not Unicode are replaced.
fn lossy<S: Serializer>(folders: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(folders.iter().map(|folder| folder.to_string_lossy()))
}

/// An option with its values as on the command line, sorted. A flag that is set has one empty value, and an option that was not given has
/// no values.
pub type Said = (ModelOption, Vec<String>);

impl ModelOptions {
    /// Returns the number of changes in each mutant and the size of the sample (the order). `None`: each mutant has one change.
    #[must_use]
    pub fn mutant_order(&self) -> Option<Order> {
        self.order.map(|changes| Order {
            changes,
            sample: self.order_sample,
        })
    }

    /// Returns all options with their values, given or not, without the order of mutants and the folders of included files.
    #[must_use]
    pub fn said(&self) -> Vec<Said> {
        let ModelOptions {
            define,
            hardware,
            domain,
            processes,
            order: _,
            order_sample: _,
            events,
            roles,
            everything_defined,
        } = self;
        let undefined = everything_defined.then(|| "error".to_owned());
        let mut said = vec![
            (ModelOption::Define, all(define)),
            (ModelOption::Domain, all(domain)),
            (ModelOption::Undefined, all(&undefined)),
        ];
        said.extend(hardware.said());
        said.extend(processes.said());
        said.extend(events.said());
        said.extend(roles.said());
        said
    }
}

impl HardwareOptions {
    fn said(&self) -> [Said; 11] {
        let via = self.via.map(|Program::Yosys| "yosys".to_owned());
        [
            (ModelOption::Top, all(&self.top)),
            (ModelOption::Reset, all(&self.reset)),
            (ModelOption::ZeroInit, flag(self.zero_init)),
            (ModelOption::Parameter, all(&self.parameters)),
            (ModelOption::OneClock, flag(self.one_clock)),
            (ModelOption::Clock, all(&self.clock)),
            (ModelOption::Assume, all(&self.assume)),
            (ModelOption::Via, all(&via)),
            (ModelOption::BlackBox, all(&self.blackbox)),
            (ModelOption::Function, all(&self.function)),
            (ModelOption::Stub, all(&self.stub)),
        ]
    }
}

impl ProcessOptions {
    fn said(&self) -> [Said; 5] {
        [
            (ModelOption::Sut, all(&self.sut)),
            (ModelOption::Environment, all(&self.environment)),
            (ModelOption::Semantics, all(&self.semantics)),
            (ModelOption::Totalise, all(&self.totalise)),
            (ModelOption::Ticks, all(&self.ticks)),
        ]
    }
}

impl EventOptions {
    fn said(&self) -> [Said; 3] {
        [
            (ModelOption::Complete, flag(self.complete)),
            (ModelOption::Observe, all(&self.observe)),
            (ModelOption::Range, all(&self.ranges)),
        ]
    }
}

impl RoleOptions {
    fn said(&self) -> [Said; 4] {
        [
            (ModelOption::Inputs, all(&self.inputs)),
            (ModelOption::Outputs, all(&self.outputs)),
            (ModelOption::Choices, all(&self.nd)),
            (ModelOption::Selectors, all(&self.selectors)),
        ]
    }
}

fn all<'a, T: ToString + 'a>(values: impl IntoIterator<Item = &'a T>) -> Vec<String> {
    let mut values: Vec<String> = values.into_iter().map(ToString::to_string).collect();
    values.sort_unstable();
    values
}

fn flag(given: bool) -> Vec<String> {
    given.then(String::new).into_iter().collect()
}
