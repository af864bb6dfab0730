//! A test as an explicit state machine, to be run without the model.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::ConditionalMutant;
use hyperkill_core::product::Variant;
use hyperkill_core::suite::{Step, TestKind};
use hyperkill_core::trace::decode;

use super::play::{Script, Strategy, Values, inputs, same};
use super::values::Misfit;
use crate::schedule::engine_efforts::ALLOWED_OUTPUT_STEPS;
use crate::stepping::{State, Stepper};

/// How the test continues after an allowed answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Then {
    /// The test continues at the place with this index.
    At(usize),
    /// The test ends, and the verdict is pass.
    Passes,
    /// The test ends without a verdict.
    Stops,
}

/// A state of the machine: the inputs to set, and the allowed answers. Every other answer is a fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The inputs that the tester sets in this state.
    pub inputs: Values,
    /// The allowed answers, each with its continuation.
    pub answers: Vec<(Values, Then)>,
}

/// A test as a state machine that starts at the first place. Continuations lead to places with larger indices only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observer {
    /// The states of the machine, in an order in which continuations go forward.
    pub places: Vec<Place>,
}

/// A run of a variant that fails a test, up to the failing step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Escape {
    /// For each step one bool per circuit input; choices are not set.
    pub inputs: Vec<Vec<bool>>,
    /// For each step one bool per circuit output; those of the last step are not allowed.
    pub outputs: Vec<Vec<bool>>,
}

impl Observer {
    /// Returns the machine of a test. It gives the same verdict as [`super::Play`] on every sequence of answers. `None` if it needs more
    /// than `most` answers, or if the model has too many steps to list.
    ///
    /// # Errors
    /// If the test does not fit this model.
    pub fn of(
        model: &ConditionalMutant,
        script: &Script,
        most: usize,
    ) -> Result<Option<Observer>, Misfit> {
        for step in &script.steps {
            inputs(model, &step.inputs)?;
        }
        Ok(match (script.kind, &script.strategy) {
            (TestKind::Tree, Some(strategy)) => Some(Observer::of_strategy(strategy)),
            (TestKind::Tree, None) => None,
            (TestKind::Linear, _) => Some(Observer::of_steps(&script.steps, |_| Some(&[]))),
            (TestKind::Local, _) => {
                let is_listed = |step: &Step| step.allowed.as_ref().is_some_and(|a| a.complete);
                let all = script.steps.iter().all(is_listed);
                all.then(|| Observer::of_steps(&script.steps, others))
            }
            (TestKind::Global, _) => Observer::following(model, &script.steps, most)?,
        })
    }

    fn of_strategy(strategy: &Strategy) -> Observer {
        let places = strategy.turns.iter().map(|turn| Place {
            inputs: turn.inputs.clone(),
            answers: (turn.answers.iter())
                .map(|(answer, next)| (answer.clone(), next.map_or(Then::Passes, Then::At)))
                .collect(),
        });
        Observer {
            places: places.collect(),
        }
    }

    /// Returns a machine that continues after each step's own outputs, and stops without a verdict after the other answers that `others`
    /// gives.
    fn of_steps<'s>(
        steps: &'s [Step],
        others: impl Fn(&'s Step) -> Option<&'s [Values]>,
    ) -> Observer {
        let places = steps.iter().enumerate().map(|(number, step)| {
            let next = match number + 1 < steps.len() {
                true => Then::At(number + 1),
                false => Then::Passes,
            };
            let others = others(step).unwrap_or_default().iter();
            let others = others.filter(|answer| !same(answer, &step.outputs));
            let others = others.map(|answer| (answer.clone(), Then::Stops));
            Place {
                inputs: step.inputs.clone(),
                answers: [(step.outputs.clone(), next)]
                    .into_iter()
                    .chain(others)
                    .collect(),
            }
        });
        Observer {
            places: places.collect(),
        }
    }

    /// Returns a machine that allows all answers of the model to these inputs, given all earlier answers. `None` if it needs more than
    /// `most` answers, or there are too many steps to list.
    fn following(
        model: &ConditionalMutant,
        steps: &[Step],
        most: usize,
    ) -> Result<Option<Observer>, Misfit> {
        let rows = steps.iter().map(|step| inputs(model, &step.inputs));
        let rows: Vec<Vec<bool>> = rows.collect::<Result<_, _>>()?;
        let stepper = Stepper::new(model, Variant::Original, ALLOWED_OUTPUT_STEPS);
        let Some(initial) = stepper.initial() else {
            return Ok(None);
        };
        let mut places: Vec<Place> = Vec::new();
        let mut layer = vec![initial];
        let mut count = 0;
        for (number, step) in steps.iter().enumerate() {
            let first = places.len() + layer.len();
            let mut next = Layer::default();
            for states in &layer {
                let Some(answers) = answers(model, &stepper, states, &rows[number]) else {
                    return Ok(None);
                };
                count += answers.len();
                if count > most {
                    return Ok(None);
                }
                let mut place = Place {
                    inputs: step.inputs.clone(),
                    answers: Vec::new(),
                };
                for (answer, states) in answers {
                    let then = match rows.get(number + 1) {
                        None => Then::Passes,
                        // These states have been asked before.
                        Some(_) if next.numbers.contains_key(&states) => {
                            Then::At(first + next.number(states))
                        }
                        Some(row) => match stepper.moves(&states, row) {
                            None => return Ok(None),
                            Some(moves) if moves.is_empty() => Then::Stops,
                            Some(_) => Then::At(first + next.number(states)),
                        },
                    };
                    place.answers.push((answer, then));
                }
                places.push(place);
            }
            layer = next.beliefs;
        }
        // A machine without answers at its first place would fail every system. It could not report that the inputs are refused.
        let begins = places
            .first()
            .is_some_and(|place| !place.answers.is_empty());
        Ok(begins.then_some(Observer { places }))
    }

    /// Returns how the test continues after an answer at the place with this index; `None` if the answer is a fail.
    #[must_use]
    pub fn then(
        &self,
        place: usize,
        answer: &[(String, hyperkill_core::sort::Value)],
    ) -> Option<Then> {
        let answers = &self.places.get(place)?.answers;
        let found = answers.iter().find(|(allowed, _)| same(allowed, answer));
        found.map(|(_, then)| *then)
    }

    /// Returns a shortest run of this variant that fails. `None` if there is none, or if the search needs more than `most` pairs of place
    /// and state.
    #[must_use]
    pub fn escape(
        &self,
        model: &ConditionalMutant,
        variant: Variant,
        most: usize,
    ) -> Option<Escape> {
        let stepper = Stepper::new(model, variant, ALLOWED_OUTPUT_STEPS);
        let rows = self.places.iter().map(|place| inputs(model, &place.inputs));
        let rows: Vec<Vec<bool>> = rows.collect::<Result<_, _>>().ok()?;
        let mut reached: Vec<Reached> = Vec::new();
        let mut known: BTreeSet<(usize, State)> = BTreeSet::new();
        for state in stepper.initial()? {
            known.insert((0, state.clone()));
            reached.push(Reached {
                place: 0,
                state,
                from: None,
            });
        }
        let mut at = 0;
        while at < reached.len() && reached.len() <= most {
            let (place, state) = (reached[at].place, reached[at].state.clone());
            for step in stepper.moves(&[state], rows.get(place)?)? {
                match self.then(place, &decode(&model.outputs, &step.outputs)) {
                    None => return Some(escape_to(&reached, at, step.outputs, &rows)),
                    Some(Then::At(next)) => {
                        if known.insert((next, step.next.clone())) {
                            reached.push(Reached {
                                place: next,
                                state: step.next,
                                from: Some((at, step.outputs)),
                            });
                        }
                    }
                    Some(Then::Passes | Then::Stops) => {}
                }
            }
            at += 1;
        }
        None
    }
}

/// A pair of a place of the machine and a state of a variant, with the step that first reached it.
struct Reached {
    place: usize,
    state: State,
    /// The index of the pair before it, and the outputs of the step from there; `None` at the start.
    from: Option<(usize, Vec<bool>)>,
}

/// Returns the run to the pair with index `last`, with a last step that has these outputs, as an escape.
fn escape_to(reached: &[Reached], last: usize, outputs: Vec<bool>, rows: &[Vec<bool>]) -> Escape {
    let mut escape = Escape {
        inputs: vec![rows[reached[last].place].clone()],
        outputs: vec![outputs],
    };
    let mut at = last;
    while let Some((before, outputs)) = &reached[at].from {
        escape.inputs.push(rows[reached[*before].place].clone());
        escape.outputs.push(outputs.clone());
        at = *before;
    }
    escape.inputs.reverse();
    escape.outputs.reverse();
    escape
}

/// Returns the outputs that a local test lists as allowed at a step; `None` if it lists none.
fn others(step: &Step) -> Option<&[Values]> {
    step.allowed
        .as_ref()
        .map(|allowed| allowed.outputs.as_slice())
}

/// The places of one depth, each with its set of model states.
#[derive(Default)]
struct Layer {
    beliefs: Vec<Vec<State>>,
    numbers: BTreeMap<Vec<State>, usize>,
}

impl Layer {
    fn number(&mut self, states: Vec<State>) -> usize {
        let next = self.beliefs.len();
        *self.numbers.entry(states).or_insert_with_key(|states| {
            self.beliefs.push(states.clone());
            next
        })
    }
}

/// Returns all answers that the model can give from these states, as values, with the states after each. Values are compared, not codes.
/// `None` if there are too many steps to list.
fn answers(
    model: &ConditionalMutant,
    stepper: &Stepper<'_>,
    states: &[State],
    inputs: &[bool],
) -> Option<Vec<(Values, Vec<State>)>> {
    let mut by_code: BTreeMap<Vec<bool>, BTreeSet<State>> = BTreeMap::new();
    for step in stepper.moves(states, inputs)? {
        by_code.entry(step.outputs).or_default().insert(step.next);
    }
    let mut by_value: BTreeMap<Values, BTreeSet<State>> = BTreeMap::new();
    for (code, states) in by_code {
        let values = decode(&model.outputs, &code);
        by_value.entry(values).or_default().extend(states);
    }
    let answers = by_value.into_iter();
    Some(
        answers
            .map(|(values, states)| (values, states.into_iter().collect()))
            .collect(),
    )
}
