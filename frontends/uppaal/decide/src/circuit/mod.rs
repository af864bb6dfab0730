//! The circuit of a process with its mutants in sampled time (semantics.md §8, "As a circuit").
//!
//! The passes: [`plan::Parts`] of each automaton, restricted to its good states by zones → [`plan::Plan`], all automata side by side →
//! [`terms`].

mod boxes;
mod plan;
mod terms;

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::Mutant;
use hyperkill_core::system::{Selector, TransitionSystem, Translation, Warning};
use hyperkill_core::timed::Automaton;
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, apply};
use hyperkill_timed::rational::Rational;
use hyperkill_timed::refine::{Found, Side, refine};
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::{Model, read_automaton};

use boxes::Boxes;
use plan::{Parts, Plan};

/// The number of parts of a unit by default: a test may need the middle between two units.
const TICKS: u32 = 2;

/// The number of parts of a unit, at most.
const MOST_TICKS: u32 = 64;

/// The largest constant in parts of a unit, at most: clocks count up to it.
const LARGEST: i64 = 1 << 24;

/// The number of locations of the model and its mutants together, with their data, at most.
const MOST_LOCATIONS: usize = 1 << 14;

/// The reason why no circuit agrees with dense time.
const DIFFERENCES: &str =
    "the process compares differences of clocks, and a circuit compares single clocks only";

/// The treatment of a mutant in the circuit.
enum Standing {
    /// The mutant is in the circuit, with a selector.
    Live(Box<Parts>),
    /// The mutant is no model, for this reason.
    Invalid(String),
    /// The verdict of the circuit may differ from that in dense time.
    Inexact,
}

/// Returns the circuit of the process under test, restricted to its good states, with its mutants. `side` is the process with these states.
///
/// # Errors
/// If the semantics is not `strict`, differences of clocks bound the behaviour, or a constant is too large. If `--ticks` is wrong.
pub(crate) fn translation(
    sources: &[SourceFile],
    options: &FrontendOptions,
    model: Model,
    side: &Side,
) -> Result<Translation, Vec<Diagnostic>> {
    let refused = |message: String| vec![Diagnostic::unlocated(message)];
    if model.preset != Preset::Strict {
        let name = model.preset.name();
        let message = format!("--semantics {name}: circuits support `strict` only");
        return Err(vec![Diagnostic::option(message, None)]);
    }
    let ticks = ticks(options)?;
    let parts = Parts::of(side).ok_or_else(|| refused(DIFFERENCES.to_owned()))?;
    let own = Original { side, parts, ticks };
    let text = sources.first().map_or("", |source| source.text.as_str());
    let mut sorted = Sorted::default();
    let mut plan = Plan::default();
    plan.add(0, &own.parts);
    for mutation in &model.mutations {
        let mutant = &mutation.mutant;
        let standing = match apply(text, mutant).map(|text| read_automaton(&text, options)) {
            Ok(Ok(automaton)) => own.standing(automaton)?,
            Ok(Err(errors)) => Standing::Invalid(hyperkill_uppaal::no_model(&errors)),
            Err(_) => {
                return Err(refused(format!(
                    "the source has no place for mutant {}",
                    mutant.id
                )));
            }
        };
        sorted.add(mutant, standing, &mut plan);
        if plan.locations.len() > MOST_LOCATIONS {
            let message = format!(
                "the process and its mutants have more than {MOST_LOCATIONS} locations with their data: \
                 --operator chooses some mutants"
            );
            return Err(refused(message));
        }
    }
    if let Some(constant) = plan
        .largest()
        .into_iter()
        .find(|constant| *constant > LARGEST)
    {
        return Err(refused(format!(
            "the constant {constant} is too large for a circuit"
        )));
    }
    let actions = |inputs: bool| -> BTreeSet<String> {
        let arrows = plan.arrows.keys().filter(|arrow| arrow.is_input == inputs);
        arrows.map(|arrow| arrow.action.clone()).collect()
    };
    // Inputs unknown to the model are never given.
    let inputs: Vec<String> = side
        .automaton
        .actions(true)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let outputs: Vec<String> = actions(false).into_iter().collect();
    let frame = terms::Frame {
        name: &model.process,
        inputs: &inputs,
        outputs: &outputs,
        ticks: ticks.into(),
    };
    let system = terms::system(&plan, frame, sorted.selectors);
    let system = system.map_err(|error| refused(format!("the circuit cannot be made: {error}")))?;
    let mut warnings: Vec<Warning> = model.warnings.iter().map(warning).collect();
    warnings.extend(
        sorted
            .left_out
            .into_iter()
            .map(|(operator, count)| left_out(&operator, count)),
    );
    Ok(Translation {
        system,
        checks: TransitionSystem::default(),
        invariant_checks: TransitionSystem::default(),
        catalogue: sorted.catalogue,
        role_notes: vec![format!(
            "process {} is tested, {ticks} steps to a unit",
            model.process
        )],
        warnings,
        places: BTreeMap::new(),
    })
}

fn ticks(options: &FrontendOptions) -> Result<u32, Vec<Diagnostic>> {
    match options.processes.ticks.unwrap_or(TICKS) {
        ticks @ 2..=MOST_TICKS => Ok(ticks),
        ticks => {
            let message = format!(
                "--ticks {ticks}: a unit has 2 to {MOST_TICKS} steps, since tests need moments between two units"
            );
            Err(vec![Diagnostic::option(message, None)])
        }
    }
}

/// The model, which mutants are compared with.
struct Original<'a> {
    side: &'a Side,
    parts: Parts,
    ticks: u32,
}

impl Original<'_> {
    /// Returns the standing of a mutant with this automaton: in the circuit, invalid, or left out, because steps of time may not show its
    /// behaviour.
    fn standing(&self, automaton: Automaton) -> Result<Standing, Vec<Diagnostic>> {
        let budget = Budget::unlimited();
        let side = Side::new(automaton, true, &budget);
        let side =
            side.map_err(|_| vec![Diagnostic::unlocated("reading the mutants was stopped")])?;
        if !side.is_consistent() {
            return Ok(Standing::Invalid(
                "inconsistent: it has no good initial state".to_owned(),
            ));
        }
        let Some(parts) = Parts::of(&side) else {
            return Ok(Standing::Inexact);
        };
        let model = &self.parts;
        let is_exact = parts.is_closed() && model.is_closed()
            || parts.is_in_step_with(model)
            || self.is_sampled(&side, &parts, &budget);
        Ok(match is_exact {
            true => Standing::Live(Box::new(parts)),
            false => Standing::Inexact,
        })
    }

    /// Whether zones confirm the circuit of a mutant outside the cases of semantics.md §8: a test with times at steps kills the mutant, or
    /// it refines the model and never has to act between two steps.
    fn is_sampled(&self, mutant: &Side, parts: &Parts, budget: &Budget) -> bool {
        let is_at_a_step = |at: Rational| i64::from(self.ticks) % at.parts().1 == 0;
        match refine(mutant, self.side, Preset::Strict.rules(), None, budget) {
            Found::Fails(trace) => {
                let mut moments = trace.events.iter().map(|event| event.at).chain([trace.at]);
                moments.all(is_at_a_step)
            }
            Found::Refines(_) => parts.good.iter().all(Boxes::is_closed),
            Found::Alphabets | Found::Open(..) => false,
        }
    }
}

/// The mutants of the catalogue, sorted into those with a selector and those that are left out of the circuit.
#[derive(Default)]
struct Sorted {
    catalogue: Vec<(Mutant, Option<String>)>,
    selectors: Vec<Selector>,
    left_out: BTreeMap<String, usize>,
}

impl Sorted {
    fn add(&mut self, mutant: &Mutant, standing: Standing, plan: &mut Plan) {
        match standing {
            Standing::Live(parts) => {
                self.selectors.push(Selector {
                    id: mutant.id.clone(),
                });
                plan.add(self.selectors.len(), &parts);
                self.catalogue.push((mutant.clone(), None));
            }
            Standing::Invalid(reason) => self.catalogue.push((mutant.clone(), Some(reason))),
            Standing::Inexact => {
                *self.left_out.entry(mutant.operator.clone()).or_default() += 1;
            }
        }
    }
}

/// Returns the warning that mutants of an operator are not in the circuit.
fn left_out(operator: &str, count: usize) -> Warning {
    let (mutants, are) = match count {
        1 => ("mutant", "is"),
        _ => ("mutants", "are"),
    };
    Warning {
        message: format!(
            "{operator}: {count} {mutants} {are} left out of the circuit, since steps of time may not show what dense time does: \
             try another --ticks, or `hyperkill run` of the model"
        ),
        file: 0,
        bytes: (0, 0),
    }
}

fn warning(diagnostic: &Diagnostic) -> Warning {
    let span = diagnostic.span.unwrap_or_default();
    Warning {
        message: diagnostic.message.clone(),
        file: span.file,
        bytes: (span.start, span.end),
    }
}
