//! Images of a graph's nodes: literals of another graph into which it is copied, or values under an evaluation.
//!
//! Both are one traversal in topological order. The caller gives the images of inputs and latches, and may read the images of earlier
//! nodes; the images of gates follow from their operands.
//!
//! Other traversals are separate: replay and the certifiers, which must not share mistakes with the engines that they check; simulation of
//! many lanes and steps ([`crate::sim`] compiles the graph); small cones of large graphs with storage of their own; and traversals in which
//! a node may have no image.

use rustc_hash::FxHashMap;

use super::{Aig, Cone, Node, Signal};
use crate::{Lit, Var};

/// A possible image of a node.
pub trait Image: Copy {
    /// The image of the constant false.
    const FALSE: Self;

    /// Returns the complement if `negated`, else the image itself.
    #[must_use]
    fn complemented_if(self, negated: bool) -> Self;
}

/// Images with a conjunction: truth values, one or many at once.
pub trait Truth: Image {
    /// Returns the conjunction.
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

/// 64 truth values, one per bit.
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

/// `None` is unknown. A conjunction is false if one operand is known to be false.
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

/// The image of each node of a graph. Nodes without an image are false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Images<T = Lit> {
    by_node: Vec<T>,
}

impl<T: Image> Images<T> {
    /// Returns images that are false for every node of a graph.
    #[must_use]
    pub fn none(source: &Aig) -> Images<T> {
        Images {
            by_node: vec![T::FALSE; source.len()],
        }
    }

    /// Returns the image of a literal of the graph.
    #[must_use]
    pub fn of(&self, lit: Lit) -> T {
        self.by_node[lit.var().index()].complemented_if(lit.is_negated())
    }

    /// Sets the image of a node.
    pub fn set(&mut self, var: Var, image: T) {
        self.by_node[var.index()] = image;
    }

    /// Returns the images of all nodes, by variable.
    #[must_use]
    pub fn nodes(&self) -> &[T] {
        &self.by_node
    }

    /// Returns the images of all nodes, by variable, without copying.
    #[must_use]
    pub fn into_nodes(self) -> Vec<T> {
        self.by_node
    }
}

impl Images {
    /// Returns these signals with the same names and the images of their literals.
    #[must_use]
    pub fn signals(&self, signals: &[Signal]) -> Vec<Signal> {
        let image = |signal: &Signal| Signal {
            lit: self.of(signal.lit),
            name: signal.name.clone(),
        };
        signals.iter().map(image).collect()
    }
}

/// Computes the images of the wanted nodes, in the order of the graph, and stores them in `images`.
///
/// `leaf` computes the image of an input or latch, `gate` that of a gate from the images of its operands. Both get `context` and the images
/// so far.
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
    /// Copies the wanted nodes of a graph into this one, in their order. The wanted nodes must include the operands of wanted gates, as a
    /// [`Cone`] does. `leaf` gives the literal for an input or a latch; gates are folded, and shared with existing ones.
    ///
    /// The caller copies next-state functions, outputs and properties.
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

    /// Copies the wanted gates of a graph into this one, and stores their images. The inputs and latches of `source` must already have
    /// images.
    ///
    /// `replace` gets each gate and its copy; the literal that it returns is used in all gates above.
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

    /// Returns `lit` with the nodes in `places`, usually inputs and latches, replaced by the literals of this graph that `places` gives.
    /// Gates are added where needed.
    pub fn substitute(&mut self, lit: Lit, places: &FxHashMap<Var, Lit>) -> Lit {
        let cone = Cone::combinational(self, [lit]);
        let mut images = places.clone();
        let of = |images: &FxHashMap<Var, Lit>, lit: Lit| {
            let var = lit.var();
            images.get(&var).copied().unwrap_or(var.lit()) ^ lit.is_negated()
        };
        // The copy is added to the same graph, so the cone bounds the traversal.
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

    /// Returns the values of all nodes in one step; `leaf` gives the value of each input and latch.
    pub fn evaluate<T: Truth>(&self, mut leaf: impl FnMut(Leaf) -> T) -> Images<T> {
        let mut values = Images::none(self);
        self.evaluate_into(&mut values, |_| true, |_, which| leaf(which));
        values
    }

    /// Computes the values of the wanted nodes; other nodes may already have values. `leaf` returns the value of an input or latch, given
    /// the values of earlier nodes.
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
