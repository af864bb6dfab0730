//! What the nodes of a graph become: literals of another graph that it is copied into, or values that it is evaluated to.
//!
//! Both are the same walk from older nodes to newer ones. Who asks says what an input or a latch becomes, and it may
//! look at what has become of older nodes; gates follow from their operands.
//!
//! Not done with it are: what checks engines (replay and the certifiers, which must not share their mistakes), runs in many lanes
//! for many steps ([`crate::sim`] compiles a graph before), cones so small in so large a graph that they are stored by themselves, and
//! walks in which a node may have no image.

use rustc_hash::FxHashMap;

use super::{Aig, Cone, Node, Signal};
use crate::{Lit, Var};

/// What a node can become.
pub trait Image: Copy {
    /// What the constant becomes.
    const FALSE: Self;

    /// The complement if `negated`, else itself.
    #[must_use]
    fn complemented_if(self, negated: bool) -> Self;
}

/// Images that can be conjoined by themselves: truth values, one or many at once.
pub trait Truth: Image {
    /// The conjunction.
    #[must_use]
    fn and(self, other: Self) -> Self;
}

impl Image for Lit {
    const FALSE: Lit = Lit::FALSE;

    fn complemented_if(self, negated: bool) -> Lit {
        self ^ negated
    }
}

impl Image for bool {
    const FALSE: bool = false;

    fn complemented_if(self, negated: bool) -> bool {
        self ^ negated
    }
}

impl Truth for bool {
    fn and(self, other: bool) -> bool {
        self & other
    }
}

/// One truth value per bit.
impl Image for u64 {
    const FALSE: u64 = 0;

    fn complemented_if(self, negated: bool) -> u64 {
        self ^ u64::from(negated).wrapping_neg()
    }
}

impl Truth for u64 {
    fn and(self, other: u64) -> u64 {
        self & other
    }
}

/// `None`: unknown. A conjunction is known to be false if one operand is.
impl Image for Option<bool> {
    const FALSE: Option<bool> = Some(false);

    fn complemented_if(self, negated: bool) -> Option<bool> {
        self.map(|value| value ^ negated)
    }
}

impl Truth for Option<bool> {
    fn and(self, other: Option<bool>) -> Option<bool> {
        match (self, other) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }
}

/// An input or a latch, by its index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// The input with this index.
    Input(usize),
    /// The latch with this index.
    Latch(usize),
}

/// What each node of a graph has become. Nodes that were left out are false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Images<T = Lit> {
    by_node: Vec<T>,
}

impl<T: Image> Images<T> {
    /// False for every node of a graph.
    #[must_use]
    pub fn none(source: &Aig) -> Images<T> {
        Images {
            by_node: vec![T::FALSE; source.len()],
        }
    }

    /// What a literal of the graph has become.
    #[must_use]
    pub fn of(&self, lit: Lit) -> T {
        self.by_node[lit.var().index()].complemented_if(lit.is_negated())
    }

    /// Says what a node has become.
    pub fn set(&mut self, var: Var, image: T) {
        self.by_node[var.index()] = image;
    }

    /// The images of all nodes, by variable.
    #[must_use]
    pub fn nodes(&self) -> &[T] {
        &self.by_node
    }

    /// The same, taken out.
    #[must_use]
    pub fn into_nodes(self) -> Vec<T> {
        self.by_node
    }
}

impl Images {
    /// The same signals of the copy.
    #[must_use]
    pub fn signals(&self, signals: &[Signal]) -> Vec<Signal> {
        let image = |signal: &Signal| Signal {
            lit: self.of(signal.lit),
            name: signal.name.clone(),
        };
        signals.iter().map(image).collect()
    }
}

/// The walk itself: `leaf` gets the images so far, `gate` also those of its operands.
pub(crate) fn walk<C, T: Image>(
    source: &Aig,
    images: &mut Images<T>,
    context: &mut C,
    wanted: impl Fn(Var) -> bool,
    mut leaf: impl FnMut(&mut C, &Images<T>, Var, Leaf) -> T,
    mut gate: impl FnMut(&mut C, &Images<T>, Var, [T; 2]) -> T,
) {
    for (var, node) in source.nodes() {
        if !wanted(var) {
            continue;
        }
        let image = match node {
            Node::False => T::FALSE,
            Node::Input(i) => leaf(context, images, var, Leaf::Input(i as usize)),
            Node::Latch(i) => leaf(context, images, var, Leaf::Latch(i as usize)),
            Node::And(a, b) => {
                let operands = [images.of(a), images.of(b)];
                gate(context, images, var, operands)
            }
        };
        images.set(var, image);
    }
}

impl Aig {
    /// Copies the wanted nodes of a graph into this one, in their order. What is wanted must contain the operands of its gates, as a
    /// [`Cone`] does. `leaf` says what stands for an input or a latch; gates are folded, and shared with those there are.
    ///
    /// Next-state functions, outputs and properties are left to the caller.
    pub fn copy(
        &mut self,
        source: &Aig,
        wanted: impl Fn(Var) -> bool,
        mut leaf: impl FnMut(&mut Aig, &Images, Leaf) -> Lit,
    ) -> Images {
        let mut images = Images::none(source);
        walk(
            source,
            &mut images,
            self,
            wanted,
            |aig, images, _, which| leaf(aig, images, which),
            |aig, _, _, [a, b]| aig.and(a, b),
        );
        images
    }

    /// Copies the wanted gates of a graph whose inputs and latches have their images already. What `replace` makes of a gate and
    /// its copy stands for it in all that is built on it.
    pub fn copy_gates(
        &mut self,
        source: &Aig,
        images: &mut Images,
        wanted: impl Fn(Var) -> bool,
        mut replace: impl FnMut(&mut Aig, &Images, Var, Lit) -> Lit,
    ) {
        walk(
            source,
            images,
            self,
            wanted,
            |_, images, var, _| images.of(var.lit()),
            |aig, images, var, [a, b]| {
                let own = aig.and(a, b);
                replace(aig, images, var, own)
            },
        );
    }

    /// A literal with other literals of this graph in the place of some nodes: of inputs and latches, usually.
    pub fn substitute(&mut self, lit: Lit, places: &FxHashMap<Var, Lit>) -> Lit {
        let cone = Cone::combinational(self, [lit]);
        let mut images = places.clone();
        let of = |images: &FxHashMap<Var, Lit>, lit: Lit| {
            let var = lit.var();
            images.get(&var).copied().unwrap_or(var.lit()) ^ lit.is_negated()
        };
        // The copy goes where the source is: what it adds is no part of the cone.
        for index in 0..=lit.var().index() {
            let var = Var::new(index);
            if let Node::And(a, b) = self.node(var)
                && cone.contains(var)
                && !images.contains_key(&var)
            {
                let (a, b) = (of(&images, a), of(&images, b));
                let image = self.and(a, b);
                images.insert(var, image);
            }
        }
        of(&images, lit)
    }

    /// The values of all nodes in one step.
    pub fn evaluate<T: Truth>(&self, mut leaf: impl FnMut(Leaf) -> T) -> Images<T> {
        let mut values = Images::none(self);
        self.evaluate_into(&mut values, |_| true, |_, which| leaf(which));
        values
    }

    /// The values of the wanted nodes, where others may have theirs already. `leaf` sees those of older nodes.
    pub fn evaluate_into<T: Truth>(
        &self,
        values: &mut Images<T>,
        wanted: impl Fn(Var) -> bool,
        mut leaf: impl FnMut(&Images<T>, Leaf) -> T,
    ) {
        walk(
            self,
            values,
            &mut (),
            wanted,
            |(), values, _, which| leaf(values, which),
            |(), _, _, [a, b]| a.and(b),
        );
    }
}
