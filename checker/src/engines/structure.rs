//! Finds mutants whose circuit equals the original's or another mutant's, without a solver.
//!
//! All variants are built into one structurally hashed graph over common inputs and latches. Two variants with the same literals for every
//! output, constraint and next-state function are the same circuit. Most variants differ from all others in one step from random states;
//! these are not built.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxHashMap, FxHasher};

use hyperkill_core::aig::{Cone, Images, Leaf, Node};
use hyperkill_core::budget::Budget;
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId, Var};

/// Says whether the circuit of a mutant equals the original's or an earlier mutant's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It is the original's circuit, so the mutant is equivalent.
    Original,
    /// It is the same circuit as that of this earlier mutant.
    DuplicateOf(SelectorId),
    /// It differs from all earlier circuits, or was not compared.
    Distinct,
}

/// Returns for each mutant, by selector index, whether its circuit equals an earlier one. Mutants left when the budget ends count as
/// distinct.
#[must_use]
pub fn standings(model: &ConditionalMutant, budget: &Budget) -> Vec<Standing> {
    let places = Places::of(model);
    let mut signatures = Signatures::of(model, &places);
    let mut alike: FxHashMap<u64, usize> = FxHashMap::default();
    alike.insert(Signatures::ORIGINAL, 1);
    let mut seen = Vec::with_capacity(model.selectors.len());
    for selector in model.selector_ids() {
        // After the limit, mutants are not compared.
        if budget.stopped().is_some() {
            break;
        }
        let signature = signatures.variant(selector);
        *alike.entry(signature).or_default() += 1;
        seen.push(signature);
    }
    let mut builder = Builder::new(model, &places);
    let original = builder.observed();
    let mut first_with: FxHashMap<Vec<Lit>, SelectorId> = FxHashMap::default();
    let mut standings = vec![Standing::Distinct; model.selectors.len()];
    for (selector, signature) in model.selector_ids().zip(seen) {
        // A mutant with a unique signature equals no other.
        if alike[&signature] < 2 {
            continue;
        }
        if budget.stopped().is_some() {
            break;
        }
        let key = builder.variant(selector);
        if key == original {
            standings[selector.0] = Standing::Original;
        } else if let Some(&first) = first_with.get(&key) {
            standings[selector.0] = Standing::DuplicateOf(first);
        } else {
            first_with.insert(key, selector);
        }
    }
    standings
}

/// Returns the duplicates among these mutants (ascending), each with the earlier mutant of the list that has the same circuit.
#[must_use]
pub fn duplicates(
    model: &ConditionalMutant,
    mutants: &[SelectorId],
    budget: &Budget,
) -> BTreeMap<SelectorId, SelectorId> {
    let standings = standings(model, budget);
    let twin = |mutant: SelectorId| match standings[mutant.0] {
        Standing::DuplicateOf(first) => mutants.binary_search(&first).is_ok().then_some(first),
        Standing::Original | Standing::Distinct => None,
    };
    let twins = mutants.iter();
    twins
        .filter_map(|&mutant| Some((mutant, twin(mutant)?)))
        .collect()
}

/// The literals by which circuits are compared, and the readers of each node.
struct Places {
    /// The literals of outputs, constraints and next values, by which variants are compared.
    roots: Vec<Lit>,
    /// For each node the gates that read it.
    readers: Vec<Vec<Var>>,
}

impl Places {
    fn of(model: &ConditionalMutant) -> Places {
        let aig = &model.aig;
        let signals = aig.outputs.iter().chain(&aig.constraints);
        let mut roots: Vec<Lit> = signals.map(|signal| signal.lit).collect();
        let cone = Cone::sequential(aig, roots.iter().copied());
        let selectors = model.selector_of_latch();
        for (i, latch) in aig.latches().iter().enumerate() {
            if cone.contains(latch.var) && selectors[i].is_none() {
                roots.push(latch.next);
            }
        }
        let mut readers = vec![Vec::new(); aig.len()];
        for (var, node) in aig.nodes().filter(|(var, _)| cone.contains(*var)) {
            if let Node::And(a, b) = node {
                readers[a.var().index()].push(var);
                readers[b.var().index()].push(var);
            }
        }
        Places { roots, readers }
    }
}

/// Number of words, of 64 random states and inputs each, that are evaluated.
const WORDS: usize = 4;

/// Hashes of the values that variants give in one step from random states. Variants with different hashes are different circuits.
struct Signatures<'a> {
    model: &'a ConditionalMutant,
    places: &'a Places,
    /// For each node its values in the original, in the random states.
    values: Vec<[u64; WORDS]>,
    /// For each node the indices of the roots that are it or its complement.
    roots: FxHashMap<Var, Vec<usize>>,
    /// The gates that are still to be evaluated, one bit per node.
    waiting: Vec<u64>,
}

impl<'a> Signatures<'a> {
    /// The signature that stands for the original.
    const ORIGINAL: u64 = 0;

    fn of(model: &'a ConditionalMutant, places: &'a Places) -> Signatures<'a> {
        let aig = &model.aig;
        let selectors = model.selector_of_latch();
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut values: Vec<[u64; WORDS]> = Vec::with_capacity(aig.len());
        for (_, node) in aig.nodes() {
            let value = match node {
                Node::False => [0; WORDS],
                Node::Latch(i) if selectors[i as usize].is_some() => [0; WORDS],
                Node::Input(_) | Node::Latch(_) => std::array::from_fn(|_| rng.next_u64()),
                Node::And(a, b) => and(&values, a, b),
            };
            values.push(value);
        }
        let mut roots: FxHashMap<Var, Vec<usize>> = FxHashMap::default();
        for (number, root) in places.roots.iter().enumerate() {
            roots.entry(root.var()).or_default().push(number);
        }
        Signatures {
            model,
            places,
            values,
            roots,
            waiting: vec![0; aig.len().div_ceil(64)],
        }
    }

    /// Returns a hash of the roots' values for a mutant; [`Signatures::ORIGINAL`] if they are the original's.
    fn variant(&mut self, selector: SelectorId) -> u64 {
        let aig = &self.model.aig;
        let switch = aig.latches()[self.model.selectors[selector.0].latch].var;
        let mut changed = vec![(switch, self.values[switch.index()])];
        self.values[switch.index()] = [u64::MAX; WORDS];
        let mut left = self.wait(switch);
        let mut word = 0;
        let mut seen = Vec::new();
        // Readers have larger indices than their operands.
        while left > 0 {
            let Some(bit) = lowest(self.waiting[word]) else {
                word += 1;
                continue;
            };
            self.waiting[word] &= self.waiting[word] - 1;
            left -= 1;
            let var = Var::new(64 * word + bit);
            let Node::And(a, b) = aig.node(var) else {
                continue;
            };
            let (value, before) = (and(&self.values, a, b), self.values[var.index()]);
            if value == before {
                continue;
            }
            changed.push((var, before));
            self.values[var.index()] = value;
            left += self.wait(var);
            if let Some(roots) = self.roots.get(&var) {
                let differs: [u64; WORDS] = std::array::from_fn(|w| value[w] ^ before[w]);
                seen.extend(roots.iter().map(|&root| (root, differs)));
            }
        }
        for (var, before) in changed.into_iter().rev() {
            self.values[var.index()] = before;
        }
        if seen.is_empty() {
            return Signatures::ORIGINAL;
        }
        seen.sort_unstable();
        let mut hasher = FxHasher::default();
        seen.hash(&mut hasher);
        hasher.finish().max(1)
    }

    /// Marks the readers of a node for evaluation; returns how many were not marked before.
    fn wait(&mut self, var: Var) -> usize {
        let mut more = 0;
        for reader in &self.places.readers[var.index()] {
            let (word, bit) = (reader.index() / 64, 1 << (reader.index() % 64));
            more += usize::from(self.waiting[word] & bit == 0);
            self.waiting[word] |= bit;
        }
        more
    }
}

fn lowest(bits: u64) -> Option<usize> {
    (bits != 0).then(|| bits.trailing_zeros() as usize)
}

fn and(values: &[[u64; WORDS]], a: Lit, b: Lit) -> [u64; WORDS] {
    let of = |lit: Lit| {
        (
            values[lit.var().index()],
            u64::from(lit.is_negated()).wrapping_neg(),
        )
    };
    let ((a, not_a), (b, not_b)) = (of(a), of(b));
    std::array::from_fn(|w| (a[w] ^ not_a) & (b[w] ^ not_b))
}

struct Builder<'a> {
    model: &'a ConditionalMutant,
    places: &'a Places,
    graph: Aig,
    /// For each node of the original its literal in the common graph.
    base: Images,
}

impl<'a> Builder<'a> {
    fn new(model: &'a ConditionalMutant, places: &'a Places) -> Builder<'a> {
        let aig = &model.aig;
        let selectors = model.selector_of_latch();
        let mut graph = Aig::new();
        let is_selector = |leaf| matches!(leaf, Leaf::Latch(i) if selectors[i].is_some());
        let base = graph.copy(
            aig,
            |_| true,
            |graph, _, leaf| match is_selector(leaf) {
                true => Lit::FALSE,
                false => graph.add_input(None),
            },
        );
        Builder {
            model,
            places,
            graph,
            base,
        }
    }

    fn observed(&self) -> Vec<Lit> {
        let roots = self.places.roots.iter();
        roots.map(|&root| self.base.of(root)).collect()
    }

    /// Returns the literals that outputs, constraints and next values of a mutant have in the common graph. Only nodes that its selector
    /// reaches are rebuilt.
    fn variant(&mut self, selector: SelectorId) -> Vec<Lit> {
        let aig = &self.model.aig;
        let switch = aig.latches()[self.model.selectors[selector.0].latch].var;
        let mut changed: Vec<(Var, Lit)> = vec![(switch, self.base.of(switch.lit()))];
        self.base.set(switch, Lit::TRUE);
        // Nodes in index order are in topological order.
        let mut open: BTreeSet<Var> = self.places.readers[switch.index()]
            .iter()
            .copied()
            .collect();
        while let Some(var) = open.pop_first() {
            let Node::And(a, b) = aig.node(var) else {
                continue;
            };
            let (a, b) = (self.base.of(a), self.base.of(b));
            let (lit, before) = (self.graph.and(a, b), self.base.of(var.lit()));
            if lit != before {
                changed.push((var, before));
                self.base.set(var, lit);
                open.extend(self.places.readers[var.index()].iter().copied());
            }
        }
        let key = self.observed();
        for (var, lit) in changed.into_iter().rev() {
            self.base.set(var, lit);
        }
        key
    }
}
