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

/// BLIF. Files of a model are one library.
#[derive(Clone, Copy, Default, Debug)]
pub struct BlifFrontend;

/// The netlists of ISCAS'89. A model is one file.
#[derive(Clone, Copy, Default, Debug)]
pub struct BenchFrontend;

/// The JSON netlists of yosys.
#[derive(Clone, Copy, Default, Debug)]
pub struct YosysFrontend;

impl BlifFrontend {
    /// The name in `--language`.
    pub const NAME: &str = "blif";
}

impl BenchFrontend {
    /// The name in `--language`.
    pub const NAME: &str = "bench";
}

impl YosysFrontend {
    /// The name in `--language`.
    pub const NAME: &str = "yosys-json";
}

impl Frontend for BlifFrontend {
    fn name(&self) -> &'static str {
        BlifFrontend::NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["blif"]
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
        insertion::translate(&blif::read(sources)?, sources, options, blif::gate)
    }

    fn hardware(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Option<Hardware>, Vec<Diagnostic>> {
        Design::new(&blif::read(sources)?, options, true)?
            .hardware(options)
            .map(Some)
    }
}

impl Frontend for BenchFrontend {
    fn name(&self) -> &'static str {
        BenchFrontend::NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["bench"]
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
        insertion::translate(&bench::read(sources)?, sources, options, bench::gate)
    }

    fn hardware(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Option<Hardware>, Vec<Diagnostic>> {
        Design::new(&bench::read(sources)?, options, true)?
            .hardware(options)
            .map(Some)
    }
}

impl Frontend for YosysFrontend {
    fn name(&self) -> &'static str {
        YosysFrontend::NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["json"]
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
        let library = json::read(sources)?;
        let design = Design::new(&library, options, false)?;
        let fresh: Vec<(String, u64)> = (sources.iter())
            .map(|source| json::fresh(&source.text))
            .collect();
        design.translate(sources, options, |_, cell, change| {
            let file = cell.span.file;
            json::rewrite(cell, change, &sources[file].text, &fresh[file])
        })
    }

    fn hardware(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Option<Hardware>, Vec<Diagnostic>> {
        let library = json::read(sources)?;
        let design = Design::new(&library, options, false)?;
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
