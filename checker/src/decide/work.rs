//! Takes the steps of a mutant's schedule; each extends the facts about the mutant.

use std::cell::OnceCell;
use std::ops::ControlFlow;

use hyperkill_core::SelectorId;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::closed_set::Relation;
use hyperkill_formulas::compose::{Composition, Sharing, self_compose};
use hyperkill_formulas::killing;

use super::facts::Facts;
use super::verdict::{asks_for_definite, is_searched};
use super::{DecideError, Inquiry};
use crate::acceptance::{Look, input_enabled};
use crate::engines::exists_forall::{ExistsForall, Sides};
use crate::question::QuestionError;
use crate::schedule::Work;
use crate::schedule::mutants::{MutantStep, Purpose};

/// The result of a step: success, with facts recorded, or evidence that did not check.
pub(super) type Taken = Result<(), DecideError>;

/// The products of the formulas for potential and for definite kills, composed at first use.
#[derive(Default)]
pub(super) struct Compositions {
    matched: OnceCell<Result<(Composition, Sides), QuestionError>>,
    agreeing: OnceCell<Result<(Composition, Sides), QuestionError>>,
}

/// The work on one mutant: the facts so far, and what the steps of its schedule need.
pub(super) struct Deciding<'a> {
    pub(super) inquiry: &'a Inquiry<'a>,
    pub(super) mutant: SelectorId,
    pub(super) facts: Facts,
    /// All steps of the mutant's schedule.
    schedule: Vec<MutantStep>,
    compositions: &'a Compositions,
    /// The search by expansion of universal runs for potential kills; the next field has that for definite ones. Each step resumes the last
    /// one.
    matched: Option<ExistsForall<'a>>,
    agreeing: Option<ExistsForall<'a>>,
}

impl<'a> Deciding<'a> {
    pub(super) fn new(
        inquiry: &'a Inquiry<'a>,
        mutant: SelectorId,
        facts: Facts,
        compositions: &'a Compositions,
    ) -> Deciding<'a> {
        Deciding {
            inquiry,
            mutant,
            facts,
            schedule: inquiry.schedule.steps(),
            compositions,
            matched: None,
            agreeing: None,
        }
    }

    /// Returns the search by expansion for kills in this sense: for φ2, or for φ3 (φ4 if the model is deterministic).
    pub(super) fn expansion(
        &mut self,
        relation: Relation,
    ) -> Result<&mut ExistsForall<'a>, DecideError> {
        let (inquiry, mutant) = (self.inquiry, self.mutant);
        let (cell, search, formula) = match relation {
            Relation::Matched => (
                &self.compositions.matched,
                &mut self.matched,
                killing::phi2(),
            ),
            Relation::Agreeing => (
                &self.compositions.agreeing,
                &mut self.agreeing,
                if inquiry.deterministic() {
                    killing::phi4()
                } else {
                    killing::phi3()
                },
            ),
        };
        let prepared = cell.get_or_init(|| {
            let formula = crate::fault::with_selectors_inside(formula);
            let composition = self_compose(inquiry.model, mutant, &formula, Sharing::Independent)?;
            let sides = Sides::of(&composition);
            Ok((composition, sides))
        });
        match prepared {
            Ok((composition, sides)) => {
                Ok(search.get_or_insert_with(|| ExistsForall::new(composition, sides)))
            }
            Err(error) => Err(error.clone().into()),
        }
    }

    /// Whether tests that kill in the sense of `relation` are wanted, and neither a test nor a proof of their absence is known.
    fn lacks(&self, relation: Relation) -> bool {
        let facts = &self.facts;
        let asked = &self.inquiry.schedule;
        let wanted = relation == Relation::Matched || asks_for_definite(facts, asked);
        wanted && !facts.of(relation).is_answered() && facts.potential.excluded.is_none()
    }

    /// Whether all tests within the bound are refuted in the sense of `relation`, so that no search for tests is needed.
    fn is_searched(&self, relation: Relation) -> bool {
        let asked = &self.inquiry.schedule;
        is_searched(self.facts.of(relation), self.facts.refuted(relation), asked)
    }

    /// Whether a shorter test than the known one is wanted in the sense of `relation` and costs little.
    fn improves(&self, relation: Relation) -> bool {
        let knowledge = self.facts.of(relation);
        let wanted =
            relation == Relation::Matched || asks_for_definite(&self.facts, &self.inquiry.schedule);
        wanted && self.inquiry.is_worth_shortening(knowledge)
    }

    fn looks_for(&self, relation: Relation, purpose: Purpose) -> bool {
        match purpose {
            Purpose::Find => self.lacks(relation) && !self.is_searched(relation),
            Purpose::Shorten => self.improves(relation),
        }
    }

    /// Takes one step of the schedule and records its result in the facts.
    fn step(&mut self, step: &MutantStep, budget: &Budget) -> Taken {
        match step {
            MutantStep::Glance => self.glance(),
            MutantStep::ShortenPair(effort) => self.shorten_pair(effort, budget),
            MutantStep::Judge => self.judge_candidate(budget),
            MutantStep::ProveUnreachable(options, listing) => {
                self.prove_unreachable(options, *listing, budget)
            }
            MutantStep::Pairs(options) => self.search_pairs(options, budget),
            MutantStep::List(relation, _, listing) => self.list(*relation, *listing, budget),
            MutantStep::Identity(options) => self.identity(options, budget),
            MutantStep::Steer(relation, preference, options) => {
                self.steer(*relation, *preference, options, budget)
            }
            MutantStep::Simulate => self.simulate(budget),
            MutantStep::Expand(relation, purpose, effort) => {
                self.expand(*relation, *purpose, effort, budget)
            }
            MutantStep::Relate(relation, among) => self.relate(*relation, *among, budget),
            MutantStep::Play(listing) => self.play(*listing, budget),
            MutantStep::Accept => {
                let Inquiry {
                    model,
                    classes,
                    steps,
                    ..
                } = self.inquiry;
                // A kill holds independently of the other inputs that the two sides accept.
                let look = match self.facts.potential.best.is_some() {
                    true => Look::Short,
                    false => Look::Thorough,
                };
                self.facts.accepts =
                    input_enabled(model, self.mutant, classes, steps, look, budget);
                Ok(())
            }
        }
    }
}

impl Deciding<'_> {
    /// Whether the step may still add to the facts.
    fn is_open(&self, step: &MutantStep) -> bool {
        let facts = &self.facts;
        match step {
            MutantStep::Glance => facts.candidate().is_some() && !facts.pairs.is_settled(),
            MutantStep::ShortenPair(_) => facts.candidate().is_some_and(|(_, found)| {
                !facts.pairs.is_settled() && self.inquiry.is_cheap(found.steps)
            }),
            MutantStep::Judge => facts.candidate().is_some(),
            MutantStep::ProveUnreachable(..) => {
                self.lacks(Relation::Matched) && facts.pairs.is_unreachable()
            }
            MutantStep::Pairs(_) | MutantStep::Identity(_) => self.lacks(Relation::Matched),
            MutantStep::Steer(relation, ..) | MutantStep::Relate(relation, _) => {
                self.lacks(*relation)
            }
            MutantStep::Simulate => self.lacks(Relation::Agreeing),
            MutantStep::List(relation, purpose, _) | MutantStep::Expand(relation, purpose, _) => {
                self.looks_for(*relation, *purpose)
            }
            MutantStep::Play(_) => {
                facts.potential.best.is_some()
                    && facts.potential.excluded.is_none()
                    && facts.definite.best.is_none()
            }
            MutantStep::Accept => true,
        }
    }

    /// Returns the index of a step in the schedule, for steps that need not be taken again. `None` if the step may find an answer when it
    /// is taken again, or is not in the schedule.
    fn place(&self, step: &MutantStep) -> Option<usize> {
        let mut steps = self.schedule.iter();
        let place = steps.position(|other| other == step)?;
        step.repeats_itself().then_some(place)
    }
}

impl Work for Deciding<'_> {
    type Step = MutantStep;
    type Answer = Taken;

    fn wants(&self, step: &MutantStep) -> bool {
        let place = self.place(step);
        let is_in_vain = place.is_some_and(|place| self.facts.in_vain.contains(&place));
        !is_in_vain && self.is_open(step)
    }

    fn finishes(&self, step: &MutantStep) -> bool {
        match step {
            MutantStep::Glance | MutantStep::Judge => self.facts.candidate().is_some(),
            MutantStep::Accept => true,
            _ => false,
        }
    }

    fn take(&mut self, step: &MutantStep, budget: &Budget) -> ControlFlow<Taken> {
        let _finds = budget.finds_by(step.engine());
        if let Err(error) = self.step(step, budget) {
            return ControlFlow::Break(Err(error));
        }
        if budget.stopped().is_none() && self.is_open(step) {
            self.facts.in_vain.extend(self.place(step));
        }
        ControlFlow::Continue(())
    }

    /// Ends the work, since the schedule has one turn.
    fn after(&mut self, _: u32, _: Option<Stop>) -> ControlFlow<Taken> {
        ControlFlow::Break(Ok(()))
    }
}
