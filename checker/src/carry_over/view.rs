//! The circuit under one mutant: all other selectors are off, and every node has a hash by names and structure. Equal hashes match nodes of
//! two versions of a model.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet};

use hyperkill_core::aig::Node;
use hyperkill_core::conditional::Port;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId, Var};

/// A hash whose collisions are practically impossible. Evidence is certified anew, so soundness does not rest on it.
pub(super) type Code = u128;

/// The code of a literal: the code of its node, and whether it is negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Coded {
    pub code: Code,
    pub negated: bool,
}

impl Coded {
    fn when(self, negated: bool) -> Coded {
        Coded {
            negated: self.negated ^ negated,
            ..self
        }
    }
}

/// Returns a hash of a value, as the code of a node.
pub(super) fn code(of: &impl Hash) -> Code {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        of.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// Returns for each thing its name, if it is unique among these, else a name made from its index.
fn names<'a>(names: impl Iterator<Item = Option<&'a str>>) -> Vec<String> {
    let names: Vec<Option<&str>> = names.collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names.iter().flatten() {
        *seen.entry(name).or_default() += 1;
    }
    let name = |(place, name): (usize, &Option<&str>)| match name {
        Some(name) if seen[name] == 1 => (*name).to_owned(),
        _ => format!("\0{place}"),
    };
    names.iter().enumerate().map(name).collect()
}

/// The original of a model, with a code for each node.
pub(super) struct Original<'a> {
    pub model: &'a ConditionalMutant,
    /// For each latch the mutant whose selector it is; `None` for other latches.
    pub selectors: Vec<Option<SelectorId>>,
    /// Names of latches, of inputs and of outputs, unique in each list.
    pub latches: Vec<String>,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    /// For each input a code of its role and type.
    roles: Vec<Code>,
    /// For each node of the circuit the literal to which it simplifies when all selectors are off.
    images: Vec<Lit>,
    codes: Vec<Coded>,
    /// For each code a literal of the original that has it.
    by_code: FxHashMap<Code, Lit>,
    /// For each node the gates that read it.
    readers: Vec<Vec<Var>>,
    /// For each node the gates and latches that read it when all selectors are off.
    followers: Vec<Vec<Var>>,
}

impl<'a> Original<'a> {
    pub(super) fn of(model: &'a ConditionalMutant) -> Original<'a> {
        let aig = &model.aig;
        let mut readers = vec![Vec::new(); aig.len()];
        for (var, node) in aig.nodes() {
            if let Node::And(a, b) = node {
                readers[a.var().index()].push(var);
                readers[b.var().index()].push(var);
            }
        }
        let mut original = Original {
            model,
            selectors: model.selector_of_latch(),
            latches: names(aig.latches().iter().map(|latch| latch.name.as_deref())),
            inputs: names(aig.inputs().iter().map(|input| input.name.as_deref())),
            outputs: names(aig.outputs.iter().map(|output| output.name.as_deref())),
            roles: roles(model),
            images: Vec::with_capacity(aig.len()),
            codes: Vec::with_capacity(aig.len()),
            by_code: FxHashMap::default(),
            readers,
            followers: vec![Vec::new(); aig.len()],
        };
        for (var, node) in aig.nodes() {
            let (image, coded) = original.seen(var, node, None, &FxHashMap::default());
            original.images.push(image);
            original.codes.push(coded);
            let literal = var.lit() ^ coded.negated;
            original.by_code.entry(coded.code).or_insert(literal);
        }
        original.follow();
        original
    }

    /// Records for each node which nodes read it when all selectors are off.
    fn follow(&mut self) {
        let aig = &self.model.aig;
        for (var, node) in aig.nodes() {
            if let Node::And(a, b) = node
                && self.images[var.index()].var() == var
            {
                for read in [a, b] {
                    let image = self.images[read.var().index()].var();
                    self.followers[image.index()].push(var);
                }
            }
        }
        for (at, latch) in aig.latches().iter().enumerate() {
            if self.selectors[at].is_none() {
                let image = self.images[latch.next.var().index()].var();
                self.followers[image.index()].push(latch.var);
            }
        }
    }

    /// Returns the literal to which a node simplifies, and its code, when the selector `free` is free and all other selectors are off.
    /// `changed` has the nodes for which this differs from the original.
    fn seen(
        &self,
        var: Var,
        node: Node,
        free: Option<SelectorId>,
        changed: &FxHashMap<Var, (Lit, Coded)>,
    ) -> (Lit, Coded) {
        let falsehood = Coded {
            code: code(&"false"),
            negated: false,
        };
        let leaf = |code: Code| {
            let coded = Coded {
                code,
                negated: false,
            };
            (var.lit(), coded)
        };
        match node {
            Node::False => (Lit::FALSE, falsehood),
            Node::Input(i) => leaf(code(&(
                "input",
                &self.inputs[i as usize],
                self.roles[i as usize],
            ))),
            Node::Latch(i) => match self.selectors[i as usize] {
                Some(selector) if Some(selector) == free => leaf(code(&"the mutant")),
                Some(_) => (Lit::FALSE, falsehood),
                None => leaf(code(&("latch", &self.latches[i as usize]))),
            },
            Node::And(a, b) => {
                let of = |lit: Lit| {
                    let (image, coded) = self.now(lit.var(), changed);
                    (image ^ lit.is_negated(), coded.when(lit.is_negated()))
                };
                let ((a, coded_a), (b, coded_b)) = (of(a), of(b));
                let truth = falsehood.when(true);
                match (coded_a, coded_b) {
                    (x, y) if x == falsehood || y == falsehood || x == y.when(true) => {
                        (Lit::FALSE, falsehood)
                    }
                    (x, y) if x == truth || x == y => (b, coded_b),
                    (_, y) if y == truth => (a, coded_a),
                    (x, y) => leaf(code(&("and", x.min(y), x.max(y)))),
                }
            }
        }
    }

    fn now(&self, var: Var, changed: &FxHashMap<Var, (Lit, Coded)>) -> (Lit, Coded) {
        let at = var.index();
        let known = changed.get(&var).copied();
        known.unwrap_or_else(|| (self.images[at], self.codes[at]))
    }

    /// Returns the circuit under a mutant, in which its selector is free and all others are off.
    pub(super) fn view(&self, mutant: SelectorId) -> View<'_, 'a> {
        let aig = &self.model.aig;
        let switch = aig.latches()[self.model.selectors[mutant.0].latch].var;
        let mut changed = FxHashMap::default();
        // Readers have larger indices than their operands.
        let mut waiting = std::collections::BTreeSet::from([switch]);
        while let Some(var) = waiting.pop_first() {
            let seen = self.seen(var, aig.node(var), Some(mutant), &changed);
            if seen == self.now(var, &FxHashMap::default()) {
                continue;
            }
            changed.insert(var, seen);
            waiting.extend(self.readers[var.index()].iter().copied());
        }
        let mut by_code: FxHashMap<Code, Lit> = FxHashMap::default();
        let mut order: Vec<(&Var, &(Lit, Coded))> = changed.iter().collect();
        order.sort_unstable_by_key(|(var, _)| **var);
        for (var, (_, coded)) in order {
            by_code
                .entry(coded.code)
                .or_insert(var.lit() ^ coded.negated);
        }
        View {
            original: self,
            changed,
            by_code,
        }
    }

    /// Returns the inputs and latches that these literals depend on within a step, and with `later` also in later steps.
    pub(super) fn leaves(&self, of: impl IntoIterator<Item = Lit>, later: bool) -> Leaves {
        let mut leaves = Leaves::default();
        let mut open: Vec<Var> = of.into_iter().map(Lit::var).collect();
        let mut seen = FxHashSet::default();
        while let Some(var) = open.pop() {
            self.step(var, self.images[var.index()], later, &mut leaves, |var| {
                if seen.insert(var) {
                    open.push(var);
                }
            });
        }
        leaves
    }

    /// Records a node as a leaf, or else passes its image or its operands to `go_on`. With `later`, also the next value of a latch.
    fn step(
        &self,
        var: Var,
        image: Lit,
        later: bool,
        leaves: &mut Leaves,
        mut go_on: impl FnMut(Var),
    ) {
        if image.var() != var {
            go_on(image.var());
            return;
        }
        match self.model.aig.node(var) {
            Node::False => {}
            Node::Input(i) => drop(leaves.inputs.insert(i as usize)),
            Node::Latch(i) => {
                let at = i as usize;
                if self.selectors[at].is_none() && leaves.latches.insert(at) && later {
                    go_on(self.model.aig.latches()[at].next.var());
                }
            }
            Node::And(a, b) => {
                go_on(a.var());
                go_on(b.var());
            }
        }
    }

    /// Returns the outputs, by index, that depend on these latches and inputs, in any number of steps.
    pub(super) fn influenced(&self, leaves: &Leaves) -> Vec<usize> {
        let aig = &self.model.aig;
        let latches = leaves.latches.iter().map(|&at| aig.latches()[at].var);
        let inputs = leaves.inputs.iter().map(|&at| aig.inputs()[at].var);
        let mut open: Vec<Var> = latches.chain(inputs).collect();
        let mut seen: FxHashSet<Var> = open.iter().copied().collect();
        while let Some(var) = open.pop() {
            let followers = self.followers[var.index()].iter();
            open.extend(followers.filter(|follower| seen.insert(**follower)));
        }
        let outputs = aig.outputs.iter().enumerate();
        let outputs = outputs
            .filter(|(_, signal)| seen.contains(&self.images[signal.lit.var().index()].var()));
        outputs.map(|(at, _)| at).collect()
    }
}

/// Returns codes of the inputs' roles (test input or choice) and types.
fn roles(model: &ConditionalMutant) -> Vec<Code> {
    let mut roles = vec![0; model.aig.inputs().len()];
    let mut note = |ports: &[Port], role: &str| {
        for port in ports {
            for (place, &bit) in port.bits.iter().enumerate() {
                roles[bit] = code(&(role, &port.name, place, format!("{:?}", port.sort)));
            }
        }
    };
    note(&model.inputs, "input");
    note(&model.choices, "choice");
    roles
}

/// A set of inputs and a set of latches, by index.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Leaves {
    pub inputs: FxHashSet<usize>,
    pub latches: FxHashSet<usize>,
}

/// The circuit under one mutant, as the nodes that differ from the original.
pub(super) struct View<'v, 'a> {
    pub original: &'v Original<'a>,
    changed: FxHashMap<Var, (Lit, Coded)>,
    by_code: FxHashMap<Code, Lit>,
}

impl View<'_, '_> {
    /// Returns the code of a literal in this circuit, by names and structure.
    pub(super) fn coded(&self, lit: Lit) -> Coded {
        let (_, coded) = self.original.now(lit.var(), &self.changed);
        coded.when(lit.is_negated())
    }

    /// Whether the mutant changes the function of inputs and latches that the literal has within a step.
    pub(super) fn changes(&self, lit: Lit) -> bool {
        self.changed.contains_key(&lit.var())
    }

    /// Returns a literal of this circuit with this code; `None` if there is none.
    pub(super) fn literal(&self, coded: Coded) -> Option<Lit> {
        let known = self.by_code.get(&coded.code);
        let known = known.or_else(|| self.original.by_code.get(&coded.code))?;
        // The code may belong to a node that the mutant changes.
        let is_so = self.coded(*known).code == coded.code;
        is_so.then_some(*known ^ coded.negated)
    }

    /// Returns the inputs and latches that these literals depend on within a step, in this circuit.
    pub(super) fn leaves(&self, of: impl IntoIterator<Item = Lit>) -> Leaves {
        let mut leaves = Leaves::default();
        let mut open: Vec<Var> = of.into_iter().map(Lit::var).collect();
        let mut seen = FxHashSet::default();
        while let Some(var) = open.pop() {
            let (image, _) = self.original.now(var, &self.changed);
            let original = self.original;
            original.step(var, image, false, &mut leaves, |var| {
                if seen.insert(var) {
                    open.push(var);
                }
            });
        }
        leaves
    }
}
