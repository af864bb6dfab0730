//! Netlists: reads BLIF, the format of ISCAS'89 and the JSON of yosys to featured transition systems with their mutants.
//!
//! A netlist has cells that are connected by nets of one bit. Registers change on the edge of one clock, which is no input of the model.
//! With `--one-clock` all of them change at every step, for all their clocks. The mutants are those of mcy: a bit of a cell's pin is
//! inverted, stuck, or inverted under the control of another bit.
//!
//! The simulation value x does not exist here. Registers without an initial value start with any value (a choice; 0 with `--zero-init`),
//! and x elsewhere is a choice at every step. In three cases the simulation models of yosys give x, and gates give a value, which is used
//! here. Bits selected beyond the end of a word are 0. A number divided by 0 is all ones, and the remainder is the dividend. Of several
//! selects of a `$pmux` the lowest counts.
//!
//! The passes: [`blif`], [`mod@bench`] or [`json`] → [`flat`] → [`order`], [`timing`] → [`mutate`] → [`lower`].

pub mod bench;
pub mod blif;
mod design;
pub mod flat;
pub mod function;
mod insertion;
pub mod json;
pub mod lower;
pub mod mutate;
pub mod netlist;
mod open;
pub mod order;
pub mod ports;
pub mod timing;

use hyperkill_core::mutant::Operator;
use hyperkill_core::system::Translation;
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, Hardware, ModelOption, SourceFile, lacking,
};

use design::Design;
use netlist::Library;

/// The language of a netlist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetlistFrontend {
    /// BLIF. Files of a model are one library.
    Blif,
    /// The netlists of ISCAS'89. A model is one file.
    Bench,
    /// The JSON netlists of yosys.
    Yosys,
}

impl NetlistFrontend {
    fn read(self, sources: &[SourceFile]) -> Result<Library, Vec<Diagnostic>> {
        match self {
            NetlistFrontend::Blif => blif::read(sources),
            NetlistFrontend::Bench => bench::read(sources),
            NetlistFrontend::Yosys => json::read(sources),
        }
    }

    fn design<'a>(
        self,
        library: &'a Library,
        options: &FrontendOptions,
    ) -> Result<Design<'a>, Vec<Diagnostic>> {
        // yosys keeps the bits of a word together.
        Design::new(library, options, self != NetlistFrontend::Yosys)
    }
}

impl Frontend for NetlistFrontend {
    fn name(&self) -> &'static str {
        match self {
            NetlistFrontend::Blif => "blif",
            NetlistFrontend::Bench => "bench",
            NetlistFrontend::Yosys => "yosys-json",
        }
    }

    fn extensions(&self) -> &'static [&'static str] {
        match self {
            NetlistFrontend::Blif => &["blif"],
            NetlistFrontend::Bench => &["bench"],
            NetlistFrontend::Yosys => &["json"],
        }
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators()
    }

    fn options(&self) -> &'static [ModelOption] {
        OPTIONS
    }

    fn lacks(&self, option: ModelOption) -> &'static str {
        lacks(option)
    }

    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>> {
        let library = self.read(sources)?;
        let design = self.design(&library, options)?;
        let gate = match self {
            NetlistFrontend::Blif => blif::gate,
            NetlistFrontend::Bench => bench::gate,
            NetlistFrontend::Yosys => return json::translate(design, sources, options),
        };
        insertion::translate(design, sources, options, gate)
    }

    fn hardware(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Option<Hardware>, Vec<Diagnostic>> {
        let library = self.read(sources)?;
        let design = self.design(&library, options)?;
        design.hardware(options).map(Some)
    }
}

/// The options of netlists. With `--complete`, a netlist ignores inputs that its constraints refuse.
const OPTIONS: &[ModelOption] = &[
    ModelOption::Top,
    ModelOption::Include,
    ModelOption::Reset,
    ModelOption::ZeroInit,
    ModelOption::OneClock,
    ModelOption::Via,
    ModelOption::Complete,
    ModelOption::Inputs,
    ModelOption::Outputs,
    ModelOption::Choices,
];

/// Returns the reason why an option has no meaning for a language without names and expressions.
fn lacks(option: ModelOption) -> &'static str {
    match option {
        ModelOption::Define => "a netlist has no named constants",
        ModelOption::Parameter => "a netlist has no parameters",
        ModelOption::Assume => "a netlist has no expressions",
        ModelOption::Clock => "netlists are read with one clock, or with --one-clock",
        option => lacking(option),
    }
}
