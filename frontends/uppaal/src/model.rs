//! A process under test with its mutants, and its automaton.

use hyperkill_core::mutant::Mutant;
use hyperkill_core::sort::Sort;
use hyperkill_core::timed::Automaton;
use hyperkill_frontend::decision::{Contents, Variable};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, Span};

use crate::mutate::{self, LeftOut, Mutation, Place};
use crate::network::{self, Environment};
use crate::rules::Preset;
use crate::{check, document, priorities, process, reader, second, syntax, unfold};

/// Name of the only input in steps of tests.
pub const INPUT: &str = "input";

/// Name of the only output in steps of tests.
pub const OUTPUT: &str = "output";

/// The output that a test shows if the system refuses an input that the model accepts.
pub const REFUSED: &str = "(refused)";

/// The output that a test shows if the system accepts an input that the model does not know.
pub const ACCEPTED: &str = "(accepted)";

/// The output that a test shows if there is no output by the time of a step.
pub const SILENCE: &str = "(silence)";

/// A process under test with its mutants.
#[derive(Clone, Debug)]
pub struct Model {
    /// The name of the process.
    pub process: String,
    /// The automaton of the process.
    pub automaton: Automaton,
    /// The mutants in catalogue order.
    pub mutations: Vec<Mutation>,
    /// For each mutant with two changes, the index of its first change in `firsts`.
    pub first_of: Vec<usize>,
    /// The first changes of mutants that have two.
    pub firsts: Vec<Mutant>,
    /// The names of inputs that only mutants know.
    pub new_inputs: Vec<String>,
    /// The definition of refinement (`--semantics`).
    pub preset: Preset,
    /// The source of inputs (`--environment`).
    pub environment: Environment,
    /// Remarks on probable mistakes of the author.
    pub warnings: Vec<Diagnostic>,
}

impl Model {
    /// Returns the facts that need no decision.
    #[must_use]
    pub fn contents(&self) -> Contents {
        let mut inputs: Vec<String> = named(&self.automaton, true);
        let mut outputs: Vec<String> = named(&self.automaton, false);
        outputs.extend([REFUSED.to_owned(), SILENCE.to_owned()]);
        if self.preset.rules().compares_alphabets {
            outputs.push(ACCEPTED.to_owned());
            inputs.extend(self.new_inputs.iter().cloned());
        }
        if inputs.is_empty() {
            // A sort has a value at least.
            inputs.push(SILENCE.to_owned());
        }
        let variable = |name: &str, values: Vec<String>| Variable {
            name: name.to_owned(),
            sort: Sort::enumeration(values),
        };
        let is_open = self.environment == Environment::Open;
        let question = self.preset.question();
        let process = &self.process;
        Contents {
            question: match is_open {
                true => question.to_owned(),
                false => format!("{question} in the network"),
            },
            inputs: vec![variable(INPUT, inputs)],
            outputs: vec![variable(OUTPUT, outputs)],
            deterministic: None,
            catalogue: (self.mutations.iter())
                .map(|m| (m.mutant.clone(), None))
                .collect(),
            // Guidelines are about processes alone.
            needless: (self.mutations.iter())
                .filter(|mutation| is_open && mutation.meaning.is_some())
                .map(|mutation| mutation.mutant.id.clone())
                .collect(),
            role_notes: vec![match is_open {
                true => format!("process {process} is tested"),
                false => format!("process {process} is tested, the others are its environment"),
            }],
            warnings: self.warnings.clone(),
        }
    }
}

pub(crate) fn named(automaton: &Automaton, inputs: bool) -> Vec<String> {
    automaton
        .actions(inputs)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// A model that is read and typed.
#[derive(Debug)]
pub struct Typed {
    /// The elements with their texts.
    pub nta: document::Nta,
    /// The parsed texts of the elements.
    pub model: syntax::Model,
    /// The results of typing.
    pub facts: check::Facts,
}

impl Typed {
    /// Returns the process under test with its names bound.
    ///
    /// # Errors
    /// If there is no such process, or it cannot be tested in the chosen environment.
    pub(crate) fn tested(
        &self,
        options: &FrontendOptions,
    ) -> Result<process::UnderTest<'_>, Diagnostic> {
        let sut = options.processes.sut.as_deref();
        match Environment::of(options)? {
            Environment::Open => process::under_test(&self.model, &self.facts, sut),
            Environment::Network => process::among_others(&self.model, sut),
        }
    }

    /// Returns the name of the process under test, and its automaton in its environment. The other processes are those of `original`.
    ///
    /// # Errors
    /// If there is no such process, or it cannot be tested in the chosen environment.
    pub(crate) fn automaton(
        &self,
        original: &syntax::Model,
        options: &FrontendOptions,
    ) -> Result<(String, Automaton), Vec<Diagnostic>> {
        let sut = options.processes.sut.as_deref();
        let found = match Environment::of(options) {
            Ok(Environment::Open) => unfold::unfold(&self.model, &self.facts, sut),
            Ok(Environment::Network) => self.tested(options).and_then(|tested| {
                unfold::agreed(&tested, &self.model)?;
                let network = network::network(&self.model, original, sut)?;
                Ok((tested.name, network))
            }),
            Err(error) => Err(error),
        };
        found.map_err(|error| vec![error])
    }
}

/// Reads and types a model.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn typed(source: &str) -> Result<Typed, Vec<Diagnostic>> {
    let nta = document::read(source)?;
    let model = reader::read(&nta)?;
    let mut facts = check::check(&model)?;
    let locations = nta
        .templates
        .iter()
        .flat_map(|template| &template.locations);
    let rates = locations.filter(|location| location.has_rate);
    let rates = rates.map(|location| (location.span, "the exponential rate means nothing here"));
    let points = (nta.templates.iter()).flat_map(|template| &template.branch_points);
    let points = points.map(|span| (*span, "the weights of branches mean nothing here"));
    for (span, message) in rates.chain(points) {
        facts.warnings.push(Diagnostic {
            severity: hyperkill_frontend::Severity::Warning,
            ..Diagnostic::error(span, message)
        });
    }
    Ok(Typed { nta, model, facts })
}

/// Reads the process under test, and its mutants.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn read(sources: &[SourceFile], options: &FrontendOptions) -> Result<Model, Vec<Diagnostic>> {
    let text = only(sources)?;
    let preset = Preset::of(options.processes.semantics.as_deref()).map_err(|error| vec![error])?;
    let typed_text = typed(text)?;
    let (process, automaton) = typed_text.automaton(&typed_text.model, options)?;
    let (firsts, mut left_out) = mutations(sources, &typed_text, options, 0)?;
    let mut read = Model {
        process,
        automaton: preset.completed(automaton),
        mutations: firsts,
        first_of: Vec::new(),
        firsts: Vec::new(),
        new_inputs: mutate::new_inputs(text, order(options)?),
        preset,
        environment: Environment::of(options).map_err(|error| vec![error])?,
        warnings: typed_text.facts.warnings,
    };
    if let (2, [source]) = (order(options)?, sources) {
        let again = |changed: &SourceFile| {
            let typed = typed(&changed.text)?;
            mutations(std::slice::from_ref(changed), &typed, options, 1)
        };
        let (found, lacking) = second::second_order(source, &read.mutations, again)?;
        left_out = lacking.with_firsts(left_out);
        let firsts = std::mem::take(&mut read.mutations).into_iter();
        read.firsts = firsts.map(|first| first.mutant).collect();
        (read.first_of, read.mutations) = found.into_iter().unzip();
    }
    read.warnings.extend(left_out.warnings());
    Ok(read)
}

/// Returns the mutants that one change of the process under test makes, and the numbers of those that cannot be written. `level` is the
/// number of changes that the model already has.
pub(crate) fn mutations(
    sources: &[SourceFile],
    typed: &Typed,
    options: &FrontendOptions,
    level: usize,
) -> Result<(Vec<Mutation>, LeftOut), Vec<Diagnostic>> {
    let tested = typed.tested(options).map_err(|error| vec![error])?;
    let mut templates = typed.nta.templates.iter();
    let template = templates.find(|t| t.name == tested.template.name.text);
    let Some(text) = template else {
        return Err(vec![Diagnostic::unlocated("the process has no template")]);
    };
    let place = Place {
        sources,
        text,
        template: tested.template,
        machine: tested.machine.clone(),
        level,
        has_priorities: priorities::has_some(&typed.model),
    };
    mutate::mutations(place, options).map_err(|error| vec![error])
}

/// Returns the automaton of the process under test of a model.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn read_automaton(
    source: &str,
    options: &FrontendOptions,
) -> Result<Automaton, Vec<Diagnostic>> {
    let preset = Preset::of(options.processes.semantics.as_deref()).map_err(|error| vec![error])?;
    let typed = typed(source)?;
    let (_, automaton) = typed.automaton(&typed.model, options)?;
    Ok(preset.completed(automaton))
}

/// Returns the automaton of the process under test as a mutated text has it. Other processes are those of the original, also where they
/// share its template.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn read_mutant(
    original: &str,
    mutated: &str,
    options: &FrontendOptions,
) -> Result<Automaton, Vec<Diagnostic>> {
    let environment = Environment::of(options).map_err(|error| vec![error])?;
    if environment == Environment::Open {
        return read_automaton(mutated, options);
    }
    let mutant = typed(mutated)?;
    let original = typed(original)?;
    let (_, automaton) = mutant.automaton(&original.model, options)?;
    Ok(automaton)
}

/// Returns the number of changes of a mutant (`--order`), 1 by default.
///
/// # Errors
/// If it is neither 1 nor 2.
pub(crate) fn order(options: &FrontendOptions) -> Result<usize, Vec<Diagnostic>> {
    match options.order {
        None => Ok(1),
        Some(order @ 1..=2) => Ok(order),
        Some(order) => {
            let message = format!("--order {order}: mutants have one change or two");
            Err(vec![Diagnostic::option(message, None)])
        }
    }
}

/// Returns the text of the only file.
///
/// # Errors
/// If there are several files or none.
pub(crate) fn only(sources: &[SourceFile]) -> Result<&str, Vec<Diagnostic>> {
    let message = "an Uppaal model is one file";
    match sources {
        [source] => Ok(&source.text),
        [] => Err(vec![Diagnostic::unlocated(message)]),
        [_, ..] => {
            let second = Span {
                file: 1,
                ..Span::default()
            };
            Err(vec![Diagnostic::error(second, message)])
        }
    }
}
