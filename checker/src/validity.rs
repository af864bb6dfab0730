//! Well-formedness: which obligations of a translated model fail, for the original and for each mutant alone.
//!
//! An obligation is a condition that must hold for *all* values of inputs and state, reachable or not (a variable gets a
//! value outside its domain, no branch of a case applies). One solver per obligation has all mutants that can influence it, of which
//! one is on: each answer is a mutant that breaks it and values under which it does, which are then tried on all others at once, and no
//! further answer clears those that are left.

use hyperkill_core::aig::Node;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId, Var};
use hyperkill_evidence::validity::{self, Breach};
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;
use rustc_hash::FxHashMap;

use crate::engines::encode::Encoder;

/// The obligations that fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Validity {
    /// Indices of obligations that the original breaks, ascending.
    pub original: Vec<usize>,
    /// Per mutant (selector index) the first obligation that it breaks, if it breaks any.
    pub mutants: Vec<Option<usize>>,
}

/// Checks all obligations. Those that the original breaks are not held against mutants.
///
/// # Errors
/// If the budget ends before all are checked.
pub fn validity(
    model: &ConditionalMutant,
    obligations: &[Lit],
    budget: &Budget,
) -> Result<Validity, Stop> {
    let (original, breaches) = breaches(model, obligations, budget)?;
    let shown = validity::Validity {
        breaches,
        ..validity::Validity::default()
    };
    Ok(Validity {
        original,
        mutants: shown.broken(model.selectors.len()),
    })
}

/// The same with values under which each mutant breaks the first obligation that it breaks.
///
/// # Errors
/// If the budget ends before all are checked.
pub fn breaches(
    model: &ConditionalMutant,
    obligations: &[Lit],
    budget: &Budget,
) -> Result<(Vec<usize>, Vec<Breach>), Stop> {
    let aig = &model.aig;
    let selectors: FxHashMap<Var, SelectorId> = (model.selectors.iter())
        .zip(model.selector_ids())
        .map(|(selector, id)| (aig.latches()[selector.latch].var, id))
        .collect();
    let (mut original, mut breaches) = (Vec::new(), Vec::new());
    let mut invalid = vec![false; model.selectors.len()];
    for (number, &obligation) in obligations.iter().enumerate() {
        if obligation == Lit::TRUE {
            continue;
        }
        let mut query = Query::new(aig, obligation, &selectors);
        // What is known to be broken needs no second reason.
        query.turn_off(|mutant| invalid[mutant.0]);
        if query.original_fails(budget)? {
            original.push(number);
            continue;
        }
        while let Some(broken) = query.broken(budget)? {
            for mutant in &broken {
                invalid[mutant.0] = true;
            }
            query.turn_off(|mutant| broken.binary_search(&mutant).is_ok());
            breaches.push(query.breach(aig, number, broken));
        }
    }
    Ok((original, breaches))
}

/// A node of the cone of an obligation.
#[derive(Clone, Copy)]
enum Part {
    /// Anything: an input, a latch.
    Free,
    /// A selector, by its place among those in the cone.
    Selector(usize),
    /// A gate, of earlier parts.
    And(Lit, Lit),
}

/// The combinational circuit of one obligation in a solver; latches are free like inputs. At most one selector is on.
struct Query {
    /// The cone as a graph of its own: the variable after the constant is the first part.
    graph: Aig,
    parts: Vec<Part>,
    /// The variables of parts in the circuit.
    vars: Vec<Var>,
    /// The values of the last answer, of the constant and of all parts.
    answer: Vec<bool>,
    /// The literals of parts in the graph.
    lits: Vec<Lit>,
    condition: Lit,
    /// Mutants whose selectors are in the cone, ascending, with their literals, and whether they may be on.
    mutants: Vec<(SelectorId, Lit, bool)>,
    any: Lit,
    encoder: Encoder<Cadical>,
    /// How many answers are still taken as they are, and how many were the last time: trying values on all others costs more than
    /// an answer where each breaks one mutant only.
    untried: (usize, usize),
}

impl Query {
    fn new(aig: &Aig, obligation: Lit, selectors: &FxHashMap<Var, SelectorId>) -> Query {
        let cone = cone(aig, obligation);
        let places: FxHashMap<Var, usize> = (cone.iter().enumerate())
            .map(|(place, var)| (*var, place))
            .collect();
        // Parts are numbered like variables, so that literals can name them.
        let local = |lit: Lit| match places.get(&lit.var()) {
            Some(place) => Var::new(place + 1).lit() ^ lit.is_negated(),
            None => Lit::FALSE ^ lit.is_negated(),
        };
        let mut query = Query {
            graph: Aig::new(),
            parts: Vec::with_capacity(cone.len()),
            vars: cone.clone(),
            answer: Vec::new(),
            lits: vec![Lit::FALSE],
            condition: Lit::FALSE,
            mutants: Vec::new(),
            any: Lit::FALSE,
            encoder: Encoder::new(Cadical::new()),
            untried: (0, 0),
        };
        for var in &cone {
            let part = match (aig.node(*var), selectors.get(var)) {
                (Node::And(a, b), _) => Part::And(local(a), local(b)),
                (_, Some(_)) => Part::Selector(query.mutants.len()),
                (_, None) => Part::Free,
            };
            let lit = match part {
                Part::And(a, b) => {
                    let (a, b) = (query.lit(a), query.lit(b));
                    query.graph.and(a, b)
                }
                Part::Free | Part::Selector(_) => query.graph.add_input(None),
            };
            if let Some(mutant) = selectors.get(var) {
                query.mutants.push((*mutant, lit, true));
            }
            query.parts.push(part);
            query.lits.push(lit);
        }
        query.condition = local(obligation);
        let fails = !query.lit(query.condition);
        query.encoder.require(&query.graph, &[fails]);
        for index in 0..query.mutants.len() {
            let lit = query.mutants[index].1;
            query.encoder.require(&query.graph, &[!query.any, !lit]);
            query.any = query.graph.or(query.any, lit);
        }
        query
    }

    /// The graph's literal for one of parts.
    fn lit(&self, part: Lit) -> Lit {
        self.lits[part.var().index()] ^ part.is_negated()
    }

    fn turn_off(&mut self, which: impl Fn(SelectorId) -> bool) {
        for (mutant, lit, may) in &mut self.mutants {
            if *may && which(*mutant) {
                *may = false;
                self.encoder.require(&self.graph, &[!*lit]);
            }
        }
    }

    fn solve(&mut self, any: bool, budget: &Budget) -> Result<bool, Stop> {
        let any = self.encoder.lit(&self.graph, self.any ^ !any);
        match self.encoder.solve(&[any], None, budget) {
            Answer::Possible => Ok(true),
            Answer::Impossible => Ok(false),
            Answer::Undecided(stop) => Err(stop),
        }
    }

    fn original_fails(&mut self, budget: &Budget) -> Result<bool, Stop> {
        self.solve(false, budget)
    }

    /// Some mutants that break the obligation; `None` if there are no more.
    fn broken(&mut self, budget: &Budget) -> Result<Option<Vec<SelectorId>>, Stop> {
        if !self.mutants.iter().any(|(_, _, may)| *may) || !self.solve(true, budget)? {
            return Ok(None);
        }
        self.answer.clear();
        for index in 0..self.lits.len() {
            let value = self.encoder.gate_value(self.lits[index]);
            self.answer.push(value);
        }
        // The mutant of the answer is among them whatever else is tried: were it not, this would not end.
        let found = (self.mutants.iter()).find(|(_, lit, _)| self.encoder.gate_value(*lit));
        let mut broken: Vec<SelectorId> = found.map(|(mutant, _, _)| *mutant).into_iter().collect();
        let (left, last) = self.untried;
        if left > 0 {
            self.untried.0 -= 1;
            return Ok(Some(broken));
        }
        broken.extend(self.tried());
        broken.sort_unstable();
        broken.dedup();
        let pause = if broken.len() > 1 { 0 } else { 2 * last + 1 };
        self.untried = (pause, pause);
        Ok(Some(broken))
    }

    /// The mutants that break the obligation under the values of the last answer.
    fn tried(&self) -> Vec<SelectorId> {
        let candidates: Vec<usize> = (0..self.mutants.len())
            .filter(|place| self.mutants[*place].2)
            .collect();
        let mut broken = Vec::new();
        for lanes in candidates.chunks(64) {
            let holds = self.simulate(&self.answer, lanes);
            let fails = (0..lanes.len()).filter(|lane| holds >> lane & 1 == 0);
            broken.extend(fails.map(|lane| self.mutants[lanes[lane]].0));
        }
        broken
    }

    /// The last answer as values of the circuit. What the condition does not read is 0, and so are selectors.
    fn breach(&self, aig: &Aig, obligation: usize, mutants: Vec<SelectorId>) -> Breach {
        let mut breach = Breach {
            obligation,
            latches: vec![false; aig.latches().len()],
            inputs: vec![false; aig.inputs().len()],
            mutants,
        };
        let parts = self.parts.iter().zip(&self.vars).zip(&self.answer[1..]);
        for ((part, var), &value) in parts {
            match (part, aig.node(*var)) {
                (Part::Free, Node::Input(input)) => breach.inputs[input as usize] = value,
                (Part::Free, Node::Latch(latch)) => breach.latches[latch as usize] = value,
                _ => {}
            }
        }
        breach
    }

    /// The condition under these values, with one of these selectors on in each lane.
    fn simulate(&self, values: &[bool], lanes: &[usize]) -> u64 {
        let of = |words: &[u64], lit: Lit| {
            let word = words[lit.var().index()];
            if lit.is_negated() { !word } else { word }
        };
        let mut words = Vec::with_capacity(self.lits.len());
        words.push(0u64);
        for (part, value) in self.parts.iter().zip(&values[1..]) {
            words.push(match *part {
                Part::And(a, b) => of(&words, a) & of(&words, b),
                Part::Free => u64::from(*value).wrapping_neg(),
                Part::Selector(place) => lanes.binary_search(&place).map_or(0, |lane| 1 << lane),
            });
        }
        of(&words, self.condition)
    }
}

/// The nodes that a literal depends on within one step, operands first, without the constant.
fn cone(aig: &Aig, root: Lit) -> Vec<Var> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![root.var()];
    while let Some(var) = stack.pop() {
        if aig.node(var) != Node::False
            && seen.insert(var)
            && let Node::And(a, b) = aig.node(var)
        {
            stack.extend([a.var(), b.var()]);
        }
    }
    let mut cone: Vec<Var> = seen.into_iter().collect();
    cone.sort_unstable();
    cone
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperkill_core::Reset;
    use hyperkill_core::conditional::SelectorLatch;
    use hyperkill_core::mutant::MutantId;

    #[test]
    fn an_obligation_is_held_against_the_mutant_that_breaks_it_and_no_other() {
        let mut aig = Aig::new();
        let input = aig.add_input(Some("a".into()));
        let first = aig.add_latch(Reset::Free, Some("mut:one".into()));
        let second = aig.add_latch(Reset::Free, Some("mut:two".into()));
        // Fails iff the second mutant is on and the input is 1.
        let broken = aig.and(second, input);
        let harmless = aig.and(first, !first);
        let model = ConditionalMutant {
            name: "m".into(),
            aig,
            inputs: Vec::new(),
            choices: Vec::new(),
            outputs: Vec::new(),
            selectors: ["one", "two"]
                .iter()
                .enumerate()
                .map(|(latch, id)| SelectorLatch {
                    id: MutantId((*id).into()),
                    latch,
                })
                .collect(),
            mutants: Vec::new(),
        };
        let found = validity(&model, &[!harmless, !broken], &Budget::unlimited());
        assert_eq!(
            found,
            Ok(Validity {
                original: vec![],
                mutants: vec![None, Some(1)],
            })
        );
    }
}
