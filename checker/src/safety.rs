//! Safety without mutants: whether a literal of a circuit can ever be true.
//!
//! Roles, selectors and outputs of the circuit are ignored: all inputs are arbitrary, latches start with their resets, steps that break a
//! constraint do not exist. Every answer is checked: invariants by a naive certifier, runs by replay.

use hyperkill_certify::{CertifyError, ReplayError, certify_invariant, replay_failure};
use hyperkill_core::aig::{Leaf, Node, Signal};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::product::{Copy, CopySpec, Product, Variant};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Aig, Lit};
pub use hyperkill_evidence::answer::Invariant;
use hyperkill_evidence::proof::Fact;
use hyperkill_evidence::question::StateBit;

use crate::external::External;
use crate::question::{Found, Reachability};
use crate::schedule::Engines;
use crate::schedule::reachability::Options;
use crate::solve::{Solved, solve_with};

/// A circuit with a literal that should never be true.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The circuit that is searched.
    pub model: &'a Aig,
    /// A literal of the circuit that should never be true at an existing step.
    pub bad: Lit,
}

/// The verdict on the question whether a literal of a circuit can become true, with its evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SafetyVerdict {
    /// The literal is never true: these clauses hold initially, every step keeps them, and they exclude the literal.
    Holds(Invariant),
    /// The literal is true at the last step of this run, which need not be a shortest one.
    Fails(Stimulus),
    /// Undecided: the literal is not true in any run of at most `known_to` steps.
    Unknown {
        /// No run of at most this many steps makes the literal true.
        known_to: usize,
        /// The limit that ended the search.
        reason: Stop,
    },
}

/// Evidence that did not check, which is a bug in hyperkill and no property of the model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SafetyError {
    /// The certifier refuted an invariant.
    #[error("the invariant did not check: {0}")]
    Invariant(#[from] CertifyError),
    /// A run did not replay.
    #[error("the run did not replay: {0}")]
    Run(#[from] ReplayError),
}

/// Returns the certificate of an invariant as a circuit, in the format of the hardware model checking competition. The circuit has its
/// inputs and latches in their places and one bad state, reached where `bad` is true or the invariant fails. The absence of this bad state
/// is inductive: it holds in reset states, steps keep it, and it excludes `bad`.
#[must_use]
pub fn certificate(model: &Aig, bad: Lit, invariant: &Invariant) -> Aig {
    let mut aig = model.clone();
    let mut reasons = vec![bad];
    for clause in invariant {
        let violated = clause
            .iter()
            .map(|&(latch, value)| model.latches()[latch].var.lit() ^ value);
        let violated: Vec<Lit> = violated.collect();
        reasons.push(aig.and_all(&violated));
    }
    let lit = aig.or_all(&reasons);
    aig.outputs.clear();
    aig.justice.clear();
    aig.fairness.clear();
    aig.bad = vec![Signal { lit, name: None }];
    aig
}

impl Problem<'_> {
    /// Returns the problem as a question for the engines: a product of one copy, with the inputs and latches of the circuit.
    #[must_use]
    pub fn reachability(&self) -> Reachability {
        let model = self.model;
        let mut aig = Aig::new();
        aig.reserve(model.gate_count());
        let images = aig.copy(
            model,
            |_| true,
            |aig, _, leaf| match leaf {
                Leaf::Input(_) => aig.add_input(None),
                Leaf::Latch(i) => aig.add_latch(model.latches()[i].reset, None),
            },
        );
        for (i, latch) in model.latches().iter().enumerate() {
            aig.set_next(i, images.of(latch.next));
        }
        let constraints = model.constraints.iter();
        let always: Vec<Lit> = constraints.map(|c| images.of(c.lit)).collect();
        let goal = images.of(self.bad);
        let copy = Copy {
            spec: CopySpec::alone(Variant::Original),
            inputs: model
                .inputs()
                .iter()
                .map(|input| Some(images.of(input.var.lit())))
                .collect(),
            latches: (0..model.latches().len()).map(Some).collect(),
            outputs: Vec::new(),
            valid: aig.and_all(&always),
            nodes: images.into_nodes().into_iter().map(Some).collect(),
            selectors: Vec::new(),
        };
        Reachability {
            product: Product {
                aig,
                copies: vec![copy],
                initially_equal: Vec::new(),
                one_member: Lit::TRUE,
            },
            always,
            before: Vec::new(),
            goal,
            related: Vec::new(),
            remembers: Vec::new(),
        }
    }

    /// Returns facts about latches as clauses: two for an equality of two latches, one for a constant. `None` if a fact has another form.
    fn invariant(&self, facts: &[Fact]) -> Option<Invariant> {
        let latch = |lit: Lit| match self.model.node(lit.var()) {
            Node::Latch(index) => Some((index as usize, !lit.is_negated())),
            _ => None,
        };
        let mut clauses = Invariant::new();
        for fact in facts {
            match fact {
                Fact::Equal([representative, member]) => {
                    let (member, value) = latch(member.lit)?;
                    match representative.lit.as_constant() {
                        Some(constant) => clauses.push(vec![(member, value == constant)]),
                        None => {
                            let (other, positive) = latch(representative.lit)?;
                            clauses.push(vec![(member, value), (other, !positive)]);
                            clauses.push(vec![(member, !value), (other, positive)]);
                        }
                    }
                }
                Fact::Clause(bits) => {
                    let literals = bits.iter().map(|&(bit, value)| match bit {
                        StateBit::Latch { latch, .. } => Some((latch, value)),
                        _ => None,
                    });
                    clauses.push(literals.collect::<Option<_>>()?);
                }
                _ => return None,
            }
        }
        Some(clauses)
    }

    fn fails(&self, found: Found) -> Result<SafetyVerdict, SafetyError> {
        let run = found.runs.into_iter().next().unwrap_or(Stimulus {
            initial: FirstValues::default(),
            steps: Vec::new(),
        });
        replay_failure(self.model, self.bad, &run)?;
        Ok(SafetyVerdict::Fails(run))
    }

    fn holds(
        &self,
        invariant: Invariant,
        known_to: usize,
        budget: &Budget,
    ) -> Result<SafetyVerdict, SafetyError> {
        match certify_invariant(self.model, self.bad, &invariant, budget) {
            Ok(()) => Ok(SafetyVerdict::Holds(invariant)),
            Err(CertifyError::Stopped(reason)) => Ok(SafetyVerdict::Unknown { known_to, reason }),
            Err(wrong) => Err(wrong.into()),
        }
    }
}

/// Returns the options with induction switched off, and with `others` set. A proof must be an invariant, which k-induction does not give.
#[must_use]
pub fn scheduled(options: &Options, others: bool) -> Options {
    Options {
        engines: Engines {
            induction: false,
            ..options.engines
        },
        others,
        ..*options
    }
}

/// Decides a problem by the permitted engines among [`Options::SAFETY`], and by external model checkers, if any are given.
///
/// # Errors
/// If evidence does not check.
pub fn decide_safety(
    problem: &Problem<'_>,
    options: &Options,
    others: Option<&External>,
    budget: &Budget,
) -> Result<SafetyVerdict, SafetyError> {
    let options = &scheduled(options, others.is_some());
    match solve_with(&problem.reachability(), options, others, budget) {
        Solved::Reached { found, .. } => problem.fails(found),
        Solved::Unreachable(proof) => match problem.invariant(&proof.facts) {
            Some(invariant) => problem.holds(invariant, proof.k, budget),
            None => Ok(SafetyVerdict::Unknown {
                known_to: proof.k,
                reason: Stop::Engines,
            }),
        },
        Solved::Open { refuted, stop } => Ok(SafetyVerdict::Unknown {
            known_to: refuted,
            reason: stop,
        }),
    }
}
