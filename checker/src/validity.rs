//! Well-formedness: which obligations of a translated model fail, for the original and for each mutant alone.
//!
//! An obligation is a condition that must hold for *all* values of inputs and state, reachable or not (a variable gets a value outside its
//! domain, no branch of a case applies). The original is asked first, with all selectors assumed to be off. If it keeps the obligation, the
//! refutation rests on some selectors; all other mutants keep it too, in any number. Then exactly one of the remaining selectors is on.
//! Each answer is a mutant that breaks the obligation, and values under which it does, which are then tried on all other mutants at once.
//! When no further answer exists, the mutants that are left keep the obligation. The solver is given gates of the circuit only as answers
//! need them, since most obligations hold for local reasons.

use hyperkill_core::aig::Node;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId, Var};
use hyperkill_evidence::validity::{self, Breach};
use hyperkill_sat::{Answer, Lit as SatLit};
use hyperkill_sat_cadical::Cadical;
use rustc_hash::FxHashMap;

use crate::engines::encode::PartialCone;

/// The obligations that the original and the mutants break.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Validity {
    /// Indices of the obligations that the original breaks, ascending.
    pub original: Vec<usize>,
    /// For each mutant (by selector index) the index of the first obligation that it breaks; `None` if it breaks none.
    pub mutants: Vec<Option<usize>>,
}

/// Counts of the work of checking obligations; no limits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Number of gates encoded for solvers, over all obligations.
    pub gates: usize,
    /// Number of solver calls, over all obligations.
    pub calls: usize,
    /// Words of 64 mutants computed to try the values of an answer on other mutants.
    pub tried: usize,
}

/// Checks all obligations. Obligations that the original breaks are not held against mutants.
///
/// # Errors
/// If the budget ends before all obligations are checked.
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

/// Checks all obligations like [`validity()`], and returns values under which each mutant breaks its first broken obligation.
///
/// # Errors
/// If the budget ends before all obligations are checked.
pub fn breaches(
    model: &ConditionalMutant,
    obligations: &[Lit],
    budget: &Budget,
) -> Result<(Vec<usize>, Vec<Breach>), Stop> {
    let (original, breaches, _) = breaches_and_work(model, obligations, budget)?;
    Ok((original, breaches))
}

/// Checks all obligations like [`breaches`], and also returns counts of the work.
///
/// # Errors
/// If the budget ends before all obligations are checked.
pub fn breaches_and_work(
    model: &ConditionalMutant,
    obligations: &[Lit],
    budget: &Budget,
) -> Result<(Vec<usize>, Vec<Breach>, Work), Stop> {
    let aig = &model.aig;
    let selectors: FxHashMap<Var, SelectorId> = (model.selectors.iter())
        .zip(model.selector_ids())
        .map(|(selector, id)| (aig.latches()[selector.latch].var, id))
        .collect();
    let (mut original, mut breaches) = (Vec::new(), Vec::new());
    let mut invalid = vec![false; model.selectors.len()];
    let (mut work, mut lanes) = (Work::default(), Lanes::new(aig));
    for (number, &obligation) in obligations.iter().enumerate() {
        if obligation == Lit::TRUE {
            continue;
        }
        let mut query = Query::new(aig, obligation, &selectors);
        if query.original_fails(&invalid, budget)? {
            original.push(number);
        } else {
            query.one_at_a_time(&invalid);
            while let Some(broken) = query.broken(&mut lanes, budget)? {
                for mutant in &broken {
                    invalid[mutant.0] = true;
                }
                query.turn_off(&broken);
                breaches.push(query.breach(number, broken));
            }
        }
        work.gates += query.cone.gates();
        work.calls += query.calls;
    }
    work.tried = lanes.computed;
    Ok((original, breaches, work))
}

/// The combinational circuit of one obligation in a solver; latches are free like inputs.
struct Query<'a> {
    aig: &'a Aig,
    selectors: &'a FxHashMap<Var, SelectorId>,
    obligation: Lit,
    cone: PartialCone<'a, Cadical>,
    /// Inputs and latches in the solver that are no selectors.
    free: Vec<Var>,
    /// Selectors in the solver, with its literals, while all are assumed to be off.
    off: Vec<(Var, SatLit)>,
    /// Mutants that may break the obligation, ascending, with the variables of their selectors and their literals.
    mutants: Vec<(SelectorId, Var, SatLit)>,
    /// The values of the encoded inputs and latches in the last answer.
    answer: FxHashMap<Var, bool>,
    /// The number of answers that are not tried on all mutants before the next that is, and the last such number. A trial costs more than a
    /// call of the solver if each answer breaks one mutant only.
    untried: (usize, usize),
    calls: usize,
}

impl<'a> Query<'a> {
    fn new(aig: &'a Aig, obligation: Lit, selectors: &'a FxHashMap<Var, SelectorId>) -> Query<'a> {
        let mut cone = PartialCone::new(aig, Cadical::plain(), |var| selectors.contains_key(&var));
        let fails = cone.lit(!obligation);
        cone.add_clause(&[fails]);
        Query {
            aig,
            selectors,
            obligation,
            cone,
            free: Vec::new(),
            off: Vec::new(),
            mutants: Vec::new(),
            answer: FxHashMap::default(),
            untried: (0, 0),
            calls: 0,
        }
    }

    /// Returns the selectors that were encoded since the last call, with the solver's literals.
    fn new_selectors(&mut self) -> Vec<(Var, SatLit)> {
        let new = self.cone.new_leaves().into_iter();
        let (selectors, free): (Vec<Var>, Vec<Var>) =
            new.partition(|var| self.selectors.contains_key(var));
        self.free.extend(free);
        let with_lit = |var: Var| (var, self.cone.lit(var.lit()));
        selectors.into_iter().map(with_lit).collect()
    }

    /// Returns whether the original breaks the obligation. If not, the refutation assumes only the selectors in [`Query::off`] to be off.
    fn original_fails(&mut self, invalid: &[bool], budget: &Budget) -> Result<bool, Stop> {
        loop {
            for (var, lit) in self.new_selectors() {
                // A mutant that is already known to be invalid needs no second reason.
                match self.selectors.get(&var) {
                    Some(mutant) if !invalid[mutant.0] => self.off.push((var, lit)),
                    _ => self.cone.add_clause(&[!lit]),
                }
            }
            let assumed: Vec<SatLit> = self.off.iter().map(|(_, lit)| !*lit).collect();
            self.calls += 1;
            match self.cone.solve(&assumed, budget) {
                Answer::Possible if self.cone.justify(!self.obligation) => return Ok(true),
                Answer::Possible => {}
                Answer::Impossible => return Ok(false),
                Answer::Undecided(stop) => return Err(stop),
            }
        }
    }

    /// Restricts the query to the mutants on whose selectors the last refutation depends: exactly one of these selectors is on, all others
    /// are off.
    fn one_at_a_time(&mut self, invalid: &[bool]) {
        for (var, lit) in std::mem::take(&mut self.off) {
            match self.selectors.get(&var) {
                Some(&mutant) if !invalid[mutant.0] && self.cone.is_blamed(!lit) => {
                    self.mutants.push((mutant, var, lit));
                }
                _ => self.off.push((var, lit)),
            }
        }
        for (_, lit) in std::mem::take(&mut self.off) {
            self.cone.add_clause(&[!lit]);
        }
        self.mutants.sort_unstable_by_key(|(mutant, _, _)| *mutant);
        let opened = self.mutants.iter().map(|(_, var, _)| *var);
        self.cone.open_switches(opened.collect());
        // A running disjunction keeps the number of clauses linear in the number of mutants.
        let mut earlier: Option<SatLit> = None;
        for &(_, _, own) in &self.mutants {
            let any = self.cone.fresh();
            self.cone.add_clause(&[!own, any]);
            match earlier {
                Some(earlier) => {
                    self.cone.add_clause(&[!earlier, any]);
                    self.cone.add_clause(&[!earlier, !own]);
                    self.cone.add_clause(&[!any, earlier, own]);
                }
                None => self.cone.add_clause(&[!any, own]),
            }
            earlier = Some(any);
        }
        if let Some(any) = earlier {
            self.cone.add_clause(&[any]);
        }
    }

    /// Excludes these mutants (ascending) from the query: fixes their selectors to off.
    fn turn_off(&mut self, broken: &[SelectorId]) {
        let cone = &mut self.cone;
        self.mutants.retain(|(mutant, _, lit)| {
            let is_kept = broken.binary_search(mutant).is_err();
            if !is_kept {
                cone.add_clause(&[!*lit]);
            }
            is_kept
        });
    }

    /// Returns some mutants that break the obligation; `None` if no further mutant does.
    fn broken(
        &mut self,
        lanes: &mut Lanes<'_>,
        budget: &Budget,
    ) -> Result<Option<Vec<SelectorId>>, Stop> {
        if self.mutants.is_empty() || !self.finds_one(budget)? {
            return Ok(None);
        }
        self.answer.clear();
        for &var in &self.free {
            let value = self.cone.value(var);
            self.answer.insert(var, value);
        }
        // The mutant of the answer must be among them, or the loop would not terminate.
        let mut broken = Vec::new();
        for &(mutant, var, _) in &self.mutants {
            if self.cone.value(var) {
                broken.push(mutant);
            }
        }
        let (left, last) = self.untried;
        if left > 0 {
            self.untried.0 -= 1;
            return Ok(Some(broken));
        }
        broken.extend(self.tried(lanes));
        broken.sort_unstable();
        broken.dedup();
        let pause = if broken.len() > 1 { 0 } else { 2 * last + 1 };
        self.untried = (pause, pause);
        Ok(Some(broken))
    }

    /// Returns whether the solver finds values, justified in the whole circuit, under which some mutant breaks the obligation.
    fn finds_one(&mut self, budget: &Budget) -> Result<bool, Stop> {
        loop {
            for (_, lit) in self.new_selectors() {
                self.cone.add_clause(&[!lit]);
            }
            self.calls += 1;
            match self.cone.solve(&[], budget) {
                Answer::Possible if self.cone.justify(!self.obligation) => return Ok(true),
                Answer::Possible => {}
                Answer::Impossible => return Ok(false),
                Answer::Undecided(stop) => return Err(stop),
            }
        }
    }

    /// Returns the mutants that break the obligation under the values of the last answer, by evaluating the circuit.
    fn tried(&mut self, lanes: &mut Lanes<'_>) -> Vec<SelectorId> {
        let mut broken = Vec::new();
        for mutants in self.mutants.chunks(64) {
            lanes.begin(&self.answer, mutants.iter().map(|(_, var, _)| *var));
            let holds = lanes.word(self.obligation);
            let fails = (0..mutants.len()).filter(|lane| holds >> lane & 1 == 0);
            broken.extend(fails.map(|lane| mutants[lane].0));
        }
        broken
    }

    /// Returns the values of the last answer, under which `mutants` break the obligation (by index). Unencoded leaves and selectors are 0.
    fn breach(&self, obligation: usize, mutants: Vec<SelectorId>) -> Breach {
        let mut breach = Breach {
            obligation,
            latches: vec![false; self.aig.latches().len()],
            inputs: vec![false; self.aig.inputs().len()],
            mutants,
        };
        for (&var, &value) in &self.answer {
            match self.aig.node(var) {
                Node::Input(input) => breach.inputs[input as usize] = value,
                Node::Latch(latch) => breach.latches[latch as usize] = value,
                Node::False | Node::And(..) => {}
            }
        }
        breach
    }
}

/// Evaluates gates under the values of one answer, with another mutant on in each of 64 lanes, on demand.
struct Lanes<'a> {
    aig: &'a Aig,
    /// For each node the number of the round in which its word of lanes was last computed, and that word.
    words: Vec<(usize, u64)>,
    round: usize,
    computed: usize,
}

impl<'a> Lanes<'a> {
    fn new(aig: &'a Aig) -> Lanes<'a> {
        Lanes {
            aig,
            words: vec![(0, 0); aig.len()],
            round: 0,
            computed: 0,
        }
    }

    /// Starts a round of evaluation with these values of inputs and latches and with a selector on in each lane; all other leaves are 0.
    fn begin(&mut self, answer: &FxHashMap<Var, bool>, lanes: impl Iterator<Item = Var>) {
        self.round += 1;
        for (var, value) in answer {
            self.words[var.index()] = (self.round, u64::from(*value).wrapping_neg());
        }
        for (lane, var) in lanes.enumerate() {
            self.words[var.index()] = (self.round, 1 << lane);
        }
    }

    fn known(&self, lit: Lit) -> Option<u64> {
        let (round, word) = self.words[lit.var().index()];
        let is_gate = || matches!(self.aig.node(lit.var()), Node::And(..));
        let word = match round == self.round {
            true => word,
            false if is_gate() => return None,
            false => 0,
        };
        Some(if lit.is_negated() { !word } else { word })
    }

    /// Returns the value of a literal in each lane. If one operand of a gate is 0 in all lanes, the other is not computed.
    fn word(&mut self, wanted: Lit) -> u64 {
        let mut open = vec![wanted.var()];
        while let Some(&var) = open.last() {
            let Node::And(a, b) = self.aig.node(var) else {
                open.pop();
                continue;
            };
            let word = match (self.known(a), self.known(b)) {
                (Some(0), _) | (_, Some(0)) => 0,
                (Some(a), Some(b)) => a & b,
                (None, _) => {
                    open.push(a.var());
                    continue;
                }
                (_, None) => {
                    open.push(b.var());
                    continue;
                }
            };
            self.computed += 1;
            self.words[var.index()] = (self.round, word);
            open.pop();
        }
        self.known(wanted).unwrap_or(0)
    }
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
            accepts: None,
            events: Vec::new(),
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
