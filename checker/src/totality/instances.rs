//! The instances of a condition in a circuit, with a solver that finds states in which the condition holds but no instance does.

use hyperkill_core::bit_blast::{BitBlastError, bit_blast};
use hyperkill_core::budget::Budget;
use hyperkill_core::sort::Sort;
use hyperkill_core::system::{Init, Obligation, Output, TransitionSystem, When};
use hyperkill_core::term::TermId;
use hyperkill_core::{Aig, Lit, Var};
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;
use rustc_hash::FxHashMap;

use super::Undone;
use super::candidates::{Candidate, Witness};
use crate::engines::encode::Encoder;
use crate::schedule::engine_efforts::{CONDITION_INSTANCES, INSTANCE_GATES};

/// An input that is to be eliminated from the condition.
struct Input {
    sort: Sort,
    bits: Vec<Lit>,
    /// The candidates for its value: index, bits, and a literal that is true where the term has a value of the sort.
    candidates: Vec<(usize, Vec<Lit>, Lit)>,
}

/// A condition over free states, and a solver for states in which it holds but none of its instances found so far does.
pub(super) struct Instances {
    aig: Aig,
    condition: Lit,
    inputs: Vec<Input>,
    solver: Encoder<Cadical>,
    count: usize,
}

impl Instances {
    pub(super) fn new(
        system: &TransitionSystem,
        condition: TermId,
        inputs: &[usize],
        candidates: &[Candidate],
    ) -> Result<Instances, BitBlastError> {
        let blasted = bit_blast(&over_free_states(system, condition, candidates))?;
        let model = blasted.model;
        let mut aig = model.aig;
        let mut first = 0;
        let mut found = Vec::new();
        for (index, input) in system.inputs.iter().enumerate() {
            let bits = first..first + input.sort.width();
            first = bits.end;
            if !inputs.contains(&index) {
                continue;
            }
            let own = candidates.iter().enumerate();
            let own = own.filter(|(_, candidate)| candidate.input == index);
            let own = own.map(|(candidate, _)| {
                let bits = model.outputs[candidate].bits.iter();
                let bits = bits.map(|bit| aig.outputs[*bit].lit).collect();
                (candidate, bits, blasted.obligations[1 + candidate])
            });
            found.push(Input {
                sort: input.sort.clone(),
                bits: bits.map(|bit| aig.inputs()[bit].var.lit()).collect(),
                candidates: own.collect(),
            });
        }
        let condition = blasted.obligations[0];
        let selectors = model.selectors.iter();
        let selectors: Vec<Lit> = selectors
            .map(|selector| aig.latches()[selector.latch].var.lit())
            .collect();
        let mut rules = vec![vec![condition]];
        let mut earlier = Lit::FALSE;
        for selector in selectors {
            rules.push(vec![!earlier, !selector]);
            earlier = aig.or(earlier, selector);
        }
        let mut solver = Encoder::new(Cadical::new());
        for rule in rules {
            solver.require(&aig, &rule);
        }
        for input in &found {
            let others = input.candidates.iter();
            let others = others.flat_map(|(_, bits, inside)| bits.iter().chain([inside]));
            for lit in input.bits.iter().chain(others) {
                solver.lit(&aig, *lit);
            }
        }
        Ok(Instances {
            aig,
            condition,
            inputs: found,
            solver,
            count: 0,
        })
    }

    /// Returns for each input a replacement that makes an instance true in a state in which no known instance is; `None` if there is no
    /// such state.
    pub(super) fn missing(&mut self, budget: &Budget) -> Result<Option<Vec<Witness>>, Undone> {
        match self.solver.solve(&[], None, budget) {
            Answer::Impossible => return Ok(None),
            Answer::Undecided(stop) => return Err(Undone::Stopped(stop)),
            Answer::Possible => {}
        }
        let solver = &mut self.solver;
        let mut code = |sort: &Sort, bits: &[Lit]| {
            let bits: Vec<bool> = bits.iter().map(|bit| solver.gate_value(*bit)).collect();
            sort.code_of_bits(&bits)
        };
        let mut witnesses = Vec::new();
        for input in &self.inputs {
            let value = code(&input.sort, &input.bits);
            let fits = |(_, bits, inside): &&(usize, Vec<Lit>, Lit)| {
                code(&Sort::Bool, &[*inside]) == 1 && code(&input.sort, bits) == value
            };
            witnesses.push(match input.candidates.iter().find(fits) {
                Some((index, _, _)) => Witness::Candidate(*index),
                None => Witness::Constant(value),
            });
        }
        Ok(Some(witnesses))
    }

    /// Adds an instance, and excludes the states in which it holds from further answers.
    pub(super) fn add(&mut self, witnesses: &[Witness]) -> Result<(), Undone> {
        self.count += 1;
        if self.count > CONDITION_INSTANCES || self.aig.gate_count() > INSTANCE_GATES {
            return Err(Undone::TooMany);
        }
        let mut holds = Vec::new();
        let mut images: FxHashMap<Var, Lit> = FxHashMap::default();
        for (input, witness) in self.inputs.iter().zip(witnesses) {
            let chosen = |w: usize| input.candidates.iter().find(|(index, _, _)| *index == w);
            let bits = match witness {
                Witness::Constant(code) => constant(&input.sort, *code),
                Witness::Candidate(index) => match chosen(*index) {
                    Some((_, bits, inside)) => {
                        holds.push(*inside);
                        bits.clone()
                    }
                    None => input.bits.clone(),
                },
            };
            for (bit, image) in input.bits.iter().zip(bits) {
                images.insert(bit.var(), image);
            }
        }
        holds.push(self.aig.substitute(self.condition, &images));
        self.solver_denies(&holds);
        Ok(())
    }

    fn solver_denies(&mut self, holds: &[Lit]) {
        let clause: Vec<Lit> = holds.iter().map(|lit| !*lit).collect();
        self.solver.require(&self.aig, &clause);
    }
}

/// Returns the bits of the value with this code, as constants.
fn constant(sort: &Sort, code: u64) -> Vec<Lit> {
    let bits = sort.encode(&sort.value_of_code(code)).unwrap_or_default();
    bits.into_iter().map(Lit::constant).collect()
}

/// Returns a system whose first obligation is the condition, followed by those that the candidates' terms have values of their sorts; its
/// outputs are these terms. State variables are free, so that the condition is decided for all their values.
pub(super) fn over_free_states(
    system: &TransitionSystem,
    condition: TermId,
    candidates: &[Candidate],
) -> TransitionSystem {
    let mut free = system.clone();
    for (index, state) in free.states.iter_mut().enumerate() {
        state.init = Init::Free;
        state.next = free.terms.state(index, state.sort.clone());
    }
    free.constraints.clear();
    free.invariants.clear();
    let output = |candidate: &Candidate| Output {
        name: format!("candidate.{}", candidate.input),
        term: candidate.term,
    };
    free.outputs = candidates.iter().map(output).collect();
    let conditions = [condition].into_iter();
    let conditions = conditions.chain(candidates.iter().map(|candidate| candidate.inside));
    let obligation = |term| Obligation {
        term,
        when: When::Always,
        message: String::new(),
        span: None,
    };
    free.obligations = conditions.map(obligation).collect();
    free
}
