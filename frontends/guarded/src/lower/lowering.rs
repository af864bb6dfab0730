//! The state of lowering a system.

use std::collections::BTreeMap;

use hyperkill_core::sort::Sort;
use hyperkill_core::system::{InputRole, InputVar, Selector, TransitionSystem};
use hyperkill_core::term::{BinaryOp, Term, TermError, TermId};
use hyperkill_frontend::roles::{Undriven, undriven};
use hyperkill_frontend::{Diagnostic, FrontendOptions};
use rustc_hash::FxHashMap;

use super::stacks::Stacks;
use crate::model::Model;
use crate::mutate::{Change, Mutation, Site};
use crate::tree::{ExprId, StmtId};

/// The observations of the tester, besides events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observed {
    /// The variables after each step.
    State,
    /// The tester sees nothing besides events.
    Outputs,
    /// The variables after each step, and the transition that was taken.
    Transition,
}

/// The options with which a system is lowered.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The observations of the tester besides events.
    pub observed: Observed,
    /// Whether disabled events are visibly refused, by original and mutants alike.
    pub complete: bool,
}

/// The reason why a term cannot be built.
#[derive(Debug)]
pub(super) enum Stop {
    /// The operands do not fit.
    Term(TermError),
    /// The model is not supported: a located error.
    Model(Diagnostic),
    /// Only mutants cause it, and it is recorded for them.
    Mutants,
}

impl From<TermError> for Stop {
    fn from(error: TermError) -> Stop {
        Stop::Term(error)
    }
}

/// A change of a mutant at an expression.
#[derive(Clone, Debug)]
pub(super) struct Planted {
    /// The index of the mutation.
    pub(super) mutation: usize,
    pub(super) selector: TermId,
    pub(super) change: Change,
}

pub(super) struct Lowering<'m> {
    pub(super) model: &'m Model<'m>,
    pub(super) reading: Reading,
    pub(super) options: &'m FrontendOptions,
    pub(super) system: TransitionSystem,
    pub(super) notes: Vec<String>,
    /// The mutants of each expression.
    pub(super) planted: FxHashMap<ExprId, Vec<Planted>>,
    /// Selectors of mutants that lack an assignment.
    pub(super) skipped: FxHashMap<StmtId, Vec<TermId>>,
    /// Selectors of mutants that disable a transition.
    pub(super) missing: FxHashMap<StmtId, Vec<TermId>>,
    /// Selectors of mutants with another target or output, each with the index of that one.
    pub(super) redirected: FxHashMap<StmtId, Vec<(TermId, usize)>>,
    /// Selectors of mutants that lack a branch of a choice.
    pub(super) dropped: FxHashMap<(StmtId, usize), Vec<TermId>>,
    /// The values of the variables before the step, and of ports that nothing sets.
    pub(super) variables: Vec<TermId>,
    pub(super) stacks: Stacks,
    /// Codes of symbols by name, for each cell that has symbols.
    pub(super) codes: FxHashMap<usize, FxHashMap<String, u64>>,
    /// Inputs that choose branches, in the order of choices in an action.
    pub(super) slots: Vec<TermId>,
    /// Mutations without a term, with the reason.
    pub(super) failures: Vec<(usize, String)>,
    /// Whether actions are left out because only inputs and outputs are needed.
    pub(super) are_ports_enough: bool,
}

/// The values of names at a place of an action.
#[derive(Clone, Default, Debug)]
pub(super) struct Scope {
    /// The values of the parameters.
    pub(super) parameters: Vec<TermId>,
    /// The values of the variables that have been assigned.
    pub(super) assigned: BTreeMap<usize, TermId>,
}

impl<'m> Lowering<'m> {
    pub(super) fn new(
        model: &'m Model<'m>,
        reading: Reading,
        mutations: &[Mutation],
        options: &'m FrontendOptions,
    ) -> Lowering<'m> {
        let mut lowering = Lowering {
            model,
            reading,
            options,
            system: TransitionSystem::default(),
            notes: Vec::new(),
            planted: FxHashMap::default(),
            skipped: FxHashMap::default(),
            missing: FxHashMap::default(),
            redirected: FxHashMap::default(),
            dropped: FxHashMap::default(),
            variables: Vec::new(),
            stacks: Stacks::default(),
            codes: FxHashMap::default(),
            slots: Vec::new(),
            failures: Vec::new(),
            are_ports_enough: false,
        };
        for (mutation, found) in mutations.iter().enumerate() {
            if found.meaning.rejected.is_some() {
                continue;
            }
            let system = &mut lowering.system;
            let selector = system.terms.selector(system.selectors.len());
            system.selectors.push(Selector {
                id: found.mutant.id.clone(),
            });
            let change = found.meaning.change;
            match (found.meaning.site, change) {
                (Site::Expr(id), _) => {
                    let all = lowering.planted.entry(id).or_default();
                    all.push(Planted {
                        mutation,
                        selector,
                        change,
                    });
                }
                (Site::Stmt(id), Change::Drop(branch)) => {
                    let all = lowering.dropped.entry((id, branch)).or_default();
                    all.push(selector);
                }
                (Site::Stmt(id), Change::Never) => {
                    lowering.missing.entry(id).or_default().push(selector);
                }
                (Site::Stmt(id), Change::Target(other) | Change::Output(other)) => {
                    let all = lowering.redirected.entry(id).or_default();
                    all.push((selector, other));
                }
                (Site::Stmt(id), _) => lowering.skipped.entry(id).or_default().push(selector),
            }
        }
        lowering
    }

    pub(super) fn all(&mut self) -> Result<(), Stop> {
        self.declare_variables()?;
        match self.model.system.inputs {
            None => self.refinement(),
            Some(_) => self.exchange(),
        }
    }

    /// Adds an input with the role that the options give it, else `role`. For a sort with one value it adds none and returns the value.
    pub(super) fn input(&mut self, name: String, sort: Sort, role: InputRole) -> TermId {
        let terms = &mut self.system.terms;
        if sort.cardinality() == 1 {
            return terms.constant(sort, 0);
        }
        let decided = undriven(
            &Undriven {
                name: &name,
                marked: None,
                otherwise: role,
                why: None,
                inputs_are_all: false,
            },
            self.options,
        );
        self.notes.extend(decided.note);
        let term = terms.input(self.system.inputs.len(), sort.clone());
        self.system.inputs.push(InputVar {
            name,
            sort,
            role: decided.role,
        });
        term
    }

    pub(super) fn and(&mut self, a: TermId, b: TermId) -> Result<TermId, Stop> {
        Ok(self.system.terms.binary(BinaryOp::And, a, b)?)
    }

    pub(super) fn or(&mut self, a: TermId, b: TermId) -> Result<TermId, Stop> {
        Ok(self.system.terms.binary(BinaryOp::Or, a, b)?)
    }

    pub(super) fn not(&mut self, a: TermId) -> Result<TermId, Stop> {
        Ok(self.system.terms.not(a)?)
    }

    pub(super) fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> Result<TermId, Stop> {
        Ok(self.system.terms.ite(c, a, b)?)
    }

    pub(super) fn equal(&mut self, a: TermId, b: TermId) -> Result<TermId, Stop> {
        Ok(self.system.terms.binary(BinaryOp::Eq, a, b)?)
    }

    /// Returns the disjunction as a balanced tree, since there may be very many terms.
    pub(super) fn any(&mut self, mut terms: Vec<TermId>) -> Result<TermId, Stop> {
        while terms.len() > 1 {
            let mut halved = Vec::with_capacity(terms.len().div_ceil(2));
            for pair in terms.chunks(2) {
                halved.push(match *pair {
                    [a, b] => self.or(a, b)?,
                    _ => pair[0],
                });
            }
            terms = halved;
        }
        match terms.pop() {
            Some(term) => Ok(term),
            None => Ok(self.system.terms.bool(false)),
        }
    }

    /// Returns the value of the case whose condition holds; `None` without cases. At most one condition holds; if none does, the value is
    /// arbitrary. Cases with the same value are merged first, and constants are sorted. A condition costs less than a choice for each bit
    /// of the value, and adjacent constants differ in few bits.
    pub(super) fn one_of(&mut self, cases: Vec<(TermId, TermId)>) -> Result<Option<TermId>, Stop> {
        let mut places: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut of_value: Vec<(Vec<TermId>, TermId)> = Vec::new();
        for (condition, value) in cases {
            let place = *places.entry(value).or_insert(of_value.len());
            match of_value.get_mut(place) {
                Some((conditions, _)) => conditions.push(condition),
                None => of_value.push((vec![condition], value)),
            }
        }
        let mut cases = Vec::with_capacity(of_value.len());
        for (conditions, value) in of_value {
            cases.push((self.any(conditions)?, value));
        }
        cases.sort_by_key(|(_, value)| match self.system.terms.term(*value) {
            Term::Constant(code) => (0, *code),
            _ => (1, 0),
        });
        while cases.len() > 1 {
            let mut halved = Vec::with_capacity(cases.len().div_ceil(2));
            for pair in cases.chunks(2) {
                halved.push(match *pair {
                    [(c, a), (d, b)] => (self.or(c, d)?, self.ite(c, a, b)?),
                    _ => pair[0],
                });
            }
            cases = halved;
        }
        Ok(cases.pop().map(|(_, value)| value))
    }
}
