//! Computes the outputs that an adaptive test allows at each step (semantics.md §4).
//!
//! If choices and states are few, simulation lists them; otherwise a solver enumerates them with blocking clauses. The tests compare the
//! two methods.

use std::collections::BTreeSet;

use hyperkill_core::budget::Budget;
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::trace::{Stimulus, Trace, replay};
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_evidence::allowed_outputs::Allowing;
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;

use crate::engines::encode::{Encoder, Start, Unroller};
use crate::schedule::engine_efforts::{ALLOWED_OUTPUT_CONFLICTS, ALLOWED_OUTPUT_STEPS};
use crate::stepping::{Move, State, Stepper};

/// The outputs allowed at one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allowed {
    /// The allowed outputs, each with one bool per circuit output, ascending. The run's own output is always among them.
    pub outputs: Vec<Vec<bool>>,
    /// Whether the list is complete. If not, a missing output may be allowed.
    pub complete: bool,
}

/// Returns the allowed outputs at each step of a run of the original, at most `cap` per step (but at least the run's own). A run that
/// breaks a constraint ends before that step; a run that does not fit the circuit has no steps.
#[must_use]
pub fn allowed(
    model: &ConditionalMutant,
    run: &Stimulus,
    kind: Allowing,
    cap: usize,
    budget: &Budget,
) -> Vec<Allowed> {
    let original = Stepper::new(model, Variant::Original, ALLOWED_OUTPUT_STEPS);
    allowed_along(&original, run, kind, cap, budget)
}

/// Returns the same as [`allowed`]; `original` lists the steps of the original.
pub(super) fn allowed_along(
    original: &Stepper<'_>,
    run: &Stimulus,
    kind: Allowing,
    cap: usize,
    budget: &Budget,
) -> Vec<Allowed> {
    let model = original.model;
    let own = model.aig.outputs.len();
    let model = match kind {
        Allowing::Local => &model.showing_state_before(),
        Allowing::Global => model,
    };
    let Some((run, trace)) = existing(model, run) else {
        return Vec::new();
    };
    let simulated = match kind {
        Allowing::Local => locally_by_simulation(model, own, &run, &trace, budget),
        Allowing::Global => globally_by_simulation(original, &run, &trace, budget),
    };
    let mut steps: Vec<Option<Allowed>> = simulated
        .into_iter()
        .zip(&trace.outputs)
        .map(|(found, shown)| found.map(|found| capped(found, &shown[..own], cap)))
        .collect();
    let open: Vec<usize> = (0..steps.len()).filter(|&j| steps[j].is_none()).collect();
    if !open.is_empty() {
        let found = match kind {
            Allowing::Local => locally_by_solver(model, own, &run, &trace, &open, cap, budget),
            Allowing::Global => globally_by_solver(model, &run, &trace, &open, cap, budget),
        };
        for (step, found) in open.into_iter().zip(found) {
            steps[step] = Some(found);
        }
    }
    steps.into_iter().flatten().collect()
}

/// Returns the run up to its first step that breaks a constraint, with its trace; `None` if it does not fit the circuit.
fn existing(model: &ConditionalMutant, run: &Stimulus) -> Option<(Stimulus, Trace)> {
    let mut trace = replay(model, Variant::Original, run).ok()?;
    let mut run = run.clone();
    if let Some(broken) = trace.broken_at {
        run.steps.truncate(broken);
        trace.outputs.truncate(broken);
        trace.states.truncate(broken);
    }
    Some((run, trace))
}

/// Returns at most `cap` of these outputs: the run's `own`, which is always kept, and the smallest others.
fn capped(found: BTreeSet<Vec<bool>>, own: &[bool], cap: usize) -> Allowed {
    if found.len() <= cap.max(1) {
        return Allowed {
            outputs: found.into_iter().collect(),
            complete: true,
        };
    }
    let others = found.into_iter().filter(|outputs| outputs != own);
    let mut outputs: Vec<Vec<bool>> = others.take(cap.saturating_sub(1)).collect();
    outputs.push(own.to_vec());
    outputs.sort_unstable();
    Allowed {
        outputs,
        complete: false,
    }
}

/// For each step the set of allowed outputs; `None` where there is too much to simulate.
type Simulated = Vec<Option<BTreeSet<Vec<bool>>>>;

/// Returns the locally allowed outputs of each step of a run, by listing. `own` is the number of outputs that the model has before
/// [`ConditionalMutant::showing_state_before`] adds further ones.
fn locally_by_simulation(
    model: &ConditionalMutant,
    own: usize,
    run: &Stimulus,
    trace: &Trace,
    budget: &Budget,
) -> Simulated {
    let stepper = Stepper::new(model, Variant::Original, ALLOWED_OUTPUT_STEPS);
    let at = |step: usize| {
        if budget.stopped().is_some() {
            return None;
        }
        let states: Vec<State> = match step.checked_sub(1) {
            Some(_) if fault::planted(Fault::AllowedFromFixedState) => {
                vec![stepper.pack(&trace.states[step])]
            }
            None => stepper.initial()?,
            Some(before) => {
                let state = stepper.pack(&trace.states[before]);
                let moves = stepper.moves(&[state], &run.steps[before])?;
                successors(moves, &trace.outputs[before])
            }
        };
        let shown = outputs(&stepper.moves(&states, &run.steps[step])?).into_iter();
        // At step 0 such a latch has a first value instead of the previous step's value.
        let same_before =
            shown.filter(|shown| step == 0 || shown[own..] == trace.outputs[step][own..]);
        Some(same_before.map(|shown| shown[..own].to_vec()).collect())
    };
    (0..run.steps.len()).map(at).collect()
}

fn globally_by_simulation(
    stepper: &Stepper<'_>,
    run: &Stimulus,
    trace: &Trace,
    budget: &Budget,
) -> Simulated {
    let mut states = stepper.initial();
    let steps = run.steps.iter().zip(&trace.outputs);
    let at = |(inputs, own): (&Vec<bool>, &Vec<bool>)| {
        if budget.stopped().is_some() {
            states = None;
        }
        let moves = stepper.moves(states.as_deref()?, inputs);
        let found = moves.as_deref().map(outputs);
        states = moves.map(|moves| successors(moves, own));
        found
    };
    steps.map(at).collect()
}

/// Returns the set of outputs of these moves.
pub(super) fn outputs(moves: &[Move]) -> BTreeSet<Vec<bool>> {
    moves.iter().map(|step| step.outputs.clone()).collect()
}

/// Returns the successor states of those of these moves that have these outputs, ascending.
pub(super) fn successors(moves: Vec<Move>, outputs: &[bool]) -> Vec<State> {
    let moves = moves.into_iter().filter(|step| step.outputs == outputs);
    let states: BTreeSet<State> = moves.map(|step| step.next).collect();
    states.into_iter().collect()
}

/// The original, unrolled in a solver that enumerates outputs.
struct Unrolled<'a> {
    model: &'a ConditionalMutant,
    product: &'a Product,
    unroller: Unroller<'a>,
    encoder: Encoder<Cadical>,
}

impl<'a> Unrolled<'a> {
    fn new(model: &'a ConditionalMutant, product: &'a Product, start: Start) -> Unrolled<'a> {
        let copy = &product.copies[0];
        let mut roots = copy.outputs.clone();
        roots.push(copy.valid);
        Unrolled {
            model,
            product,
            unroller: Unroller::new(product, &roots, start),
            encoder: Encoder::new(Cadical::new()),
        }
    }

    /// Returns literals that together state that a step exists and has these test inputs.
    fn taken(&mut self, step: usize, inputs: &[bool]) -> Vec<Lit> {
        self.unroller.extend_to(step + 1);
        let copy = &self.product.copies[0];
        let mut facts = vec![self.unroller.at(step, copy.valid)];
        for bit in self.model.input_bits() {
            if let Some(lit) = copy.inputs[bit]
                && self.unroller.contains(lit.var())
            {
                facts.push(self.unroller.at(step, lit) ^ !inputs[bit]);
            }
        }
        facts
    }

    /// Returns literals that together state that a step has these values of the first outputs.
    fn giving(&self, step: usize, outputs: &[bool]) -> Vec<Lit> {
        self.giving_from(0, step, outputs)
    }

    /// Returns literals that together state that a step has these values of the outputs from index `first` on.
    fn giving_from(&self, first: usize, step: usize, outputs: &[bool]) -> Vec<Lit> {
        let pairs = self.product.copies[0].outputs.iter().skip(first);
        pairs
            .zip(outputs)
            .map(|(&lit, &value)| self.unroller.at(step, lit) ^ !value)
            .collect()
    }

    /// Returns literals that together state that a step starts in this state (one bool per latch).
    fn starting(&self, step: usize, state: &[bool]) -> Vec<Lit> {
        let latches = self.product.copies[0].latches.iter().zip(state);
        latches
            .filter_map(|(&latch, &value)| {
                let lit = self.product.aig.latches()[latch?].var.lit();
                let known = self.unroller.contains(lit.var());
                known.then(|| self.unroller.at(step, lit) ^ !value)
            })
            .collect()
    }

    fn require(&mut self, facts: &[Lit]) {
        for &fact in facts {
            self.encoder.require(&self.unroller.graph, &[fact]);
        }
    }

    /// Returns at most `cap` outputs that a step can have under these conditions. The run's `own` outputs are known to be possible.
    fn enumerate(
        &mut self,
        step: usize,
        conditions: &[Lit],
        own: &[bool],
        cap: usize,
        budget: &Budget,
    ) -> Allowed {
        let lits = self.giving(step, &vec![true; own.len()]);
        let unlike = self.encoder.fresh();
        let mut assumptions = vec![unlike];
        for &condition in conditions {
            assumptions.push(self.encoder.lit(&self.unroller.graph, condition));
        }
        let mut found = BTreeSet::new();
        let mut next = own.to_vec();
        let complete = loop {
            let mut differs = vec![!unlike];
            for (&lit, &value) in lits.iter().zip(&next) {
                differs.push(self.encoder.lit(&self.unroller.graph, lit ^ value));
            }
            self.encoder.add_clause(&differs);
            found.insert(next);
            match self
                .encoder
                .solve(&assumptions, Some(ALLOWED_OUTPUT_CONFLICTS), budget)
            {
                Answer::Possible if found.len() < cap => {
                    next = lits
                        .iter()
                        .map(|&lit| self.encoder.gate_value(lit))
                        .collect();
                }
                Answer::Impossible => break true,
                Answer::Possible | Answer::Undecided(_) => break false,
            }
        };
        // The blocking clauses do not apply to other steps.
        self.encoder.add_clause(&[!unlike]);
        Allowed {
            outputs: found.into_iter().collect(),
            complete,
        }
    }
}

/// Returns only the run's own output, marked as incomplete, since a limit came before the search for others.
fn only(own: &[bool]) -> Allowed {
    Allowed {
        outputs: vec![own.to_vec()],
        complete: false,
    }
}

/// Returns the locally allowed outputs at each of the steps `asked`, which ascend, by a solver. `own` as in [`locally_by_simulation`].
fn locally_by_solver(
    model: &ConditionalMutant,
    own: usize,
    run: &Stimulus,
    trace: &Trace,
    asked: &[usize],
    cap: usize,
    budget: &Budget,
) -> Vec<Allowed> {
    let product = Product::new(model, &[CopySpec::alone(Variant::Original)]);
    // Every step but the first is asked about in the same two-step unrolling.
    let mut pair = Unrolled::new(model, &product, Start::Anywhere);
    let at = |&step: &usize| {
        let (shown, state_before) = trace.outputs[step].split_at(own);
        if budget.stopped().is_some() {
            return only(shown);
        }
        let Some(before) = step.checked_sub(1) else {
            let mut first = Unrolled::new(model, &product, Start::Reset);
            let conditions = first.taken(0, &run.steps[0]);
            return first.enumerate(0, &conditions, shown, cap, budget);
        };
        let mut conditions = pair.taken(0, &run.steps[before]);
        conditions.extend(pair.taken(1, &run.steps[step]));
        conditions.extend(pair.starting(0, &trace.states[before]));
        conditions.extend(pair.giving(0, &trace.outputs[before]));
        conditions.extend(pair.giving_from(own, 1, state_before));
        pair.enumerate(1, &conditions, shown, cap, budget)
    };
    asked.iter().map(at).collect()
}

/// Returns the globally allowed outputs at each of the steps `asked`, which ascend, by a solver.
fn globally_by_solver(
    model: &ConditionalMutant,
    run: &Stimulus,
    trace: &Trace,
    asked: &[usize],
    cap: usize,
    budget: &Budget,
) -> Vec<Allowed> {
    let product = Product::new(model, &[CopySpec::alone(Variant::Original)]);
    let mut unrolled = Unrolled::new(model, &product, Start::Reset);
    let mut known = 0;
    let at = |&step: &usize| {
        while known < step {
            if budget.stopped().is_some() {
                return only(&trace.outputs[step]);
            }
            let before = known;
            known += 1;
            let taken = unrolled.taken(before, &run.steps[before]);
            unrolled.require(&taken);
            let given = unrolled.giving(before, &trace.outputs[before]);
            unrolled.require(&given);
        }
        let conditions = unrolled.taken(step, &run.steps[step]);
        unrolled.enumerate(step, &conditions, &trace.outputs[step], cap, budget)
    };
    asked.iter().map(at).collect()
}

#[cfg(test)]
mod tests {
    use hyperkill_core::aig::Aig;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::stepping::random::{port, random, random_run};

    #[test]
    fn simulation_and_solver_allow_the_same() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let budget = Budget::unlimited();
        let (mut steps, mut wider) = (0, 0);
        for _ in 0..400 {
            let model = random(&mut rng, 2, 3);
            let own = model.aig.outputs.len();
            let (run, trace) = existing(&model, &random_run(&mut rng, &model)).unwrap();
            let all: Vec<usize> = (0..run.steps.len()).collect();
            let listed = |sets: Simulated| -> Vec<Allowed> {
                let sets = sets.into_iter().zip(&trace.outputs);
                sets.map(|(set, own)| capped(set.unwrap(), own, 9))
                    .collect()
            };
            let local = listed(locally_by_simulation(&model, own, &run, &trace, &budget));
            assert_eq!(
                local,
                locally_by_solver(&model, own, &run, &trace, &all, 9, &budget)
            );
            let global = listed(globally_by_simulation(
                &Stepper::new(&model, Variant::Original, ALLOWED_OUTPUT_STEPS),
                &run,
                &trace,
                &budget,
            ));
            assert_eq!(
                global,
                globally_by_solver(&model, &run, &trace, &all, 9, &budget)
            );
            for ((local, global), own) in local.iter().zip(&global).zip(&trace.outputs) {
                assert!(local.complete && global.complete && local.outputs.contains(own));
                assert!(
                    local
                        .outputs
                        .iter()
                        .all(|output| global.outputs.contains(output))
                );
                steps += 1;
                wider += usize::from(local.outputs.len() < global.outputs.len());
            }
        }
        assert!(steps > 800 && wider > 50, "{wider} of {steps}");
    }

    #[test]
    fn a_capped_set_says_so_and_holds_the_output_of_the_run() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let budget = Budget::unlimited();
        let mut cut = 0;
        for _ in 0..100 {
            let model = random(&mut rng, 3, 3);
            let own = model.aig.outputs.len();
            let (run, trace) = existing(&model, &random_run(&mut rng, &model)).unwrap();
            let all: Vec<usize> = (0..run.steps.len()).collect();
            for kind in [Allowing::Local, Allowing::Global] {
                let whole = allowed(&model, &run, kind, 9, &budget);
                let by_solver = match kind {
                    Allowing::Local => {
                        locally_by_solver(&model, own, &run, &trace, &all, 2, &budget)
                    }
                    Allowing::Global => globally_by_solver(&model, &run, &trace, &all, 2, &budget),
                };
                for part in [allowed(&model, &run, kind, 2, &budget), by_solver] {
                    for ((part, whole), own) in part.iter().zip(&whole).zip(&trace.outputs) {
                        assert_eq!(part.complete, whole.outputs.len() <= 2);
                        assert_eq!(part.outputs.len(), whole.outputs.len().min(2));
                        assert!(part.outputs.contains(own));
                        assert!(part.outputs.iter().all(|o| whole.outputs.contains(o)));
                        cut += usize::from(!part.complete);
                    }
                }
            }
        }
        assert!(cut > 50, "{cut}");
    }

    #[test]
    fn a_run_that_ends_early_allows_nothing_after_its_end() {
        // The constraint is the input: the second step does not exist.
        let mut aig = Aig::new();
        let input = aig.add_input(None);
        let choice = aig.add_input(None);
        aig.add_output(choice, None);
        let lit = input;
        aig.constraints
            .push(hyperkill_core::aig::Signal { lit, name: None });
        let model = ConditionalMutant {
            accepts: None,
            events: Vec::new(),
            name: "m".into(),
            aig,
            inputs: vec![port("i", 0)],
            choices: vec![port("n", 1)],
            outputs: vec![port("o", 0)],
            selectors: Vec::new(),
            mutants: Vec::new(),
        };
        let run = Stimulus {
            initial: Vec::new().into(),
            steps: vec![vec![true, true], vec![false, true], vec![true, true]],
        };
        let found = allowed(&model, &run, Allowing::Global, 9, &Budget::unlimited());
        let both = Allowed {
            outputs: vec![vec![false], vec![true]],
            complete: true,
        };
        assert_eq!(found, [both]);
        let misfit = Stimulus {
            initial: vec![true].into(),
            ..run
        };
        assert!(allowed(&model, &misfit, Allowing::Local, 9, &Budget::unlimited()).is_empty());
    }
}
