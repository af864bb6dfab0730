//! A model to be read: its files, the language, the options, and the mutants that it is read with.

use std::path::PathBuf;

use hyperkill_audit::documents::reading::{
    self, BlackBox, ClockPeriod, Definition, ModelOptions, Reset,
};
use hyperkill_frontend::boxes::{BoxKind, BoxOption, Boxes};
use hyperkill_frontend::{
    ClockOption, EventOptions, Frontend, FrontendOptions, HardwareOptions, MachineOptions,
    ModelOption, ProcessOptions, ResetOption,
};

use crate::documents::{ModelDescription, Reading};
use crate::selection::Selection;
use crate::unfit::Unfit;

/// A model to be read.
#[derive(Clone, Default, Debug)]
pub struct ModelSpec {
    /// The model's files; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// The language; `None`: determined by the name of the first file.
    pub language: Option<String>,
    /// The options for reading the model.
    pub options: ModelOptions,
    /// The mutants of higher order that an earlier process has taken: one line per mutant, with its id and the ids of its changes.
    pub combinations: Option<String>,
    /// The selection of mutants with which the model is read; `None` for all mutants.
    pub taken: Option<Taken>,
}

/// The mutants with which a circuit is read.
#[derive(Clone, Debug)]
pub enum Taken {
    /// The mutants of a selection. The shard is taken later, so that all shards have the same circuit.
    Selected(Selection),
    /// The mutants of an earlier run: their ids, one line each.
    Listed(String),
}

impl Taken {
    /// Returns the mutants of a selection; `None` if the selection leaves out none.
    #[must_use]
    pub fn of(selection: Selection) -> Option<Taken> {
        match selection.is_everything() {
            true => None,
            false => Some(Taken::Selected(selection)),
        }
    }
}

/// An option with its values, as on the command line.
type Said = (&'static str, Vec<String>);

impl ModelSpec {
    /// Returns the specification of a model in a file, without options.
    pub fn of(file: impl Into<PathBuf>) -> ModelSpec {
        ModelSpec {
            files: vec![file.into()],
            ..ModelSpec::default()
        }
    }

    /// Returns the specification of the model in the documents of a run, with all of its mutants.
    #[must_use]
    pub fn recorded(model: &ModelDescription, reading: &Reading) -> ModelSpec {
        ModelSpec {
            files: reading.files.iter().map(PathBuf::from).collect(),
            language: Some(model.language.clone()),
            options: reading.options.clone(),
            ..ModelSpec::default()
        }
    }

    /// Adds files that options name to the files of the model. The files of `--stub` come last. The domain of faults is added if it is a
    /// file; a domain that begins with `chaos:` is none.
    pub fn settle(&mut self) {
        let stubs = self.options.hardware.stub.iter();
        let stubs: Vec<PathBuf> = stubs.map(PathBuf::from).collect();
        if !self.files.ends_with(&stubs) {
            self.files.extend(stubs);
        }
        let domain = &mut self.options.domain;
        let file = domain.take_if(|domain| !domain.starts_with("chaos:"));
        self.files.extend(file.map(PathBuf::from));
    }

    /// Checks that the options of `given` have the same values here. Options that `given` does not have, and folders of included files, are
    /// not compared.
    ///
    /// # Errors
    /// If an option differs: the option with both of its values.
    pub fn agrees_with(&self, given: &ModelSpec) -> Result<(), Unfit> {
        let (said, had) = (given.said(), self.said());
        let mut pairs = said.iter().zip(&had);
        let differing = pairs.find(|((_, said), (_, had))| !said.is_empty() && said != had);
        let Some((said, had)) = differing else {
            return Ok(());
        };
        let (said, had) = (spelled(said), spelled(had));
        let message = format!("the run read the model {had}, not {said}");
        Err(Unfit::new(message).with_help("leave the option out: the run recorded its options"))
    }

    /// Checks that the model of a suite was read with the same options.
    ///
    /// # Errors
    /// If an option differs: the option with both of its values.
    pub fn is_as_in(&self, suite: &ModelSpec) -> Result<(), Unfit> {
        let (own, had) = (suite.said(), self.said());
        match own.iter().zip(&had).find(|(own, had)| own != had) {
            None => Ok(()),
            Some((own, had)) => {
                let (own, had) = (spelled(own), spelled(had));
                let message =
                    format!("the suite is of the model read {own}, but the run read it {had}");
                Err(Unfit::new(message))
            }
        }
    }

    /// Returns the language, the order of mutants and the options, each with its values.
    fn said(&self) -> Vec<Said> {
        let order = self.options.mutant_order();
        let order = order.map(|order| order.to_string());
        let mut said: Vec<Said> = vec![
            ("--language", self.language.iter().cloned().collect()),
            ("--order", order.into_iter().collect()),
        ];
        let options = self.options.said().into_iter();
        said.extend(options.map(|(option, values)| (option.flag(), values)));
        said
    }
}

/// Returns an option with its values as a phrase with the words of the command line.
fn spelled((option, values): &Said) -> String {
    if values.is_empty() {
        return format!("without {option}");
    }
    let values = values.iter().map(|value| format!("{option} {value}"));
    let values: Vec<String> = values.map(|text| text.trim_end().to_owned()).collect();
    format!("with `{}`", values.join(" "))
}

/// The options of a language.
pub struct Understanding<'a> {
    /// The name of the language.
    pub language: &'a str,
    /// The options that the language has.
    pub options: &'a [ModelOption],
    /// A function that returns the reason why the language lacks another option, as a clause.
    pub lacks: &'a dyn Fn(ModelOption) -> &'static str,
}

/// Refuses options that a language does not have.
///
/// # Errors
/// If an option means nothing in the language: the reason, and the options of the language.
pub fn refuse_others(options: &ModelOptions, known: &Understanding<'_>) -> Result<(), Unfit> {
    // Another program is told of macros and parameters in place of the front end.
    let is_told = |option| {
        options.hardware.via.is_some()
            && matches!(option, ModelOption::Define | ModelOption::Parameter)
    };
    let said = options.said().into_iter();
    let mut said = said.filter(|(_, values)| !values.is_empty());
    let refused = said.find(|(option, _)| !known.options.contains(option) && !is_told(*option));
    let Some((option, values)) = refused else {
        return Ok(());
    };
    let written = format!("{} {}", option.flag(), values[0]);
    let (written, language) = (written.trim_end(), known.language);
    let message = format!(
        "{written} means nothing for models in {language}: {}",
        (known.lacks)(option)
    );
    let own: Vec<&str> = known.options.iter().map(|option| option.flag()).collect();
    let help = match own.is_empty() {
        true => format!("models in {language} are read without options"),
        false => format!("models in {language} are read with {}", own.join(", ")),
    };
    Err(Unfit::new(message).with_help(help))
}

/// Refuses options that the language of a built-in front end does not have.
///
/// # Errors
/// As [`refuse_others`].
pub fn refuse_unknown(options: &ModelOptions, frontend: &dyn Frontend) -> Result<(), Unfit> {
    let known = Understanding {
        language: frontend.name(),
        options: frontend.options(),
        lacks: &|option| frontend.lacks(option),
    };
    refuse_others(options, &known)
}

/// Returns the options for a front end. `base` has the predicates on names.
///
/// # Errors
/// If a constant or parameter has no value.
pub fn frontend_options(
    options: &ModelOptions,
    frontend: &dyn Frontend,
    base: FrontendOptions,
) -> Result<FrontendOptions, Unfit> {
    let ModelOptions {
        define,
        hardware,
        domain,
        processes,
        order: _,
        order_sample: _,
        events,
        roles: _,
        everything_defined,
    } = options.clone();
    let reading::HardwareOptions {
        top,
        include: _,
        reset,
        zero_init,
        parameters,
        one_clock,
        clock,
        assume,
        via,
        blackbox,
        function,
        stub,
    } = hardware;
    let reading::ProcessOptions {
        sut,
        environment,
        semantics,
        totalise,
        ticks,
    } = processes;
    // Another program that reads the files is given constants and parameters.
    let (define, parameters) = match via {
        None => (define, parameters),
        Some(_) => (Vec::new(), Vec::new()),
    };
    // A macro without a value is 1, as for other tools.
    let unsaid = frontend.is_about_hardware().then_some("1");
    let ranges = events.ranges.into_iter();
    Ok(FrontendOptions {
        constants: valued(ModelOption::Define, &define, unsaid)?,
        machines: MachineOptions {
            domain,
            everything_defined,
        },
        hardware: HardwareOptions {
            top,
            infer_no_resets: reset.iter().any(Reset::is_none),
            resets: reset_options(reset),
            zero_init,
            parameters: valued(ModelOption::Parameter, &parameters, None)?,
            one_clock,
            clocks: clock_options(clock),
            assumptions: assume,
            boxes: boxes(blackbox, function, stub.len())?,
        },
        processes: ProcessOptions {
            sut,
            environment,
            semantics,
            totalise,
            ticks,
        },
        events: EventOptions {
            observe: events.observe,
            complete: events.complete,
            ranges: ranges
                .map(|range| (range.name, (range.low, range.high)))
                .collect(),
        },
        ..base
    })
}

/// Returns the names of definitions with their values. `unsaid` is the value of a definition without one.
///
/// # Errors
/// If a definition has no value, and `unsaid` is `None`.
fn valued(
    option: ModelOption,
    definitions: &[Definition],
    unsaid: Option<&str>,
) -> Result<Vec<(String, String)>, Unfit> {
    let valued = definitions.iter().map(|definition| {
        if let (None, Some(value)) = (&definition.value, unsaid) {
            return Ok((definition.name.clone(), value.to_owned()));
        }
        let problem = |how| Unfit::new(format!("{} {}: {how}", option.flag(), definition.name));
        definition.valued().map_err(problem)
    });
    valued.collect()
}

/// Returns the options for black boxes and unknown functions.
///
/// # Errors
/// If a module is named twice.
fn boxes(blackbox: Vec<BlackBox>, function: Vec<String>, stubs: usize) -> Result<Boxes, Unfit> {
    let boxes = blackbox.into_iter().map(|module| BoxOption {
        name: module.name,
        kind: BoxKind::Choices {
            observed: module.observed,
        },
    });
    let functions = function.into_iter().map(|name| BoxOption {
        name,
        kind: BoxKind::Function,
    });
    let mut modules: Vec<BoxOption> = Vec::new();
    for module in boxes.chain(functions) {
        if modules.iter().any(|other| other.name == module.name) {
            let message = format!(
                "--blackbox and --function name the module `{}` more than once",
                module.name
            );
            return Err(Unfit::new(message));
        }
        modules.push(module);
    }
    Ok(Boxes { modules, stubs })
}

fn clock_options(clocks: Vec<ClockPeriod>) -> Vec<ClockOption> {
    let clocks = clocks.into_iter().map(|clock| ClockOption {
        name: clock.name,
        period: clock.period,
    });
    clocks.collect()
}

fn reset_options(resets: Vec<Reset>) -> Vec<ResetOption> {
    let resets = resets.into_iter().filter(|reset| !reset.is_none());
    let resets = resets.map(|reset| ResetOption {
        name: reset.name,
        active: reset.active,
        steps: reset.steps,
    });
    resets.collect()
}
