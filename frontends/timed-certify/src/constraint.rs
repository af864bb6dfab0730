//! Lists of constraints on differences, and unions of them.
//!
//! Variable 0 is the origin and variable i + 1 is clock i: the value of a clock is its difference to the origin. A delay moves the origin
//! down, so a delay is a second origin, and one list describes all events during the delay.

use hyperkill_core::timed::{Atom, Relation};

/// The constraint left − right ≤ most, or < most, between two variables. Variable 0 is the origin, and variable i + 1 is clock i.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Constraint {
    /// The index of the variable on the left of the difference.
    pub left: usize,
    /// The index of the variable that is subtracted.
    pub right: usize,
    /// The constant on the right of the comparison.
    pub most: i64,
    /// Whether the comparison is strict (`<`).
    pub is_strict: bool,
}

impl Constraint {
    /// Returns the constraint left − right ≤ most.
    #[must_use]
    pub fn at_most(left: usize, right: usize, most: i64) -> Constraint {
        Constraint {
            left,
            right,
            most,
            is_strict: false,
        }
    }

    fn opposite(self) -> Constraint {
        Constraint {
            left: self.right,
            right: self.left,
            most: -self.most,
            is_strict: !self.is_strict,
        }
    }

    /// Returns the constraint with `name` of each variable in its place.
    fn renamed(self, name: &impl Fn(usize) -> usize) -> Constraint {
        Constraint {
            left: name(self.left),
            right: name(self.right),
            ..self
        }
    }

    /// Returns true for a constraint that always holds, and false for one that never holds, as `x − x ≤ most` shows; `None` for others.
    fn decided(self) -> Option<bool> {
        let same = self.left == self.right;
        same.then_some(self.most > 0 || (self.most == 0 && !self.is_strict))
    }
}

/// A conjunction of constraints.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct List(pub Vec<Constraint>);

/// A disjunction of lists.
pub type Union = Vec<List>;

impl List {
    /// Adds a constraint; `None` if it is unsatisfiable.
    fn and(mut self, constraint: Constraint) -> Option<List> {
        match constraint.decided() {
            Some(true) => return Some(self),
            Some(false) => return None,
            None => {}
        }
        let same = self
            .0
            .iter_mut()
            .find(|own| (own.left, own.right) == (constraint.left, constraint.right));
        let tightness = |c: &Constraint| (c.most, !c.is_strict);
        match same {
            Some(own) if tightness(own) <= tightness(&constraint) => {}
            Some(own) => *own = constraint,
            None => self.0.push(constraint),
        }
        Some(self)
    }

    /// Returns the conjunction of two lists; `None` if two of their constraints contradict each other directly.
    #[must_use]
    pub fn join(&self, other: &List) -> Option<List> {
        let mut others = other.0.iter();
        others.try_fold(self.clone(), |list, constraint| list.and(*constraint))
    }

    /// Whether the list is satisfiable: no cycle of constraints has a negative sum.
    #[must_use]
    pub fn is_satisfiable(&self) -> bool {
        let variables = self
            .0
            .iter()
            .map(|c| c.left.max(c.right) + 1)
            .max()
            .unwrap_or(0);
        // The second component counts strict bounds: each subtracts an infinitesimal.
        let mut least = vec![(0_i64, 0_i64); variables];
        for _ in 0..=variables {
            let mut is_stable = true;
            for c in &self.0 {
                let (whole, part) = least[c.right];
                let over = (whole + c.most, part - i64::from(c.is_strict));
                if over < least[c.left] {
                    least[c.left] = over;
                    is_stable = false;
                }
            }
            if is_stable {
                return true;
            }
        }
        false
    }

    /// Whether a union includes all values that satisfy the list.
    #[must_use]
    pub fn is_within(&self, union: &[List]) -> bool {
        if !self.is_satisfiable() {
            return true;
        }
        let Some((first, rest)) = union.split_first() else {
            return false;
        };
        let mut inside = self.clone();
        for constraint in &first.0 {
            let outside = inside.clone().and(constraint.opposite());
            if !outside.is_none_or(|outside| outside.is_within(rest)) {
                return false;
            }
            match inside.and(*constraint) {
                Some(smaller) => inside = smaller,
                None => return true,
            }
        }
        true
    }

    /// Returns the constraints on the other variables that hold for some value of `variable`.
    #[must_use]
    pub fn without(&self, variable: usize) -> List {
        let mut list = List::default();
        let (about, others): (Vec<Constraint>, Vec<Constraint>) =
            (self.0.iter()).partition(|c| c.left == variable || c.right == variable);
        let above = about.iter().filter(|c| c.right == variable);
        let mut derived = others;
        for first in above {
            for second in about.iter().filter(|c| c.left == variable) {
                derived.push(Constraint {
                    left: first.left,
                    right: second.right,
                    most: first.most + second.most,
                    is_strict: first.is_strict || second.is_strict,
                });
            }
        }
        for constraint in derived {
            match list.clone().and(constraint) {
                Some(longer) => list = longer,
                // The list is unsatisfiable. A contradiction keeps it so.
                None => {
                    let never = |left, right| Constraint {
                        is_strict: true,
                        ..Constraint::at_most(left, right, 0)
                    };
                    return List(vec![never(0, 1), never(1, 0)]);
                }
            }
        }
        list
    }

    /// Returns the list with `name` of each variable in its place.
    #[must_use]
    pub fn renamed(&self, name: impl Fn(usize) -> usize) -> List {
        List(self.0.iter().map(|c| c.renamed(&name)).collect())
    }

    /// Returns the values from which updates (number of the clock, value) lead into the list. `None` if there are none.
    #[must_use]
    pub fn before(&self, updates: &[(usize, i64)]) -> Option<List> {
        let value = |variable: usize| {
            let mut updates = updates.iter();
            updates
                .find(|(clock, _)| clock + 1 == variable)
                .map(|(_, value)| *value)
        };
        let mut list = List::default();
        for c in &self.0 {
            let mut moved = *c;
            if let Some(value) = value(c.left) {
                moved.left = 0;
                moved.most -= value;
            }
            if let Some(value) = value(c.right) {
                moved.right = 0;
                moved.most += value;
            }
            list = list.and(moved)?;
        }
        Some(list)
    }
}

/// Returns the constraints of all values of `clocks` clocks: each is at least 0.
#[must_use]
pub fn all(clocks: usize) -> List {
    List(
        (1..=clocks)
            .map(|clock| Constraint::at_most(0, clock, 0))
            .collect(),
    )
}

/// Returns the constraints of comparisons of clocks. `offset` is added to the numbers of the clocks.
#[must_use]
pub fn of_atoms<'a>(atoms: impl IntoIterator<Item = &'a Atom>, offset: usize) -> List {
    let mut list = Vec::new();
    for atom in atoms {
        let clock = atom.clock + offset + 1;
        let upper = |is_strict| Constraint {
            is_strict,
            ..Constraint::at_most(clock, 0, atom.constant)
        };
        let lower = |is_strict| Constraint {
            is_strict,
            ..Constraint::at_most(0, clock, -atom.constant)
        };
        match atom.relation {
            Relation::Less => list.push(upper(true)),
            Relation::AtMost => list.push(upper(false)),
            Relation::Equal => list.extend([upper(false), lower(false)]),
            Relation::AtLeast => list.push(lower(false)),
            Relation::Greater => list.push(lower(true)),
        }
    }
    List(list)
}

/// Returns the intersection of two unions.
#[must_use]
pub fn both(left: &[List], right: &[List]) -> Union {
    let pairs = left
        .iter()
        .flat_map(|own| right.iter().map(move |other| own.join(other)));
    pairs.flatten().filter(List::is_satisfiable).collect()
}

/// Returns the difference of two unions. Its parts are disjoint if those of the first are.
#[must_use]
pub fn except(left: &[List], right: &[List]) -> Union {
    let mut rest: Union = left.to_vec();
    for taken in right {
        let mut next = Vec::new();
        for own in rest {
            let mut inside = Some(own);
            for constraint in &taken.0 {
                let Some(own) = inside else { break };
                let outside = own.clone().and(constraint.opposite());
                next.extend(outside.filter(List::is_satisfiable));
                inside = own.and(*constraint).filter(List::is_satisfiable);
            }
        }
        rest = next;
    }
    rest
}

/// Whether a union includes another one.
#[must_use]
pub fn is_within(left: &[List], right: &[List]) -> bool {
    left.iter().all(|list| list.is_within(right))
}
