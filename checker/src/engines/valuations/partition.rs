//! A partition of the valuations into classes, refined by one function of the inputs after the other.

use hyperkill_core::Lit;
use hyperkill_core::aig::Node;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::fault::{self, Fault};
use rustc_hash::FxHashSet;

use super::{Cut, Group};
use crate::engines::diagrams::{Bdd, Level, Store};
use crate::schedule::efforts::CLASSES;

/// Largest number of bits of the number of a class.
pub(super) const CLASS_NUMBER_BITS: usize = 16;

/// A partition of the valuations of some inputs into classes, which functions refine.
pub(crate) struct Partition<'c> {
    cut: &'c Cut,
    store: Store,
    /// For each input of the cut the level of its variable; `None` if no function reads it.
    levels: Vec<Option<Level>>,
    /// For each node of the cut its diagram, if it has been computed.
    functions: Vec<Option<Bdd>>,
    classes: Vec<Bdd>,
    /// Functions that have been used for refinement: they are constant on each class.
    refined: FxHashSet<Bdd>,
}

impl<'c> Partition<'c> {
    /// Returns the partition with one class of all valuations. It can be refined by functions that read only inputs of `functions`.
    ///
    /// # Errors
    /// If there are too many inputs, or the budget has ended.
    pub(crate) fn new(
        cut: &'c Cut,
        functions: &[Lit],
        budget: &Budget,
    ) -> Result<Partition<'c>, Stop> {
        let met = cut.met(functions);
        let mut levels = vec![None; cut.inputs.len()];
        for (level, &input) in met.iter().enumerate() {
            levels[input] = Some(level as Level);
        }
        let mut partition = Partition {
            store: Store::new(met.len(), CLASSES, budget)?,
            functions: vec![None; cut.graph.len()],
            classes: vec![Bdd::TRUE],
            refined: FxHashSet::default(),
            levels,
            cut,
        };
        partition.functions[0] = Some(Bdd::FALSE);
        Ok(partition)
    }

    /// Returns the current classes, to be restored if a refinement proves too fine.
    pub(crate) fn classes(&self) -> Vec<Bdd> {
        self.classes.clone()
    }

    /// Restores classes that [`Partition::classes`] returned earlier.
    pub(crate) fn restore(&mut self, classes: Vec<Bdd>) {
        self.classes = classes;
        self.refined.clear();
    }

    /// Splits the classes on which a function has both values. Returns whether at most `limit` classes result; if not, only some classes
    /// are split.
    ///
    /// # Errors
    /// If the effort or the budget is spent.
    pub(crate) fn refine(&mut self, function: Lit, limit: usize) -> Result<bool, Stop> {
        let function = self.function(function)?;
        // A function and its complement give the same classes.
        let function = function.min(!function);
        let merged = fault::planted(Fault::MergedClasses) && self.refined.is_empty();
        if !self.refined.insert(function) || merged {
            return Ok(true);
        }
        for place in 0..self.classes.len() {
            let class = self.classes[place];
            let inside = self.store.and(class, function)?;
            if inside == Bdd::FALSE || inside == class {
                continue;
            }
            if self.classes.len() >= limit {
                return Ok(false);
            }
            self.classes[place] = inside;
            let outside = self.store.and(class, !function)?;
            self.classes.push(outside);
        }
        Ok(true)
    }

    /// Whether a function is 1 for all valuations.
    ///
    /// # Errors
    /// If the effort or the budget is spent.
    pub(super) fn always(&mut self, function: Lit) -> Result<bool, Stop> {
        Ok(self.function(function)? == Bdd::TRUE)
    }

    /// Removes from all classes the valuations for which a function is 0.
    ///
    /// # Errors
    /// If the effort or the budget is spent.
    pub(super) fn keep(&mut self, function: Lit) -> Result<(), Stop> {
        let function = self.function(function)?;
        for class in &mut self.classes {
            *class = self.store.and(*class, function)?;
        }
        self.classes.retain(|&class| class != Bdd::FALSE);
        Ok(())
    }

    /// Returns the decision diagram of a literal of the cut's graph.
    fn function(&mut self, lit: Lit) -> Result<Bdd, Stop> {
        let cut = self.cut;
        let mut open = vec![lit.var()];
        while let Some(&var) = open.last() {
            if self.functions[var.index()].is_some() {
                open.pop();
                continue;
            }
            let function = match cut.graph.node(var) {
                Node::And(a, b) => {
                    let operands = [a, b].map(|operand| {
                        let function = self.functions[operand.var().index()];
                        function.map(|f| if operand.is_negated() { !f } else { f })
                    });
                    let [Some(f), Some(g)] = operands else {
                        open.extend([a.var(), b.var()]);
                        continue;
                    };
                    self.store.and(f, g)?
                }
                Node::Input(input) => {
                    let level = self.levels[input as usize];
                    level.map_or(Bdd::FALSE, |level| self.store.variable(level))
                }
                Node::False | Node::Latch(_) => Bdd::FALSE,
            };
            self.functions[var.index()] = Some(function);
            open.pop();
        }
        let function = self.functions[lit.var().index()].unwrap_or(Bdd::FALSE);
        Ok(if lit.is_negated() {
            !function
        } else {
            function
        })
    }

    /// Returns the least valuation of each class, over these inputs of the circuit (lowest bit first), and for each class whether it has
    /// only this one. The functions must read only these inputs.
    ///
    /// # Errors
    /// If the effort or the budget is spent.
    pub(crate) fn group(&mut self, inputs: &[usize]) -> Result<(Group, Vec<bool>), Stop> {
        let places = inputs
            .iter()
            .map(|input| self.cut.inputs.binary_search(input).ok());
        let levels: Vec<Option<Level>> = places
            .map(|place| place.and_then(|place| self.levels[place]))
            .collect();
        let mut classes = Vec::with_capacity(self.classes.len());
        for class in self.classes.clone() {
            let (least, rest) = self.least(class, &levels)?;
            classes.push((least, rest == Bdd::FALSE));
        }
        // The comparison starts at the highest input.
        classes.sort_unstable_by(|(a, _), (b, _)| a.iter().rev().cmp(b.iter().rev()));
        if fault::planted(Fault::LostClass) && classes.len() > 1 {
            classes.pop();
        }
        let (classes, alone) = classes.into_iter().unzip();
        let inputs = inputs.to_vec();
        Ok((Group { inputs, classes }, alone))
    }

    /// Returns the least valuation of a class, by input, and the class without this valuation.
    fn least(&mut self, class: Bdd, levels: &[Option<Level>]) -> Result<(Vec<bool>, Bdd), Stop> {
        let mut least = vec![false; levels.len()];
        let (mut left, mut only) = (class, Bdd::TRUE);
        for (value, level) in least.iter_mut().zip(levels).rev() {
            let Some(level) = *level else {
                continue;
            };
            let variable = self.store.variable(level);
            let without = self.store.and(left, !variable)?;
            if without == Bdd::FALSE {
                *value = true;
                only = self.store.and(only, variable)?;
            } else {
                left = without;
                only = self.store.and(only, !variable)?;
            }
        }
        Ok((least, self.store.and(class, !only)?))
    }
}
