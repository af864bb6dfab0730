//! Translates evidence about a mutant of one version of a model to another version.
//!
//! Latches, inputs and outputs are matched by name, gates by their function. Parts without a match are omitted. Nothing is checked here:
//! the result may be wrong and must be certified.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use hyperkill_core::aig::Reset;
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::product::Variant;
use hyperkill_core::relevance::Relevance;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Lit, SelectorId};
use hyperkill_evidence::accepted_sets::AcceptedSets;
use hyperkill_evidence::closed_set::ClosedSet;
use hyperkill_evidence::estimates::Estimates;
use hyperkill_evidence::multiplexers::{Look, Multiplexer, Source};
use hyperkill_evidence::proof::{Fact, Proof, Site};
use hyperkill_evidence::question::{Pair, Question, StateBit};
use hyperkill_evidence::simulation::Simulation;
use hyperkill_evidence::strategy_tree::{Node, StrategyTree};
use hyperkill_evidence::verdict::{
    Certificate, Inclusion, InputEnabled, Kill, Outcome, Potential, Strength, Stronger, Verdict,
};

use super::cone::Contents;
use super::view::{Original, View};
use crate::question::steered;

/// Translates outcomes and evidence about mutants of one version of a model to another version.
pub struct Transfer<'t, 'a, 'b> {
    from: &'t Original<'a>,
    to: &'t mut Contents<'b>,
    /// For each latch of the first version the index of the equally named one in the second; then the same for inputs and outputs.
    latches: Vec<Option<usize>>,
    inputs: Vec<Option<usize>>,
    outputs: Vec<Option<usize>>,
}

impl<'t, 'a, 'b> Transfer<'t, 'a, 'b> {
    /// Returns the translation from one version of a model to another.
    #[must_use]
    pub fn new(from: &'t Contents<'a>, to: &'t mut Contents<'b>) -> Transfer<'t, 'a, 'b> {
        let from = &from.original;
        let theirs = &to.original;
        Transfer {
            latches: places(&from.latches, &theirs.latches),
            inputs: places(&from.inputs, &theirs.inputs),
            outputs: places(&from.outputs, &theirs.outputs),
            from,
            to,
        }
    }

    /// Returns the run in terms of the other version, with inputs and first values matched by name; those without a match are 0.
    #[must_use]
    pub fn run(&self, run: &Stimulus) -> Stimulus {
        let aig = &self.to.original.model.aig;
        let latches = aig.latches().iter();
        let mut initial: FirstValues = latches.map(|latch| latch.reset == Reset::One).collect();
        for (old, new) in self.latches.iter().enumerate() {
            if let Some(new) = *new
                && aig.latches()[new].reset == Reset::Free
                && self.to.original.selectors[new].is_none()
            {
                initial.set(new, run.initial.get(old).unwrap_or_default());
            }
        }
        let steps = run.steps.iter();
        let steps = steps.map(|step| moved(step, &self.inputs, aig.inputs().len()));
        Stimulus {
            initial,
            steps: steps.collect(),
        }
    }

    /// Returns the outcome of a mutant in terms of the other version. `mutants` has its selector in the first and in the second version.
    /// `None` if a part of the outcome has no match there.
    #[must_use]
    pub fn outcome(&mut self, mutants: [SelectorId; 2], outcome: &Outcome) -> Option<Outcome> {
        self.said(mutants, outcome, false)
    }

    /// Returns the outcome of a mutant in terms of the other version, like [`Transfer::outcome`]. The edit between the two versions may
    /// have changed the verdict, so the outcome claims only what its evidence can show: no test is called the shortest. `None` if a part of
    /// the old outcome is undecided, has notes, or has no match in the other version.
    #[must_use]
    pub fn outcome_of_edited(
        &mut self,
        mutants: [SelectorId; 2],
        outcome: &Outcome,
    ) -> Option<Outcome> {
        if !outcome.notes.is_empty() {
            return None;
        }
        let mut outcome = self.said(mutants, outcome, true)?;
        let kill = match &mut outcome.verdict {
            Verdict::Killed(kill) => Some(kill),
            Verdict::NotDefinitelyKillable { potential, .. } => match potential {
                Potential::Killed(kill) => Some(kill),
                Potential::Unsettled { .. } => return None,
            },
            _ => None,
        };
        if let Some(kill) = kill {
            if matches!(kill.stronger, Stronger::Unsettled { .. }) {
                return None;
            }
            kill.shortest = false;
        }
        match outcome.input_enabled {
            InputEnabled::Unsettled => None,
            InputEnabled::Equally(_) | InputEnabled::Differently { .. } => Some(outcome),
        }
    }

    fn said(
        &mut self,
        [from, to]: [SelectorId; 2],
        outcome: &Outcome,
        is_edited: bool,
    ) -> Option<Outcome> {
        let model = self.to.original.model;
        let cone = self.to.of_mutant(to);
        let about = About {
            transfer: self,
            mutants: [from, to],
            views: [self.from.view(from), self.to.original.view(to)],
            relevance: Relevance::to(model, &[Variant::Original, Variant::Mutant(to)]),
            outputs: cone.outputs.iter().copied().collect(),
            latches: cone.latches.iter().copied().collect(),
            is_edited,
        };
        let verdict = match &outcome.verdict {
            Verdict::Killed(kill) => Verdict::Killed(Box::new(about.kill(kill)?)),
            Verdict::Equivalent(certificate) => Verdict::Equivalent(about.proved(certificate)?),
            Verdict::NotDefinitelyKillable {
                certificate,
                potential,
            } => Verdict::NotDefinitelyKillable {
                certificate: about.proved(certificate)?,
                potential: match potential {
                    Potential::Killed(kill) => Potential::Killed(Box::new(about.kill(kill)?)),
                    unsettled @ Potential::Unsettled { .. } => unsettled.clone(),
                },
            },
            Verdict::RefusesInput { run, certificate } => Verdict::RefusesInput {
                run: about.run(run),
                certificate: about.proved(certificate)?,
            },
            Verdict::Invalid(_)
            | Verdict::Inconsistent(_)
            | Verdict::DuplicateOf(_)
            | Verdict::Unknown { .. } => return None,
        };
        Some(Outcome {
            mutant: model.selectors[to.0].id.clone(),
            verdict,
            input_enabled: about.accepts(&outcome.input_enabled)?,
            ..outcome.clone()
        })
    }
}

/// Returns for each of `names` its index among `others`; `None` if it is not there.
fn places(names: &[String], others: &[String]) -> Vec<Option<usize>> {
    let others = others.iter().enumerate();
    let others: BTreeMap<&String, usize> = others.map(|(at, name)| (name, at)).collect();
    let names = names.iter();
    names.map(|name| others.get(name).copied()).collect()
}

/// Returns a list of length `width` with each value at its index in `places`. Values without an index are dropped; other entries are false.
fn moved(values: &[bool], places: &[Option<usize>], width: usize) -> Vec<bool> {
    let mut moved = vec![false; width];
    for (value, place) in values.iter().zip(places) {
        if let Some(place) = *place {
            moved[place] = *value;
        }
    }
    moved
}

/// A mutant in both versions of a model, for the translation of its evidence.
struct About<'o, 't, 'a, 'b> {
    transfer: &'o Transfer<'t, 'a, 'b>,
    mutants: [SelectorId; 2],
    views: [View<'o, 'o>; 2],
    relevance: Relevance,
    /// The outputs and latches, by index, that the verdict depends on in the second version.
    outputs: FxHashSet<usize>,
    latches: FxHashSet<usize>,
    /// Whether an edit may have changed the verdict.
    is_edited: bool,
}

impl About<'_, '_, '_, '_> {
    fn run(&self, run: &Stimulus) -> Stimulus {
        self.transfer.run(run)
    }

    fn kill(&self, kill: &Kill) -> Option<Kill> {
        let tree = match &kill.tree {
            Some(tree) => Some(self.tree(tree)?),
            None => None,
        };
        if tree.is_none() && kill.strength == Strength::Adaptive {
            return None;
        }
        let run = |run| self.relevance.without_noise(&self.run(run));
        Some(Kill {
            model_run: run(&kill.model_run),
            mutant_run: run(&kill.mutant_run),
            stronger: match &kill.stronger {
                Stronger::Excluded(certificate) => {
                    Stronger::Excluded(Box::new(self.proved(certificate)?))
                }
                other => other.clone(),
            },
            tree,
            ..kill.clone()
        })
    }

    /// Translates an adaptive test; `None` if a part has no match. Its tester observes all outputs, so outputs that the mutant cannot reach
    /// must be unchanged too.
    fn tree(&self, tree: &StrategyTree) -> Option<StrategyTree> {
        if !self.is_all() {
            return None;
        }
        let aig = &self.transfer.to.original.model.aig;
        let outputs = &self.transfer.outputs;
        let nodes = tree.nodes.iter().map(|node| {
            let branches = node.branches.iter();
            let mut branches: Vec<_> = branches
                .map(|(shown, next)| (moved(shown, outputs, aig.outputs.len()), *next))
                .collect();
            branches.sort_unstable();
            Node {
                input: moved(&node.input, &self.transfer.inputs, aig.inputs().len()),
                branches,
            }
        });
        Some(StrategyTree {
            nodes: nodes.collect(),
        })
    }

    fn accepts(&self, accepts: &InputEnabled) -> Option<InputEnabled> {
        Some(match accepts {
            InputEnabled::Equally(inclusion) => InputEnabled::Equally(self.included(inclusion)?),
            InputEnabled::Differently {
                mutant_refuses,
                run,
                otherwise,
            } => InputEnabled::Differently {
                mutant_refuses: *mutant_refuses,
                run: self.run(run),
                otherwise: match otherwise {
                    Some(inclusion) => Some(self.included(inclusion)?),
                    None => None,
                },
            },
            InputEnabled::Unsettled => InputEnabled::Unsettled,
        })
    }

    fn included(&self, inclusion: &Inclusion) -> Option<Inclusion> {
        let refusal = |who| Question::refusal(self.mutants[1], who);
        Some(match inclusion {
            Inclusion::Unconstrained => Inclusion::Unconstrained,
            Inclusion::CommonChoices { mutant, model } => Inclusion::CommonChoices {
                mutant: self.proof(&refusal(1), mutant),
                model: (model.as_ref()).map(|proof| self.proof(&refusal(0), proof)),
            },
            Inclusion::Endless { mutant, model } => Inclusion::Endless {
                mutant: self.run(mutant),
                model: self.run(model),
            },
            Inclusion::Relations { mutant, model } => Inclusion::Relations {
                mutant: Box::new(self.simulation(mutant)?),
                model: match model {
                    Some(model) => Some(Box::new(self.simulation(model)?)),
                    None => None,
                },
            },
            Inclusion::Sets(sets) => Inclusion::Sets(AcceptedSets {
                states: self.states(&sets.states)?,
                pairs: sets.pairs.clone(),
            }),
        })
    }

    fn proved(&self, certificate: &Certificate) -> Option<Certificate> {
        Some(match certificate {
            Certificate::Induction { question, proof } => {
                let question = self.question(question)?;
                let proof = self.proof(&question, proof);
                Certificate::Induction { question, proof }
            }
            Certificate::ClosedSet(closed) => Certificate::ClosedSet(Arc::new(ClosedSet {
                members: vec![self.mutants[1]],
                states: self.states(&closed.states)?,
                ..ClosedSet::clone(closed)
            })),
            Certificate::Simulation(simulation) => {
                Certificate::Simulation(self.simulation(simulation)?)
            }
            Certificate::Estimates(estimates) => Certificate::Estimates(self.estimates(estimates)?),
        })
    }

    /// Returns a question in terms of the other version. A question about a family becomes one about this mutant, since a goal that a
    /// family cannot reach is unreachable for each member. `None` for formulas, and if there are too many choices.
    fn question(&self, question: &Question) -> Option<Question> {
        let pair = |pair: &Pair| {
            Question::Pair(Pair {
                variants: [Variant::Original, Variant::Mutant(self.mutants[1])],
                ..*pair
            })
        };
        match question {
            Question::Pair(about) => Some(pair(about)),
            Question::Family(family) => Some(pair(&family.pair)),
            Question::Steered(about) => {
                let model = self.transfer.to.original.model;
                let again = steered(model, self.mutants[1], about.aim, about.preference);
                Some(Question::Steered(again.ok()?))
            }
            Question::Composed(_) => None,
        }
    }

    /// Returns the proof in terms of the other version, for this question. Latches that the mutant cannot reach are equal in model and
    /// mutant. The proof gets these equalities as facts, because the older version may have differed there.
    fn proof(&self, question: &Question, proof: &Proof) -> Proof {
        let facts = proof.facts.iter().filter_map(|fact| self.fact(fact));
        let mut facts: Vec<Fact> = facts.collect();
        let known: FxHashSet<Fact> = facts.iter().cloned().collect();
        let aig = &self.transfer.to.original.model.aig;
        for (at, latch) in aig.latches().iter().enumerate() {
            let same = Fact::same([0, 1], latch.var);
            let is_beyond = self.relevance.of_latch(at) && !self.latches.contains(&at);
            let is_selector = self.transfer.to.original.selectors[at].is_some();
            if is_beyond && !is_selector && !known.contains(&same) {
                facts.push(same);
            }
        }
        if let Question::Composed(_) = question {
            facts.clear();
        }
        Proof {
            facts,
            ..proof.clone()
        }
    }

    fn literal(&self, lit: Lit) -> Option<Lit> {
        let [from, to] = &self.views;
        to.literal(from.coded(lit))
    }

    fn fact(&self, fact: &Fact) -> Option<Fact> {
        let site = |site: &Site| {
            Some(Site {
                copy: site.copy,
                lit: self.literal(site.lit)?,
            })
        };
        Some(match fact {
            Fact::Equal([a, b]) => Fact::Equal([site(a)?, site(b)?]),
            Fact::SameUnless(copies, var, unless) => {
                // The condition makes the node equal in both copies, so it makes the complement equal too.
                let var = self.literal(var.lit())?.var();
                Fact::SameUnless(*copies, var, self.literal(*unless)?)
            }
            Fact::Clause(clause) => {
                let mut parts = Vec::new();
                for &(bit, is) in clause {
                    match self.bit(bit)? {
                        // The clause is true.
                        Bit::Is(value) if value == is => return None,
                        Bit::Is(_) => {}
                        Bit::Of(bit) => parts.push((bit, is)),
                    }
                }
                Fact::Clause(parts)
            }
        })
    }

    fn bit(&self, bit: StateBit) -> Option<Bit> {
        Some(match bit {
            StateBit::Latch { copy, latch } => {
                let [from, to] = self.mutants;
                match self.transfer.from.selectors[latch] {
                    Some(selector) if selector == from => {
                        let latch = self.transfer.to.original.model.selectors[to.0].latch;
                        Bit::Of(StateBit::Latch { copy, latch })
                    }
                    // All other selectors are off.
                    Some(_) => Bit::Is(false),
                    None => {
                        let latch = self.transfer.latches[latch]?;
                        Bit::Of(StateBit::Latch { copy, latch })
                    }
                }
            }
            StateBit::Before { copy, lit } => {
                let lit = self.literal(lit)?;
                match lit.var() == Lit::FALSE.var() {
                    true => Bit::Is(lit == Lit::TRUE),
                    false => Bit::Of(StateBit::Before { copy, lit }),
                }
            }
            StateBit::First => Bit::Of(StateBit::First),
        })
    }

    /// Whether all latches that outputs and constraints depend on are unchanged, including latches that the mutant cannot reach. States of
    /// one version are then states of the other.
    fn is_all(&self) -> bool {
        // The check of the evidence detects differences.
        if self.is_edited {
            return true;
        }
        let [from, to] = &self.views;
        let (old, new) = (&from.original.model.aig, &to.original.model.aig);
        let latches = self.transfer.latches.iter().enumerate();
        let latches = latches.filter_map(|(old, new)| Some(((*new)?, old)));
        let latches: BTreeMap<usize, usize> = latches.collect();
        let outputs = self.transfer.outputs.iter().enumerate();
        let outputs = outputs.filter_map(|(old, new)| Some(((*new)?, old)));
        let outputs: BTreeMap<usize, usize> = outputs.collect();
        let same_latch = |at: usize| {
            latches.get(&at).is_some_and(|&had| {
                let (had, has) = (&old.latches()[had], &new.latches()[at]);
                had.reset == has.reset && from.coded(had.next) == to.coded(has.next)
            })
        };
        let same_output = |at: usize| {
            outputs.get(&at).is_some_and(|&had| {
                from.coded(old.outputs[had].lit) == to.coded(new.outputs[at].lit)
            })
        };
        let selectors = &to.original.selectors;
        let is_same = |at: usize| {
            selectors[at].is_some()
                || self.latches.contains(&at)
                || !self.relevance.of_latch(at)
                || same_latch(at)
        };
        (0..new.latches().len()).all(is_same)
            && old.outputs.len() == new.outputs.len()
            && (0..new.outputs.len()).all(|at| self.outputs.contains(&at) || same_output(at))
    }

    fn states(&self, states: &[Vec<bool>]) -> Option<Vec<Vec<bool>>> {
        let width = self.transfer.to.original.latches.len();
        let states = states.iter().map(|state| {
            let mut state = moved(state, &self.transfer.latches, width);
            for (at, selector) in self.transfer.to.original.selectors.iter().enumerate() {
                state[at] &= selector.is_none();
            }
            state
        });
        self.is_all().then(|| states.collect())
    }

    fn simulation(&self, simulation: &Simulation) -> Option<Simulation> {
        if !self.is_all() {
            return None;
        }
        Some(Simulation {
            members: vec![self.mutants[1]],
            multiplexers: self.multiplexers(&simulation.multiplexers)?,
            initial: self.choices(&simulation.initial)?,
            choices: self.choices(&simulation.choices)?,
            order: self.order(&simulation.order),
            ..simulation.clone()
        })
    }

    fn estimates(&self, estimates: &Estimates) -> Option<Estimates> {
        if !self.is_all() {
            return None;
        }
        Some(Estimates {
            members: vec![self.mutants[1]],
            multiplexers: self.multiplexers(&estimates.multiplexers)?,
            last: self.choices(&estimates.last)?,
            before: self.choices(&estimates.before)?,
            order: self.order(&estimates.order),
            ..estimates.clone()
        })
    }

    /// Returns the order of variables of a proof in terms of the other version, without the selectors of other members. The order is empty
    /// if a variable has no match.
    fn order(&self, order: &[Look]) -> Vec<Look> {
        let order = order.iter().filter(|&&look| !self.is_of_another(look));
        let order: Option<Vec<Look>> = order.map(|&look| self.look(look)).collect();
        order.unwrap_or_default()
    }

    fn choices(&self, all: &[(Look, Source)]) -> Option<Vec<(Look, Source)>> {
        let all = all.iter();
        all.map(|&(look, source)| Some((self.look(look)?, source)))
            .collect()
    }

    fn multiplexers(&self, all: &[Multiplexer]) -> Option<Vec<Multiplexer>> {
        let mut multiplexers = all.to_vec();
        let own = Look::Mutant(self.transfer.to.original.model.selectors[self.mutants[1].0].latch);
        for multiplexer in &mut multiplexers {
            if self.is_of_another(multiplexer.on) {
                // The selector of the other member is off: its branch is dropped.
                multiplexer.on = own;
                multiplexer.high = multiplexer.low;
            } else {
                multiplexer.on = self.look(multiplexer.on)?;
            }
        }
        Some(multiplexers)
    }

    /// Whether the variable is the selector of another member of a family.
    fn is_of_another(&self, look: Look) -> bool {
        let (Look::Mutant(at) | Look::Model(at) | Look::Next(at)) = look else {
            return false;
        };
        let selector = self.transfer.from.selectors.get(at).copied().flatten();
        selector.is_some_and(|selector| selector != self.mutants[0])
    }

    fn look(&self, look: Look) -> Option<Look> {
        let latch = |at: usize| {
            let [from, to] = self.mutants;
            match self.transfer.from.selectors.get(at)? {
                Some(selector) if *selector == from => {
                    Some(self.transfer.to.original.model.selectors[to.0].latch)
                }
                Some(_) => None,
                None => *self.transfer.latches.get(at)?,
            }
        };
        let input = |at: usize| *self.transfer.inputs.get(at)?;
        Some(match look {
            Look::Input(at) => Look::Input(input(at)?),
            Look::Chosen(at) => Look::Chosen(input(at)?),
            Look::MutantChosen(at) => Look::MutantChosen(input(at)?),
            Look::Model(at) => Look::Model(latch(at)?),
            Look::Mutant(at) => Look::Mutant(latch(at)?),
            Look::Next(at) => Look::Next(latch(at)?),
            Look::Shown(at) => Look::Shown((*self.transfer.outputs.get(at)?)?),
            Look::ModelNext(at) => Look::ModelNext(latch(at)?),
            Look::Estimate(bit) => Look::Estimate(bit),
        })
    }
}

/// A bit of a clause, translated to the other version.
enum Bit {
    /// A constant.
    Is(bool),
    /// The value of this bit.
    Of(StateBit),
}
