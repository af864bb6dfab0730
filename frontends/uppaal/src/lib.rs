//! Uppaal models: XML of versions 3.4 to 5 or the textual format, typed, one process unfolded to a timed automaton, and its mutants.
//!
//! What they mean is in semantics.md §8. Mutants are not decided as circuits but by packages of this language's own, which share this one
//! and nothing else: `decide` by zones, `recheck` by constraints.
//!
//! The way of a text: [`document`] or [`xta`] → [`reader`] → [`check`](mod@check) → [`unfold`](mod@unfold), [`mutate`].

pub mod check;
pub mod compose;
mod conditions;
pub mod declarations;
mod differences;
pub mod document;
pub mod ecdar;
mod emit;
pub mod fault;
mod featured;
pub mod guidelines;
mod kinds;
pub mod lexer;
mod machine;
pub mod mutate;
pub mod network;
mod nta;
mod on_demand;
pub mod parser;
mod priorities;
mod process;
pub mod query;
pub mod reader;
pub mod rules;
mod second;
mod statements;
pub mod syntax;
pub mod tester;
mod totalise;
mod typing;
pub mod unfold;
pub mod uvl;
mod values;
pub mod xml;
pub mod xta;

use hyperkill_core::mutant::{Mutant, Operator};
use hyperkill_core::sort::Sort;
use hyperkill_core::system::Translation;
use hyperkill_core::timed::Automaton;
use hyperkill_frontend::decision::{Contents, Variable};
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, ModelOption, SourceFile, Span, lacking,
};

use mutate::{LeftOut, Mutation, Place};
use network::Environment;
use rules::Preset;
use totalise::Totalise;

/// Name of the only input in steps of tests.
pub const INPUT: &str = "input";

/// Name of the only output in steps of tests.
pub const OUTPUT: &str = "output";

/// What a tester sees where an input that the model accepts is refused.
pub const REFUSED: &str = "(refused)";

/// What a tester sees where an input that the model does not know is accepted.
pub const ACCEPTED: &str = "(accepted)";

/// What a tester sees where nothing has come by the time of a step.
pub const SILENCE: &str = "(silence)";

/// Why a model is refused that may go on in two ways after the same action.
pub const AMBIGUOUS: &str = "the process is not deterministic: an action may lead to two states";

/// Why a model is refused that cannot live on.
pub const NO_GOOD_START: &str = "the process is inconsistent: it has no good initial state";

/// What a process is refused for, in words that say what to look for.
#[must_use]
pub fn refused(why: &str, options: &FrontendOptions) -> Vec<Diagnostic> {
    let refused = Diagnostic::unlocated(why);
    let is_network = options.environment.as_deref() == Some("network");
    vec![match why {
        NO_GOOD_START if is_network => refused.with_help(
            "the others can bring it to where it stops time and can make no output that they receive",
        ),
        _ => refused,
    }]
}

/// Why a mutant's text is no model.
#[must_use]
pub fn no_model(errors: &[Diagnostic]) -> String {
    errors
        .first()
        .map_or(String::new(), |error| error.message.clone())
}

/// Uppaal models in `.xml` and `.xta` files.
#[derive(Clone, Copy, Default, Debug)]
pub struct UppaalFrontend;

impl UppaalFrontend {
    /// As in `--language`.
    pub const NAME: &str = "uppaal";
}

/// A process under test with its mutants.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name of the process.
    pub process: String,
    /// What it does.
    pub automaton: Automaton,
    /// The mutants in catalogue order.
    pub mutations: Vec<Mutation>,
    /// Of each mutant the number of its first change, if it has two.
    pub first_of: Vec<usize>,
    /// The first changes of mutants that have two.
    pub firsts: Vec<Mutant>,
    /// Inputs that only mutants know.
    pub new_inputs: Vec<String>,
    /// When a mutant refines it.
    pub preset: Preset,
    /// Who gives inputs.
    pub environment: Environment,
    /// What its author may not have meant.
    pub warnings: Vec<Diagnostic>,
}

impl Model {
    /// What is known of it without deciding anything.
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

fn named(automaton: &Automaton, inputs: bool) -> Vec<String> {
    automaton
        .actions(inputs)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// Reads and types a model.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn typed(
    source: &str,
) -> Result<(document::Nta, syntax::Model, check::Facts), Vec<Diagnostic>> {
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
    Ok((nta, model, facts))
}

/// Reads the process under test, and its mutants.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn read(sources: &[SourceFile], options: &FrontendOptions) -> Result<Model, Vec<Diagnostic>> {
    let text = only(sources)?;
    let preset = Preset::of(options.semantics.as_deref()).map_err(|error| vec![error])?;
    let (nta, model, facts) = typed(text)?;
    let (process, automaton) = automaton((&model, &facts), &model, options)?;
    let (firsts, mut left_out) = mutations(sources, (&nta, &model, &facts), options, 0)?;
    let mut read = Model {
        process,
        automaton: preset.completed(automaton),
        mutations: firsts,
        first_of: Vec::new(),
        firsts: Vec::new(),
        new_inputs: mutate::new_inputs(text, order(options)?),
        preset,
        environment: Environment::of(options).map_err(|error| vec![error])?,
        warnings: facts.warnings,
    };
    if let (2, [source]) = (order(options)?, sources) {
        let again = |changed: &SourceFile| {
            let (nta, model, facts) = typed(&changed.text)?;
            let changed = std::slice::from_ref(changed);
            mutations(changed, (&nta, &model, &facts), options, 1)
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

/// Returns the mutants that one more change makes, and how many cannot be written.
fn mutations(
    sources: &[SourceFile],
    (nta, model, facts): (&document::Nta, &syntax::Model, &check::Facts),
    options: &FrontendOptions,
    level: usize,
) -> Result<(Vec<Mutation>, LeftOut), Vec<Diagnostic>> {
    let tested = tested(model, facts, options).map_err(|error| vec![error])?;
    let mut templates = nta.templates.iter();
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
        has_priorities: priorities::has_some(model),
    };
    mutate::mutations(place, options).map_err(|error| vec![error])
}

/// The process under test with its names bound.
fn tested<'a>(
    model: &'a syntax::Model,
    facts: &check::Facts,
    options: &FrontendOptions,
) -> Result<process::UnderTest<'a>, Diagnostic> {
    let sut = options.sut.as_deref();
    match Environment::of(options)? {
        Environment::Open => process::under_test(model, facts, sut),
        Environment::Network => process::among_others(model, sut),
    }
}

/// The process under test in its environment, and its name. The other processes are those of the original.
fn automaton(
    (mutated, facts): (&syntax::Model, &check::Facts),
    original: &syntax::Model,
    options: &FrontendOptions,
) -> Result<(String, Automaton), Vec<Diagnostic>> {
    let sut = options.sut.as_deref();
    let found = match Environment::of(options) {
        Ok(Environment::Open) => unfold::unfold(mutated, facts, sut),
        Ok(Environment::Network) => tested(mutated, facts, options).and_then(|tested| {
            unfold::agreed(&tested, mutated)?;
            Ok((tested.name, network::network(mutated, original, sut)?))
        }),
        Err(error) => Err(error),
    };
    found.map_err(|error| vec![error])
}

/// The automaton of the process under test: what a model is read by.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn read_automaton(
    source: &str,
    options: &FrontendOptions,
) -> Result<Automaton, Vec<Diagnostic>> {
    let preset = Preset::of(options.semantics.as_deref()).map_err(|error| vec![error])?;
    let (_, model, facts) = typed(source)?;
    let (_, automaton) = automaton((&model, &facts), &model, options)?;
    Ok(preset.completed(automaton))
}

/// The automaton of the process under test as a mutated text has it. Other processes are those of the original, also where they share its
/// template.
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
    let (_, model, facts) = typed(mutated)?;
    let (_, original, _) = typed(original)?;
    let (_, automaton) = automaton((&model, &facts), &original, options)?;
    Ok(automaton)
}

/// The queries of a file that are about refinement, consistency and determinism.
///
/// # Errors
/// If it is no model.
pub fn queries(sources: &[SourceFile]) -> Result<Vec<String>, Vec<Diagnostic>> {
    let nta = document::read(only(sources)?)?;
    let mut queries = nta.queries;
    queries.retain(|query| query::Query::is_one(query));
    Ok(queries)
}

/// How many changes a mutant has.
fn order(options: &FrontendOptions) -> Result<usize, Vec<Diagnostic>> {
    match options.order {
        None => Ok(1),
        Some(order @ 1..=2) => Ok(order),
        Some(order) => {
            let message = format!("--order {order}: mutants have one change or two");
            Err(vec![Diagnostic::option(message, None)])
        }
    }
}

/// A model of the textual format as XML, which mutants are about. What is wrong with it is said of the text.
fn in_xml(source: &str, options: &FrontendOptions) -> Result<String, Vec<Diagnostic>> {
    let (nta, model, facts) = typed(source)?;
    if let Err(mut errors) = automaton((&model, &facts), &model, options) {
        errors.retain(|error| error.span.is_some());
        if !errors.is_empty() {
            return Err(errors);
        }
    }
    Ok(xml::written(&nta))
}

/// The text of the only file.
fn only(sources: &[SourceFile]) -> Result<&str, Vec<Diagnostic>> {
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

/// The options of timed automata, in both languages.
const OPTIONS: &[ModelOption] = &[
    ModelOption::Sut,
    ModelOption::Environment,
    ModelOption::Semantics,
    ModelOption::Totalise,
    ModelOption::Ticks,
    ModelOption::Complete,
];

impl Frontend for UppaalFrontend {
    fn name(&self) -> &'static str {
        UppaalFrontend::NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["xml", "xta"]
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators()
    }

    fn options(&self) -> &'static [ModelOption] {
        OPTIONS
    }

    fn lacks(&self, option: ModelOption) -> &'static str {
        match option {
            ModelOption::Define => {
                "write the constant into the file, options set none in Uppaal models"
            }
            ModelOption::Inputs | ModelOption::Outputs | ModelOption::Choices => {
                "channels say what is an input and what an output"
            }
            option => lacking(option),
        }
    }

    /// Declares the channels that new transitions need.
    fn prepare(
        &self,
        sources: Vec<SourceFile>,
        options: &FrontendOptions,
    ) -> Result<Vec<SourceFile>, Vec<Diagnostic>> {
        let how = Totalise::of(options.totalise.as_deref()).map_err(|error| vec![error])?;
        let order = order(options)?;
        let prepared = sources.into_iter().map(|source| {
            let mut text = match xta::is_xta(&source.text) {
                true => in_xml(&source.text, options)?,
                false => source.text.clone(),
            };
            if let Some(how) = how {
                text = totalise::totalised(&text, options, how)?;
            }
            for _ in 0..order {
                // What cannot be read is said when it is read.
                if let Ok(nta) = document::read(&text) {
                    text = mutate::with_channels(&text, &nta);
                }
            }
            Ok(SourceFile { text, ..source })
        });
        prepared.collect()
    }

    fn emitted(
        &self,
        mutated: &str,
        options: &FrontendOptions,
    ) -> Result<(String, Option<&'static str>), Vec<Diagnostic>> {
        match Environment::of(options).map_err(|error| vec![error])? {
            Environment::Open => Ok((emit::with_io(mutated, options)?, Some("xml"))),
            // The line is for tools that test the process alone.
            Environment::Network => Ok((mutated.to_owned(), Some("xml"))),
        }
    }

    fn featured(
        &self,
        sources: &[SourceFile],
        mutants: &[&Mutant],
        options: &FrontendOptions,
    ) -> Option<Result<String, Vec<Diagnostic>>> {
        Some(only(sources).and_then(|text| featured::featured(text, mutants, options)))
    }

    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>> {
        read(sources, options)?;
        let message = "zones make the circuit of an Uppaal model, which this package has not: \
                       `Decision::circuit` of the procedure that decides it";
        Err(vec![Diagnostic::unlocated(message)])
    }
}
