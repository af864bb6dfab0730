//! Temporal formulas on the positions of a lasso whose loop is not known yet, as gates over an unrolling.
//!
//! The loop is passed several times, once more for each level of past operators: later passes have the same values. The last pass is
//! followed by itself.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::{Aig, Lit};
use hyperkill_formulas::monitor::Temporal;

use crate::engines::encode::Unroller;

/// The positions of a lasso, for each pass through its loop. A *place* is a position in a pass, counted over all passes. Places before the
/// loop exist in the first pass only; their values in other passes mean nothing.
pub(super) struct Word<'w, 'u> {
    pub unroller: &'w mut Unroller<'u>,
    /// For each position the literal "the loop begins here"; exactly one of them is true. The loop ends after the last position.
    pub begins: Vec<Lit>,
    /// The number of passes.
    pub passes: usize,
    /// The number of gates at which the work stops.
    pub gates: usize,
}

/// Returns the value of a recurrence at a place, given its value at the next or previous one.
type Says<'s> = dyn Fn(&mut Aig, usize, Lit) -> Lit + 's;

impl Word<'_, '_> {
    /// Returns the values of a formula at all places.
    ///
    /// # Errors
    /// If a limit of gates or the budget ends the work.
    pub(super) fn along(&mut self, formula: &Temporal, budget: &Budget) -> Result<Vec<Lit>, Stop> {
        budget.check()?;
        if self.unroller.graph.len() > self.gates {
            return Err(Stop::Bound);
        }
        Ok(match formula {
            Temporal::Now(lit) => {
                let positions = 0..self.begins.len();
                let once: Vec<Lit> = positions.map(|at| self.unroller.at(at, *lit)).collect();
                once.repeat(self.passes)
            }
            Temporal::And(operands) => self.junction(operands, Aig::and_all, budget)?,
            Temporal::Or(operands) => self.junction(operands, Aig::or_all, budget)?,
            Temporal::Next(operand) => {
                let operand = self.along(operand, budget)?;
                self.next(&operand)
            }
            Temporal::Until(a, b) => {
                let (a, b) = (self.along(a, budget)?, self.along(b, budget)?);
                self.later(Lit::FALSE, &|graph, place, next| {
                    let goes_on = graph.and(a[place], next);
                    graph.or(b[place], goes_on)
                })
            }
            Temporal::Release(a, b) => {
                let (a, b) = (self.along(a, budget)?, self.along(b, budget)?);
                self.later(Lit::TRUE, &|graph, place, next| {
                    let goes_on = graph.or(a[place], next);
                    graph.and(b[place], goes_on)
                })
            }
            Temporal::Previously(operand) => {
                let operand = self.along(operand, budget)?;
                self.previous(&operand, Lit::FALSE)
            }
            Temporal::WeakPreviously(operand) => {
                let operand = self.along(operand, budget)?;
                self.previous(&operand, Lit::TRUE)
            }
            Temporal::Since(a, b) => {
                let (a, b) = (self.along(a, budget)?, self.along(b, budget)?);
                self.earlier(Lit::FALSE, &|graph, place, before| {
                    let kept = graph.and(a[place], before);
                    graph.or(b[place], kept)
                })
            }
            Temporal::Triggered(a, b) => {
                let (a, b) = (self.along(a, budget)?, self.along(b, budget)?);
                self.earlier(Lit::TRUE, &|graph, place, before| {
                    let kept = graph.or(a[place], before);
                    graph.and(b[place], kept)
                })
            }
        })
    }

    fn junction(
        &mut self,
        operands: &[Temporal],
        joined: fn(&mut Aig, &[Lit]) -> Lit,
        budget: &Budget,
    ) -> Result<Vec<Lit>, Stop> {
        let operands = operands.iter().map(|operand| self.along(operand, budget));
        let operands: Vec<Vec<Lit>> = operands.collect::<Result<_, _>>()?;
        let places = 0..self.passes * self.begins.len();
        let graph = &mut self.unroller.graph;
        let values = places.map(|place| {
            let all: Vec<Lit> = operands.iter().map(|values| values[place]).collect();
            joined(graph, &all)
        });
        Ok(values.collect())
    }

    /// Returns the value at the first place of the loop in a pass. `values` has one value for each position of the pass.
    fn at_begin(&mut self, values: &[Lit]) -> Lit {
        let graph = &mut self.unroller.graph;
        let pairs = self.begins.iter().zip(values);
        let there: Vec<Lit> = pairs
            .map(|(&here, &value)| graph.and(here, value))
            .collect();
        graph.or_all(&there)
    }

    /// Returns for each place the value at the next one.
    fn next(&mut self, values: &[Lit]) -> Vec<Lit> {
        let positions = self.begins.len();
        let mut next = Vec::new();
        for pass in 0..self.passes {
            let own = pass * positions..(pass + 1) * positions;
            next.extend(&values[own.start + 1..own.end]);
            let after = (pass + 1).min(self.passes - 1) * positions;
            next.push(self.at_begin(&values[after..after + positions]));
        }
        next
    }

    /// Solves a recurrence from each place to the next one: the least solution for `beyond` = false, the greatest for true.
    fn later(&mut self, beyond: Lit, says: &Says<'_>) -> Vec<Lit> {
        let positions = self.begins.len();
        let mut values = vec![beyond; self.passes * positions];
        let mut next = beyond;
        // Going through the last pass once makes its value at the start of the loop right, going through it twice makes all values right.
        let passes = std::iter::once(self.passes - 1).chain((0..self.passes).rev());
        for pass in passes {
            let own = pass * positions..(pass + 1) * positions;
            for place in own.clone().rev() {
                next = says(&mut self.unroller.graph, place, next);
                values[place] = next;
            }
            next = self.at_begin(&values[own]);
        }
        values
    }

    /// Returns the value at the place before this one, given the values up to it; `first` is the value before the first place.
    fn before(&mut self, values: &[Lit], place: usize, first: Lit) -> Lit {
        let positions = self.begins.len();
        let (pass, position) = (place / positions, place % positions);
        let Some(&previous) = place.checked_sub(1).and_then(|place| values.get(place)) else {
            return first;
        };
        match pass.checked_sub(1) {
            Some(earlier) if position > 0 => {
                let end_of_loop = values[earlier * positions + positions - 1];
                let graph = &mut self.unroller.graph;
                graph.ite(self.begins[position], end_of_loop, previous)
            }
            _ => previous,
        }
    }

    fn previous(&mut self, values: &[Lit], first: Lit) -> Vec<Lit> {
        let places = 0..values.len();
        places
            .map(|place| self.before(values, place, first))
            .collect()
    }

    /// Solves a recurrence from each place to the previous one; `first` is the value before the first place.
    fn earlier(&mut self, first: Lit, says: &Says<'_>) -> Vec<Lit> {
        let mut values = Vec::new();
        for place in 0..self.passes * self.begins.len() {
            let before = self.before(&values, place, first);
            values.push(says(&mut self.unroller.graph, place, before));
        }
        values
    }
}
