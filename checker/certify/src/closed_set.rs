//! Checks closed sets of positions: they contain all initial positions, their steps lead to positions in the set, and no position is a
//! kill.
//!
//! By induction over the length of a test, a listed position subsumes the reached one, for all inputs and (for [`Relation::Matched`]) all
//! runs of the mutant. At least as many states can still agree as it lists, and it lists all states that decide acceptance.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::closed_set::{ClosedSet, Relation};
use hyperkill_evidence::fault;
use rustc_hash::{FxHashMap, FxHashSet};

use super::CertifyError;
use super::steps::{AT_ONCE, Bits, Steps, pack};
use super::valuations::{InputClasses, Valuations};

/// A pair of states (of the mutant, of the model), by number.
type Pair = (usize, usize);

/// The states that are possible after some inputs and outputs. A set that the relation does not need is `None`.
struct Situation {
    /// Pairs of states (mutant, model) that can have given the same outputs so far, ascending.
    pairs: Vec<Pair>,
    mutant: Option<BTreeSet<usize>>,
    model: Option<BTreeSet<usize>>,
}

/// Checks a closed set of positions for each of its members. Every position is checked under every class of input valuations; a solver
/// lists only the classes.
/// Success proves that no test of any length kills the member potentially ([`Relation::Matched`]) or definitely ([`Relation::Agreeing`]).
/// With [`Relation::Agreeing`], a member may still be killable potentially.
///
/// # Errors
/// [`CertifyError::ClosedSet`] with the condition that fails, also if the members are empty, not strictly ascending or not in the circuit.
/// [`CertifyError::Stopped`] if the budget ends.
pub fn certify_closed_set(
    model: &ConditionalMutant,
    closed: &ClosedSet,
    budget: &Budget,
) -> Result<(), CertifyError> {
    certify_closed_set_knowing(model, closed, &InputClasses::unknown(), budget)
}

/// Checks as [`certify_closed_set`] does, with classes of input valuations that were computed before, for several checks.
///
/// # Errors
/// As [`certify_closed_set`].
pub fn certify_closed_set_knowing(
    model: &ConditionalMutant,
    closed: &ClosedSet,
    classes: &InputClasses,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let members = &closed.members;
    let exist = members.iter().all(|m| m.0 < model.selectors.len());
    if members.is_empty() || !members.is_sorted_by(|a, b| a < b) || !exist {
        return Err(CertifyError::ClosedSet(
            "the listed mutants are not in order, or not in the circuit",
        ));
    }
    for &mutant in members {
        certify_member(model, closed, mutant, classes, budget)?;
    }
    Ok(())
}

/// Checks a closed set of positions for a single member, as [`certify_closed_set_knowing`] does for each.
///
/// # Errors
/// As [`certify_closed_set`].
pub fn certify_member(
    model: &ConditionalMutant,
    closed: &ClosedSet,
    mutant: SelectorId,
    classes: &InputClasses,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let latches = model.aig.latches().len();
    if closed.states.iter().any(|state| state.len() != latches) {
        return Err(CertifyError::ClosedSet(
            "a state has another number of bits than the circuit has latches",
        ));
    }
    let variants = [Variant::Original, Variant::Mutant(mutant)];
    let valuations = classes.valuations(model, variants, budget);
    let mut check = Check::new(model, (closed, variants), classes, &valuations)?;
    check.starts(budget)?;
    check.look_at_all(budget)?;
    for listed in 0..check.listed.len() {
        if let Some(stop) = budget.stopped() {
            return Err(CertifyError::Stopped(stop));
        }
        check.position(listed)?;
    }
    Ok(())
}

/// The steps of a state under an input valuation: numbers of the outputs and of the next state.
type Row = Vec<(usize, usize)>;

const MODEL: usize = 0;
const MUTANT: usize = 1;

struct Check<'a> {
    relation: Relation,
    classes: &'a InputClasses,
    valuations: &'a Valuations,
    /// The steps of the model and of the mutant.
    sides: [Steps<'a>; 2],
    /// Known states and output valuations, numbered; the certificate's states first.
    states: Numbering,
    outputs: Numbering,
    /// By side and state: for each input valuation the index of its row in `rows`.
    tables: [FxHashMap<usize, Vec<usize>>; 2],
    /// The distinct rows: the steps of a state under an input valuation.
    rows: Vec<Row>,
    row_numbers: FxHashMap<Row, usize>,
    listed: Vec<Situation>,
    /// Indices of listed positions, by their first pair of states.
    by_first: FxHashMap<Pair, Vec<usize>>,
}

/// A table that gives each bit vector a number, from 0 in the order of insertion.
#[derive(Default)]
struct Numbering {
    numbers: FxHashMap<Bits, usize>,
    vectors: Vec<Bits>,
}

impl Numbering {
    fn number(&mut self, vector: &Bits) -> usize {
        if let Some(&number) = self.numbers.get(vector) {
            return number;
        }
        self.vectors.push(vector.clone());
        self.numbers.insert(vector.clone(), self.vectors.len() - 1);
        self.vectors.len() - 1
    }
}

impl<'a> Check<'a> {
    fn new(
        model: &'a ConditionalMutant,
        (closed, variants): (&ClosedSet, [Variant; 2]),
        classes: &'a InputClasses,
        valuations: &'a Valuations,
    ) -> Result<Check<'a>, CertifyError> {
        let [original, mutated] = variants
            .map(|v| Steps::new(model, v, &valuations.free))
            .map(|steps| steps.map(|steps| steps.without(&valuations.shown.bits)));
        let (Some(original), Some(mutated)) = (original, mutated) else {
            return Err(CertifyError::ClosedSet(
                "there are too many inputs to check",
            ));
        };
        let mut states = Numbering::default();
        // Two entries of the table may be equal states.
        let numbers: Vec<usize> = closed
            .states
            .iter()
            .map(|state| states.number(&pack(state)))
            .collect();
        let number = |state: usize| {
            let number = numbers.get(state).copied();
            number.ok_or(CertifyError::ClosedSet(
                "a position names a state that is not listed",
            ))
        };
        let mut check = Check {
            relation: closed.relation,
            classes,
            valuations,
            sides: [original, mutated],
            states,
            outputs: Numbering::default(),
            tables: [FxHashMap::default(), FxHashMap::default()],
            rows: Vec::new(),
            row_numbers: FxHashMap::default(),
            listed: Vec::new(),
            by_first: FxHashMap::default(),
        };
        for (index, position) in closed.positions.iter().enumerate() {
            let pairs = position.pairs.iter();
            let pairs: Vec<Pair> = pairs
                .map(|&(m, o)| Ok((number(m)?, number(o)?)))
                .collect::<Result<_, CertifyError>>()?;
            let pairs = ascending(pairs);
            let all = |states: &[usize]| -> Result<Option<BTreeSet<usize>>, CertifyError> {
                let all: BTreeSet<usize> = states
                    .iter()
                    .map(|&s| number(s))
                    .collect::<Result<_, _>>()?;
                Ok((!all.is_empty()).then_some(all))
            };
            let first = pairs.first();
            let first = *first.ok_or(CertifyError::ClosedSet(
                "a listed position is a kill: it has no pairs",
            ))?;
            if closed.relation == Relation::Matched && pairs.iter().any(|pair| pair.0 != first.0) {
                return Err(CertifyError::ClosedSet(
                    "a position pairs two states of one run of the mutant",
                ));
            }
            check.by_first.entry(first).or_default().push(index);
            check.listed.push(Situation {
                mutant: all(&position.mutant)?,
                model: all(&position.model)?,
                pairs,
            });
        }
        Ok(check)
    }

    /// Checks that the listed positions cover all initial positions.
    fn starts(&mut self, budget: &Budget) -> Result<(), CertifyError> {
        let mut starts = [BTreeSet::new(), BTreeSet::new()];
        for (side, starts) in starts.iter_mut().enumerate() {
            let Some(initial) = self.sides[side].initial(budget)? else {
                return Err(CertifyError::ClosedSet(
                    "there are too many initial states to check",
                ));
            };
            starts.extend(initial.into_iter().map(|state| self.states.number(&state)));
        }
        let [models, mutants] = starts;
        let beside = |&m: &usize| models.iter().map(move |&o| (m, o));
        let start = |pairs: Vec<Pair>| Situation {
            pairs: ascending(pairs),
            mutant: Some(mutants.clone()),
            model: Some(models.clone()),
        };
        let covered = match self.relation {
            Relation::Matched => mutants
                .iter()
                .all(|m| self.covers(&start(beside(m).collect()))),
            Relation::Agreeing => self.covers(&start(mutants.iter().flat_map(beside).collect())),
        };
        match covered {
            true => Ok(()),
            false => Err(CertifyError::ClosedSet(
                "an initial position is not in the set",
            )),
        }
    }

    /// Whether some listed position covers a situation (a reached position): its pairs are among the situation's, and its sets contain the
    /// situation's.
    fn covers(&self, situation: &Situation) -> bool {
        let contains =
            |mine: &Option<BTreeSet<usize>>, theirs: &Option<BTreeSet<usize>>| match (mine, theirs)
            {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(mine), Some(theirs)) => theirs.is_subset(mine),
            };
        let candidates = situation.pairs.iter();
        let mut candidates = candidates
            .filter_map(|pair| self.by_first.get(pair))
            .flatten();
        candidates.any(|&index| {
            let listed = &self.listed[index];
            included(&listed.pairs, &situation.pairs)
                && contains(&listed.mutant, &situation.mutant)
                && contains(&listed.model, &situation.model)
        })
    }

    /// Checks that every step from the listed position with this index leads to a position that the listed ones cover.
    fn position(&mut self, index: usize) -> Result<(), CertifyError> {
        let mut named = [BTreeSet::new(), BTreeSet::new()];
        let listed = &self.listed[index];
        named[MUTANT].extend(listed.pairs.iter().map(|pair| pair.0));
        named[MODEL].extend(listed.pairs.iter().map(|pair| pair.1));
        named[MUTANT].extend(listed.mutant.iter().flatten());
        named[MODEL].extend(listed.model.iter().flatten());
        // Input valuations under which all states here have the same steps are checked once.
        let mut seen = FxHashSet::default();
        for valuation in 0..self.valuations.len() {
            let named = named.iter().enumerate();
            let row = |side: usize, state: &usize| self.tables[side][state][valuation];
            let key: Vec<usize> = named
                .flat_map(|(side, states)| states.iter().map(move |state| row(side, state)))
                .collect();
            if seen.insert(key) {
                self.check_valuation(index, valuation)?;
            }
        }
        Ok(())
    }

    /// Computes and stores the steps of all states that listed positions name.
    fn look_at_all(&mut self, budget: &Budget) -> Result<(), CertifyError> {
        let mut named = [BTreeSet::new(), BTreeSet::new()];
        for listed in &self.listed {
            named[MUTANT].extend(listed.pairs.iter().map(|pair| pair.0));
            named[MODEL].extend(listed.pairs.iter().map(|pair| pair.1));
            named[MUTANT].extend(listed.mutant.iter().flatten());
            named[MODEL].extend(listed.model.iter().flatten());
        }
        for (side, states) in named.into_iter().enumerate() {
            let states: Vec<usize> = states.into_iter().collect();
            for states in states.chunks(AT_ONCE) {
                if let Some(stop) = budget.stopped() {
                    return Err(CertifyError::Stopped(stop));
                }
                self.look_at(side, states)?;
            }
        }
        Ok(())
    }

    /// Computes and stores the steps of these states of one side, under each input valuation.
    fn look_at(&mut self, side: usize, states: &[usize]) -> Result<(), CertifyError> {
        let vectors: Vec<Bits> = (states.iter())
            .map(|&state| self.states.vectors[state].clone())
            .collect();
        let vectors: Vec<&[u64]> = vectors.iter().map(Vec::as_slice).collect();
        let too_many = CertifyError::ClosedSet("there are too many steps to check");
        let steps = self.classes;
        let steps = steps.steps_from(&self.sides[side], &vectors, self.valuations);
        let steps = steps.ok_or(too_many)?;
        for (&state, by_valuation) in states.iter().zip(steps) {
            let rows = by_valuation.iter().map(|steps| {
                let numbered = steps.iter().map(|(outputs, next)| {
                    (self.outputs.number(outputs), self.states.number(next))
                });
                let row: Row = numbered.collect();
                match self.row_numbers.get(&row) {
                    Some(&number) => number,
                    None => {
                        self.row_numbers.insert(row.clone(), self.rows.len());
                        self.rows.push(row);
                        self.rows.len() - 1
                    }
                }
            });
            let table = rows.collect();
            self.tables[side].insert(state, table);
        }
        Ok(())
    }

    fn steps(&self, side: usize, state: usize, valuation: usize) -> &[(usize, usize)] {
        let table = self.tables[side].get(&state);
        table.map_or(&[], |table| &self.rows[table[valuation]])
    }

    /// Returns the numbers of the successors of states of one side under an input valuation.
    fn image(&self, side: usize, states: &BTreeSet<usize>, valuation: usize) -> BTreeSet<usize> {
        let steps = states
            .iter()
            .flat_map(|&state| self.steps(side, state, valuation));
        steps.map(|&(_, next)| next).collect()
    }

    fn check_valuation(&self, index: usize, valuation: usize) -> Result<(), CertifyError> {
        let listed = &self.listed[index];
        let image = |side: usize, all: &Option<BTreeSet<usize>>| {
            all.as_ref().map(|all| self.image(side, all, valuation))
        };
        let mutant = image(MUTANT, &listed.mutant);
        let model = image(MODEL, &listed.model);
        let refused =
            |image: &Option<BTreeSet<usize>>| image.as_ref().is_some_and(BTreeSet::is_empty);
        if refused(&model) || (self.relation == Relation::Agreeing && refused(&mutant)) {
            return Ok(());
        }
        // For `Matched` each step of the mutant leads to a position of its own. For `Agreeing` all steps together lead to one position.
        let after: Vec<Vec<Pair>> = match self.relation {
            Relation::Matched => self.after_each_step(&listed.pairs, valuation),
            Relation::Agreeing => vec![self.after_all_steps(&listed.pairs, valuation)],
        };
        let mut situation = Situation {
            pairs: Vec::new(),
            mutant,
            model,
        };
        for pairs in after {
            if pairs.is_empty() {
                return Err(CertifyError::ClosedSet(
                    "a step from a listed position is a kill",
                ));
            }
            situation.pairs = pairs;
            if !self.covers(&situation) {
                return Err(CertifyError::ClosedSet("a step leads out of the set"));
            }
        }
        Ok(())
    }

    /// Returns one list for each step of the mutant: the pairs of states after it that have given the same outputs. The pairs before the
    /// step have one state of the mutant in common.
    fn after_each_step(&self, pairs: &[Pair], valuation: usize) -> Vec<Vec<Pair>> {
        let Some(&(run, _)) = pairs.first() else {
            return Vec::new();
        };
        let mut agreeing: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &(_, o) in pairs {
            for &(shown, o) in self.steps(MODEL, o, valuation) {
                agreeing.entry(shown).or_default().insert(o);
            }
        }
        let steps = self.steps(MUTANT, run, valuation).iter();
        steps
            .map(|&(shown, m)| {
                let agreeing = agreeing.get(&shown).into_iter().flatten();
                agreeing.map(|&o| (m, o)).collect()
            })
            .collect()
    }

    /// Returns all pairs of states that can still have given the same outputs after one step of both sides, ascending.
    fn after_all_steps(&self, pairs: &[Pair], valuation: usize) -> Vec<Pair> {
        let mut after = Vec::new();
        for &(m, o) in pairs {
            for &(shown, m) in self.steps(MUTANT, m, valuation) {
                let model = self.steps(MODEL, o, valuation).iter();
                let same = model.filter(|&&(output, _)| output == shown);
                after.extend(same.map(|&(_, o)| (m, o)));
            }
        }
        ascending(after)
    }
}

fn ascending(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Whether all of `few` are among `many`; both ascend.
fn included(few: &[Pair], many: &[Pair]) -> bool {
    few.iter().all(|pair| many.binary_search(pair).is_ok())
}
