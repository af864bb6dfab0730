//! One run of a test: it gives inputs, takes answers and ends with a verdict.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::sort::Value;
use hyperkill_core::suite::{Step, TestKind};
use hyperkill_core::trace::decode;
use hyperkill_evidence::strategy_tree::{self, StrategyTree};

use super::follower::{Follower, Reference};
use super::values::{Misfit, pattern};
use crate::judge::Judgement;

/// Values of variables by name.
pub type Values = Vec<(String, Value)>;

/// A test that is to be run on a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// The kind of test, which defines the meaning of its outputs.
    pub kind: TestKind,
    /// The inputs and expected outputs of each step; a tree does not need them.
    pub steps: Vec<Step>,
    /// The strategy, if the test is a tree; else `None`.
    pub strategy: Option<Strategy>,
}

/// A strategy of the tester as a tree, with names and values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strategy {
    /// The nodes of the tree. Play starts at the first, and turns lead to later ones only.
    pub turns: Vec<Turn>,
}

/// A node of a strategy: the inputs to set, and the continuations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The inputs that the tester sets.
    pub inputs: Values,
    /// The answers that the model may give, each with the index of the next turn, `None` if the test ends. Every other answer is a fail.
    pub answers: Vec<(Values, Option<usize>)>,
}

impl Strategy {
    /// Returns a strategy in bits as one with names and values.
    #[must_use]
    pub fn of(model: &ConditionalMutant, tree: &StrategyTree) -> Strategy {
        let turns = tree.nodes.iter().map(|node| Turn {
            inputs: decode(&model.inputs, &node.input),
            answers: (node.branches.iter())
                .map(|(outputs, next)| {
                    let next = match next {
                        strategy_tree::Next::Node(next) => Some(*next),
                        strategy_tree::Next::Pass => None,
                    };
                    (decode(&model.outputs, outputs), next)
                })
                .collect(),
        });
        Strategy {
            turns: turns.collect(),
        }
    }
}

/// The verdict of a test on a system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// The test ended, and all answers were allowed.
    Pass,
    /// The system gave an output that the test does not allow.
    Fail,
    /// The test ended without a verdict.
    Inconclusive,
}

/// The reason for the verdict of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// Every output equals the test's own.
    AsExpected,
    /// All outputs were allowed by the model; the first that differs from the test's own is at this step.
    Allowed(usize),
    /// The outputs distinguish the system from all mutants that the tree kills.
    ToldApart,
    /// The outputs differ from those of a linear test, which allows no others.
    NotExpected,
    /// No run of the model with the previous answers has these outputs.
    NotAllowed,
    /// The outputs differ from those of a local test but are allowed; the test ends there.
    Other,
    /// No run of the model with the previous answers accepts the next input.
    Refused,
    /// A limit was reached before it was known whether the model has such a run.
    Open(Stop),
}

/// The end of a run of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The verdict on the system.
    pub verdict: Verdict,
    /// The step that decided the verdict, counted from 0: the step of the last answer, or of the input that was not given.
    pub step: usize,
    /// The reason for the verdict.
    pub why: Why,
}

/// The next action of the tester in a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// Set these inputs on the system and hand over its answer.
    Set(Values),
    /// The test is over.
    Over(Ending),
}

/// A run of a test in progress.
pub struct Play<'r> {
    script: &'r Script,
    model: &'r ConditionalMutant,
    /// The model's state estimate, for tests that do not list all allowed outputs.
    follower: Option<Follower<'r>>,
    /// The number of answered steps.
    done: usize,
    /// The index of the current node of a tree.
    turn: usize,
    /// The first step at which the outputs differed from the test's own, if any did.
    differs: Option<usize>,
    ending: Option<Ending>,
}

impl<'r> Play<'r> {
    /// Returns a run of a test that has not started.
    ///
    /// # Errors
    /// If the test does not fit this model.
    pub fn new(reference: &'r Reference<'r>, script: &'r Script) -> Result<Play<'r>, Misfit> {
        let model = reference.model();
        let width = model.aig.outputs.len();
        for step in &script.steps {
            inputs(model, &step.inputs)?;
            pattern(&model.outputs, width, &step.outputs)?;
        }
        for turn in script.strategy.iter().flat_map(|strategy| &strategy.turns) {
            inputs(model, &turn.inputs)?;
            for (answer, _) in &turn.answers {
                pattern(&model.outputs, width, answer)?;
            }
        }
        let is_incomplete = |step: &Step| step.allowed.as_ref().is_none_or(|set| !set.complete);
        let needs_model = match script.kind {
            TestKind::Global => true,
            TestKind::Local => script.steps.iter().any(is_incomplete),
            TestKind::Linear | TestKind::Tree => false,
        };
        Ok(Play {
            script,
            model,
            follower: needs_model.then(|| reference.follower()),
            done: 0,
            turn: 0,
            differs: None,
            ending: None,
        })
    }

    /// Returns what the tester has to do next: set inputs, or end the test.
    pub fn next(&mut self, budget: &Budget) -> Next {
        if let Some(ending) = self.ending {
            return Next::Over(ending);
        }
        let script = self.script;
        let set = match &script.strategy {
            Some(strategy) => strategy.turns.get(self.turn).map(|turn| &turn.inputs),
            None => script.steps.get(self.done).map(|step| &step.inputs),
        };
        let Some(set) = set else {
            return Next::Over(self.end_of_test());
        };
        // The model accepts the inputs of a local test's run and of every play of a tree.
        if self.script.kind == TestKind::Global
            && let (Some(follower), Ok(bits)) = (&mut self.follower, inputs(self.model, set))
        {
            let why = match follower.accepts(&bits, budget) {
                Judgement::Exists => None,
                Judgement::Never => Some(Why::Refused),
                Judgement::Unsettled(stop) => Some(Why::Open(stop)),
            };
            if let Some(why) = why {
                return Next::Over(self.over(Verdict::Inconclusive, why));
            }
        }
        Next::Set(set.clone())
    }

    /// Takes the answer to the inputs set last.
    ///
    /// # Errors
    /// If the answer does not have exactly one value for each output.
    pub fn see(&mut self, answer: &[(String, Value)], budget: &Budget) -> Result<(), Misfit> {
        let bits = pattern(&self.model.outputs, self.model.aig.outputs.len(), answer)?;
        if self.ending.is_some() {
            return Ok(());
        }
        match self.script.kind {
            TestKind::Tree => self.see_in_tree(answer),
            TestKind::Linear => match self.is_expected(answer) {
                true => self.done += 1,
                false => self.end(Verdict::Fail, Why::NotExpected),
            },
            TestKind::Local => self.see_in_local(answer, &bits, budget),
            TestKind::Global => {
                if !self.is_expected(answer) {
                    self.differs.get_or_insert(self.done);
                }
                match self.follow(&bits, budget) {
                    Judgement::Exists => self.done += 1,
                    Judgement::Never => self.end(Verdict::Fail, Why::NotAllowed),
                    Judgement::Unsettled(stop) => self.end(Verdict::Inconclusive, Why::Open(stop)),
                }
            }
        }
        Ok(())
    }

    /// Returns the answers that the test expects or allows at the current step, as far as they can be listed.
    #[must_use]
    pub fn alternatives(&mut self) -> Vec<Values> {
        let step = self.script.steps.get(self.done);
        match (self.script.kind, step) {
            (TestKind::Tree, _) => {
                let strategy = self.script.strategy.as_ref();
                let turn = strategy.and_then(|strategy| strategy.turns.get(self.turn));
                let answers = turn.into_iter().flat_map(|turn| &turn.answers);
                answers.map(|(answer, _)| answer.clone()).collect()
            }
            (_, None) => Vec::new(),
            (TestKind::Linear, Some(step)) => vec![step.outputs.clone()],
            (TestKind::Local, Some(step)) => {
                let allowed = step.allowed.iter().flat_map(|set| &set.outputs);
                allowed.cloned().collect()
            }
            (TestKind::Global, Some(step)) => {
                let model = self.model;
                let given = inputs(model, &step.inputs).unwrap_or_default();
                let follower = self.follower.as_mut();
                let shown = follower.and_then(|follower| follower.outputs(&given));
                let mut values: Vec<Values> = Vec::new();
                for bits in shown.unwrap_or_default() {
                    let value = decode(&model.outputs, &bits);
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                values
            }
        }
    }

    fn see_in_tree(&mut self, answer: &[(String, Value)]) {
        let strategy = self.script.strategy.as_ref();
        let turn = strategy.and_then(|strategy| strategy.turns.get(self.turn));
        let mut answers = turn.into_iter().flat_map(|turn| &turn.answers);
        match answers.find(|(expected, _)| same(expected, answer)) {
            None => self.end(Verdict::Fail, Why::NotAllowed),
            Some((_, None)) => self.end(Verdict::Pass, Why::ToldApart),
            // Turns lead to later ones only, so the test ends even if a file claims otherwise.
            Some((_, Some(next))) if *next > self.turn => {
                self.turn = *next;
                self.done += 1;
            }
            Some((_, Some(_))) => self.end(Verdict::Pass, Why::ToldApart),
        }
    }

    fn see_in_local(&mut self, answer: &[(String, Value)], bits: &[Option<bool>], budget: &Budget) {
        let allowed = self.script.steps.get(self.done);
        let allowed = allowed.and_then(|step| step.allowed.as_ref());
        let is_listed = allowed.is_some_and(|set| set.outputs.iter().any(|o| same(o, answer)));
        let is_complete = allowed.is_some_and(|set| set.complete);
        let expected = self.is_expected(answer);
        let followed = match self.follower {
            Some(_) => self.follow(bits, budget),
            None => Judgement::Exists,
        };
        match followed {
            _ if expected => self.done += 1,
            _ if is_listed => self.end(Verdict::Inconclusive, Why::Other),
            // Globally forbidden outputs are also locally forbidden. If the local list is incomplete, the other outputs are undecided.
            Judgement::Never => self.end(Verdict::Fail, Why::NotAllowed),
            _ if is_complete => self.end(Verdict::Fail, Why::NotAllowed),
            Judgement::Exists => self.end(Verdict::Inconclusive, Why::Other),
            Judgement::Unsettled(stop) => self.end(Verdict::Inconclusive, Why::Open(stop)),
        }
    }

    /// Whether the model can give this answer after all earlier ones.
    fn follow(&mut self, bits: &[Option<bool>], budget: &Budget) -> Judgement {
        let given = self.script.steps.get(self.done);
        let given = given.and_then(|step| inputs(self.model, &step.inputs).ok());
        match (&mut self.follower, given) {
            (Some(follower), Some(given)) => follower.sees(&given, bits, budget),
            _ => Judgement::Never,
        }
    }

    fn is_expected(&self, answer: &[(String, Value)]) -> bool {
        let expected = self.script.steps.get(self.done);
        expected.is_some_and(|step| same(&step.outputs, answer))
    }

    /// Ends the test with verdict pass, after all inputs have been given.
    fn end_of_test(&mut self) -> Ending {
        let why = match self.differs {
            None => Why::AsExpected,
            Some(step) => Why::Allowed(step),
        };
        self.done = self.done.saturating_sub(1);
        self.over(Verdict::Pass, why)
    }

    fn end(&mut self, verdict: Verdict, why: Why) {
        self.over(verdict, why);
    }

    fn over(&mut self, verdict: Verdict, why: Why) -> Ending {
        *self.ending.get_or_insert(Ending {
            verdict,
            step: self.done,
            why,
        })
    }
}

/// Whether two lists contain the same names with the same values, in any order.
pub(super) fn same(expected: &[(String, Value)], shown: &[(String, Value)]) -> bool {
    expected.len() == shown.len() && expected.iter().all(|entry| shown.contains(entry))
}

/// Returns the bits of the circuit's inputs for these values of test inputs; choices are not set.
pub(super) fn inputs(
    model: &ConditionalMutant,
    values: &[(String, Value)],
) -> Result<Vec<bool>, Misfit> {
    let bits = pattern(&model.inputs, model.aig.inputs().len(), values)?;
    Ok(bits.into_iter().map(|bit| bit == Some(true)).collect())
}
