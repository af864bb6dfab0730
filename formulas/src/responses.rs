//! One alternation without a game. Existential traces are searched against known responses of the universal traces, and universal traces
//! are searched that answer given ones. Each is a question about existential traces only (semantics.md §6.10).
//!
//! A response refutes only if it is a run: a response that breaks a constraint of the model at some step refutes nothing.

use hyperkill_core::aig::{Cone, Leaf, Node, Reset};
use hyperkill_core::aiger::write_ascii;
use hyperkill_core::product::{CopySpec, Variant};
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId};

use crate::ast::{Formula, Ltl, Quantifier, TraceVar};
use crate::driven::Driven;
use crate::error::ComposeError;
use crate::joint::{Joint, Question};
use crate::limits::{RESPONSE_CHOICE_BITS, RESPONSE_GATES};
use crate::monitor::Temporal;
use crate::semantics::Traces;
use crate::strategy::{Strategy, StrategyError};

/// The universal traces' answer to existential ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Response {
    /// Each universal trace copies the choices of an existential trace, by its number in the prefix.
    Copies(Vec<usize>),
    /// At each step the first values of the traces' inputs that satisfy their invariants now and permit this at the next step. This is a
    /// strategy that sees the past and the present of all other traces.
    Follows,
    /// A strategy as a circuit: the text of an AIGER file whose inputs and outputs have names ([`Strategy`]). Inputs that it does not
    /// choose may have any value.
    Circuit(String),
    /// Fixed traces, whose loop begins at a step.
    Traces {
        /// The free initial values and inputs of each trace.
        runs: Vec<Stimulus>,
        /// The first step of the loop.
        back: usize,
    },
}

/// A formula ∃\*∀\* over a model, whose universal traces respond.
#[derive(Clone, Debug)]
pub struct Alternation<'a> {
    /// The model whose traces are quantified.
    pub model: &'a ConditionalMutant,
    /// The mutant that `mut` means.
    pub mutant: SelectorId,
    /// The formula.
    pub formula: &'a Formula,
    /// Whether traces are finite or infinite.
    pub traces: Traces,
    /// The variant of each trace, and the earlier trace whose inputs it shares if the formula fixes one at every step.
    pub specs: Vec<CopySpec>,
    /// The number of existential traces; they come first.
    pub existential: usize,
    /// Whether a response that breaks a constraint refutes nothing. It is always true, except in tests that plant this fault.
    pub constraints_bind: bool,
}

impl<'a> Alternation<'a> {
    /// Divides the traces of the formula's prefix into existential ones and universal ones. `mut` in the formula means this mutant.
    ///
    /// # Errors
    /// If the prefix is not ∃\*∀\*, or the variant of a trace is not fixed.
    pub fn new(
        model: &'a ConditionalMutant,
        mutant: SelectorId,
        formula: &'a Formula,
        traces: Traces,
    ) -> Result<Alternation<'a>, ComposeError> {
        let prefix = formula.prefix.iter();
        Ok(Alternation {
            model,
            mutant,
            specs: Joint::specifications(model, mutant, formula)?,
            existential: prefix.take_while(|(q, _)| *q == Quantifier::Exists).count(),
            formula,
            traces,
            constraints_bind: true,
        })
    }

    /// Returns the positions of the universal traces in the prefix.
    #[must_use]
    pub fn universal(&self) -> std::ops::Range<usize> {
        self.existential..self.formula.prefix.len()
    }

    /// Whether a response is one for this formula: it has one trace per universal variable, copies existing traces, its runs fit the model,
    /// and its circuit is a strategy.
    #[must_use]
    pub fn fits(&self, response: &Response) -> bool {
        let answering = self.universal().len();
        match response {
            Response::Copies(whose) => {
                whose.len() == answering && whose.iter().all(|&of| of < self.existential)
            }
            Response::Follows => self.can_follow(),
            Response::Circuit(text) => self.strategy(text).is_ok(),
            Response::Traces { runs, back } => {
                let steps = runs.first().map_or(0, |run| run.steps.len());
                let aig = &self.model.aig;
                let (latches, inputs) = (aig.latches().len(), aig.inputs().len());
                runs.len() == answering
                    && *back < steps
                    && runs.iter().all(|run| {
                        run.steps.len() == steps
                            && run.initial.len() == latches
                            && run.steps.iter().all(|step| step.len() == inputs)
                    })
            }
        }
    }

    /// Reads a strategy of the universal traces.
    ///
    /// # Errors
    /// If the text is no strategy for them.
    pub fn strategy(&self, text: &str) -> Result<Strategy, StrategyError> {
        let traces = self.formula.prefix.len();
        Strategy::read(text.as_bytes(), self.model, traces, &self.universal())
    }

    /// Returns the universal traces' behaviour under this response as a strategy. `None` if it depends on a latch with a free first value,
    /// or is no strategy.
    ///
    /// # Errors
    /// If the formula mentions names that the model does not have.
    pub fn circuit_of(&self, response: &Response) -> Result<Option<Strategy>, ComposeError> {
        let joint = self.against(std::slice::from_ref(response))?;
        let source = &joint.product.aig;
        let mut aig = Aig::new();
        let mut names = vec![None; source.inputs().len()];
        for (trace, copy) in joint.product.copies[..self.existential].iter().enumerate() {
            for (input, lit) in copy.inputs.iter().enumerate() {
                if let Some(Node::Input(place)) = lit.map(|lit| source.node(lit.var())) {
                    let own = self.model.aig.inputs()[input].name.as_ref();
                    let name = own.map(|name| format!("{name}_{trace}"));
                    let place: &mut Option<String> = &mut names[place as usize];
                    *place = place.take().or(name);
                }
            }
        }
        let answers = &joint.product.copies[self.existential..];
        let chosen = answers.iter().enumerate().flat_map(|(offset, copy)| {
            let inputs = copy.inputs.iter().enumerate();
            inputs.filter_map(move |(input, lit)| Some((self.existential + offset, input, (*lit)?)))
        });
        let chosen: Vec<(usize, usize, Lit)> = chosen.collect();
        let cone = Cone::sequential(source, chosen.iter().map(|(.., lit)| *lit));
        let free = source
            .latches()
            .iter()
            .filter(|latch| cone.contains(latch.var));
        if free.clone().any(|latch| latch.reset == Reset::Free) {
            return Ok(None);
        }
        let mut latches = Vec::new();
        let images = aig.copy(
            source,
            |var| cone.contains(var),
            |aig, _, leaf| match leaf {
                Leaf::Input(input) => aig.add_input(names[input].clone()),
                Leaf::Latch(latch) => {
                    latches.push(latch);
                    aig.add_latch(source.latches()[latch].reset, None)
                }
            },
        );
        for (place, latch) in latches.into_iter().enumerate() {
            aig.set_next(place, images.of(source.latches()[latch].next));
        }
        for (trace, input, lit) in chosen {
            let name = self.model.aig.inputs()[input].name.as_ref();
            let name = name.map(|name| format!("{name}_{trace}"));
            aig.add_output(images.of(lit), name);
        }
        let text = write_ascii(&aig);
        Ok(self.strategy(&String::from_utf8_lossy(&text)).ok())
    }

    /// Whether [`Response::Follows`] is possible: the universal traces have inputs of their own, few enough to try all their values.
    #[must_use]
    pub fn can_follow(&self) -> bool {
        let model = self.model;
        let own = self
            .universal()
            .map(|trace| match self.specs[trace].inputs_of {
                Some(_) => model.choice_bits().count(),
                None => model.aig.inputs().len(),
            });
        let own: usize = own.sum();
        (1..=RESPONSE_CHOICE_BITS).contains(&own)
            && model.aig.gate_count() << (2 * own) <= RESPONSE_GATES
    }

    /// Returns the question whether existential traces exist that none of these responses refutes.
    ///
    /// # Errors
    /// If the formula mentions names that the model does not have.
    pub fn against(&self, responses: &[Response]) -> Result<Joint, ComposeError> {
        let prefix = &self.formula.prefix;
        let mut traces: Vec<TraceVar> = (prefix[..self.existential].iter())
            .map(|(_, trace)| trace.clone())
            .collect();
        let mut specs = self.specs[..self.existential].to_vec();
        let mut bodies = Vec::new();
        for (number, response) in responses.iter().enumerate() {
            let first = specs.len();
            let place = |trace: usize| match trace.checked_sub(self.existential) {
                Some(universal) => first + universal,
                None => trace,
            };
            for (offset, trace) in self.universal().enumerate() {
                let own = self.specs[trace];
                let copied = match response {
                    Response::Copies(whose) => Some(whose[offset]),
                    Response::Traces { .. } | Response::Follows | Response::Circuit(_) => None,
                };
                specs.push(CopySpec {
                    variant: own.variant,
                    inputs_of: own.inputs_of.map(place).or(copied),
                    choices_of: copied,
                });
                traces.push(numbered(&prefix[trace].1, number));
            }
            let body = self.formula.body.renamed(&|trace| {
                let position = self.formula.position(trace);
                match position.is_some_and(|position| position >= self.existential) {
                    true => numbered(trace, number),
                    false => trace.clone(),
                }
            });
            bodies.push((first, body));
        }
        let said = Ltl::and(bodies.iter().map(|(_, body)| body.clone()));
        let mut question = Question::new(self.model, specs.clone(), traces, &said)?;
        for ((first, body), response) in bodies.iter().zip(responses) {
            if let Response::Follows = response {
                self.follow(&mut question, *first, body)?;
            }
            if let Response::Circuit(text) = response
                && let Ok(strategy) = self.strategy(text)
            {
                question.steer(&strategy, self.existential, *first);
            }
            if let Response::Traces { runs, back } = response {
                let copies: Vec<usize> = (*first..first + runs.len()).collect();
                let driven: Vec<Driven> = (runs.iter().zip(&copies))
                    .map(|(run, &copy)| driven(self.model, specs[copy], run))
                    .collect();
                question.drive(&copies, &driven, *back);
            }
        }
        if self.traces == Traces::Finite {
            question.end_by_input();
            question.rest_at_the_end();
            question.require_end();
        }
        let valid: Vec<Lit> = (0..self.existential)
            .map(|copy| question.product.copies[copy].valid)
            .collect();
        question.always(&valid);
        for (first, body) in &bodies {
            self.withstand(&mut question, *first, body, &valid)?;
        }
        Ok(question.finish())
    }

    /// Requires that the response with its copies from `first` on does not refute: `body` holds, or a copy breaks a constraint. Copies with
    /// a constraint in `kept` cannot break it.
    fn withstand(
        &self,
        question: &mut Question<'_>,
        first: usize,
        body: &Ltl,
        kept: &[Lit],
    ) -> Result<(), ComposeError> {
        let own = first..first + self.universal().len();
        let own: Vec<Lit> = own
            .map(|copy| question.product.copies[copy].valid)
            .filter(|lit| !kept.contains(lit))
            .collect();
        let broken: Vec<Temporal> = (own.into_iter())
            .map(|lit| question.broken(lit))
            .filter(|broken| *broken != Temporal::Now(Lit::FALSE).finally())
            .collect();
        let body = question.temporal(body, true)?;
        let broken = match self.constraints_bind {
            true => broken,
            false => Vec::new(),
        };
        let withstood = Temporal::or(broken.into_iter().chain([body]));
        question.require(&withstood);
        Ok(())
    }

    /// Chooses the inputs of the copies from `first` on, as [`Response::Follows`] does. At each step the first values are taken with which
    /// the invariants of the negated `body` and the constraints of these copies hold. Only inputs that belong to these copies alone are
    /// chosen. Without such inputs, or with more than [`RESPONSE_CHOICE_BITS`], nothing changes.
    ///
    /// # Errors
    /// If the formula mentions names that the model does not have.
    fn follow(
        &self,
        question: &mut Question<'_>,
        first: usize,
        body: &Ltl,
    ) -> Result<(), ComposeError> {
        let copies: Vec<usize> = (first..first + self.universal().len()).collect();
        let chosen = question.own_inputs(&copies);
        if chosen.is_empty() || chosen.len() > RESPONSE_CHOICE_BITS {
            // Nothing is left to choose; the copies are runs all the same.
            return Ok(());
        }
        let mut wish = question.temporal(body, false)?.invariants();
        wish.extend(
            copies
                .iter()
                .map(|&copy| question.product.copies[copy].valid),
        );
        let wish = question.product.aig.and_all(&wish);
        question.choose(&chosen, wish);
        Ok(())
    }

    /// Returns the question whether universal traces refute given ones: runs, their variants, and the step at which their loops begin.
    /// Finite traces have no loop, and are refuted by traces of the same length.
    ///
    /// # Errors
    /// If the formula mentions names that the model does not have.
    pub fn responding_to(
        &self,
        (runs, variants): (&[Stimulus], &[Variant]),
        back: usize,
    ) -> Result<Joint, ComposeError> {
        let traces = self.formula.prefix.iter();
        let traces: Vec<TraceVar> = traces.map(|(_, trace)| trace.clone()).collect();
        let body = &self.formula.body;
        let mut question = Question::new(self.model, self.specs.clone(), traces, body)?;
        let copies: Vec<usize> = (0..self.existential).collect();
        let driven: Vec<Driven> = (runs.iter().zip(variants))
            .map(|(run, &variant)| Driven {
                drives_all: true,
                ..driven(self.model, CopySpec::alone(variant), run)
            })
            .collect();
        question.drive(&copies, &driven, back);
        if self.traces == Traces::Finite {
            question.end_after(runs.first().map_or(1, |run| run.steps.len()));
            question.rest_at_the_end();
        }
        let valid: Vec<Lit> = (self.universal())
            .map(|copy| question.product.copies[copy].valid)
            .collect();
        question.always(&valid);
        let refuted = question.temporal(body, false)?;
        question.require(&refuted);
        Ok(question.finish())
    }
}

/// Returns the values of a run of the specified variant for a copy: the inputs of each step, and the state before it.
fn driven(model: &ConditionalMutant, spec: CopySpec, run: &Stimulus) -> Driven {
    let variant: Variant = spec.variant;
    let states = replay(model, variant, run).map(|trace| trace.states);
    Driven {
        inputs: run.steps.clone(),
        states: states.unwrap_or_else(|_| vec![run.initial.to_vec(); run.steps.len()]),
        drives_all: false,
    }
}

/// Returns the trace variable that stands for a universal variable in the response with this number.
fn numbered(trace: &TraceVar, response: usize) -> TraceVar {
    TraceVar::new(format!("{trace}#{response}"))
}
