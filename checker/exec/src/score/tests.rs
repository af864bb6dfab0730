//! Scoring of tests with fixed inputs on the mutants of a run.

use hyperkill_audit::documents::{ScoreReport, ScoreResult, ScoredMutant, StrengthWord};
use hyperkill_checker::judge::{Judgement, accepts};
use hyperkill_checker::testgen::{Effort, Noticed, noticed};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use rayon::prelude::*;

use super::deciding::Deciding;
use super::error::ScoreError;
use super::inputs::FixedTest;

/// A test with fixed inputs, by its id.
struct Given {
    id: String,
    /// For each step one bool per circuit input.
    bits: Vec<Vec<bool>>,
}

impl Deciding<'_> {
    /// Determines which mutants the tests kill, and enters this into the report. If the model `chooses` (is nondeterministic), a mutant
    /// that the run kills for certain needs a certain kill; otherwise a possible kill suffices.
    ///
    /// # Errors
    /// If a test does not fit the model, or no run of the model accepts its inputs.
    pub fn by_tests(
        &self,
        tests: Vec<FixedTest>,
        chooses: bool,
        report: &mut ScoreReport,
    ) -> Result<(), ScoreError> {
        let mut given = Vec::new();
        for test in tests {
            let bits = test.bits(self.model)?;
            let budget = self.budget.within(self.timeout);
            let accepted = accepts(self.model, Variant::Original, &bits, &budget);
            if accepted == Judgement::Never {
                let message = format!("{}: no run of the model accepts these inputs", test.id);
                return Err(ScoreError::unfit(message));
            }
            given.push(Given { id: test.id, bits });
        }
        report.tests = given.iter().map(|test| test.id.clone()).collect();
        self.threads.install(|| {
            report.mutants.par_iter_mut().for_each(|mutant| {
                let budget = self.budget.within(self.timeout);
                one(self.model, &given, chooses, mutant, &budget);
            });
        });
        Ok(())
    }
}

/// Determines which tests kill a mutant, and enters the result into `mutant`. A mutant that is not in the circuit stays unchanged.
fn one(
    model: &ConditionalMutant,
    tests: &[Given],
    chooses: bool,
    mutant: &mut ScoredMutant,
    budget: &Budget,
) {
    let Some(selector) = model.selector_of_mutant(&mutant.mutant) else {
        return;
    };
    let certain = matches!(
        mutant.strength,
        Some(StrengthWord::Definite | StrengthWord::Adaptive)
    );
    // A deterministic model has one output sequence per test, so one differing run of the mutant is a kill.
    let needed = match chooses && certain {
        true => Noticed::Certainly,
        false => Noticed::Possibly,
    };
    // Tests are short, so the tree of outputs is explored without a limit on nodes.
    let effort = Effort {
        nodes: usize::MAX,
        simulated: 1 << 24,
        ..Effort::default()
    };
    let mut is_open = false;
    for test in tests {
        match noticed(model, selector, &test.bits, &effort, budget) {
            Some(found) if found >= needed => mutant.killed_by.push(test.id.clone()),
            Some(_) => {}
            None => is_open = true,
        }
    }
    mutant.result = if !mutant.killed_by.is_empty() {
        ScoreResult::Killed
    } else if is_open && budget.stopped().is_some() {
        ScoreResult::TimeOut
    } else if is_open {
        ScoreResult::Open
    } else {
        ScoreResult::Survived
    };
}
