//! The plan of mutants: their changes of the tree, by the nodes that they replace.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Mutation;
use super::rule::{Change, Site};
use crate::ast::{Expr, ExprId, ExprKind, Source, Stmt, StmtId, StmtKind};
use crate::state::{Alternative, Choice, Plan};

/// The number of a mutation, with one of its changes.
type Part<'a> = (usize, &'a Change);

/// Adds the mutated expressions and statements to the source. Returns them by the places that they replace. Each mutation is a mutant.
#[must_use]
pub fn plan(source: &mut Source, mutations: &[Mutation]) -> Plan {
    let alone: Vec<Vec<usize>> = (0..mutations.len()).map(|one| vec![one]).collect();
    planned(source, mutations, &alone, 0)
}

/// Does the same as [`plan`] for mutants that make several changes each. A mutant is a list of mutations by their numbers.
#[must_use]
pub fn plan_of_combinations(
    source: &mut Source,
    mutations: &[Mutation],
    mutants: &[Vec<usize>],
) -> Plan {
    planned(source, mutations, mutants, mutants.len())
}

fn planned(
    source: &mut Source,
    mutations: &[Mutation],
    mutants: &[Vec<usize>],
    combined: usize,
) -> Plan {
    let mut making = vec![Vec::new(); mutations.len()];
    for (mutant, parts) in mutants.iter().enumerate() {
        for part in parts {
            making[*part].push(mutant);
        }
    }
    let mut planner = Planner {
        making: making.into_iter().map(Rc::from).collect(),
        plan: Plan {
            first_own: u32::try_from(source.exprs.len()).ok(),
            combined,
            ..Plan::default()
        },
        source,
    };
    let (mut exprs, mut stmts) = (BTreeMap::new(), BTreeMap::new());
    let made = mutations.iter().enumerate();
    let made = made.filter(|(part, _)| !planner.making[*part].is_empty());
    for (part, mutation) in made {
        for (site, change) in &mutation.meaning.0 {
            let of_stmts = match (site, change) {
                (Site::Expr(site), _) => {
                    let here: &mut Vec<Part<'_>> = exprs.entry(*site).or_default();
                    here.push((part, change));
                    continue;
                }
                (Site::Stmt(_), Change::Swap(a, b)) => vec![*a, *b],
                (Site::Stmt(site), _) => vec![*site],
            };
            for site in of_stmts {
                let here: &mut Vec<Part<'_>> = stmts.entry(site).or_default();
                here.push((part, change));
            }
        }
    }
    planner.reject_empty_cases(&stmts);
    for (site, parts) in &exprs {
        planner.at_expr(*site, parts);
    }
    for (site, parts) in &stmts {
        planner.at_stmt(*site, parts, &stmts);
    }
    planner.plan
}

struct Planner<'a> {
    source: &'a mut Source,
    /// The mutants that make each mutation, ascending.
    making: Vec<Rc<[usize]>>,
    plan: Plan,
}

impl Planner<'_> {
    fn at_expr(&mut self, site: ExprId, parts: &[Part<'_>]) {
        for mutant in self.in_several(parts).into_keys() {
            self.reject(mutant);
        }
        for &(part, change) in parts {
            if let Some(with) = changed(self.source, site, change) {
                let mutants = Rc::clone(&self.making[part]);
                let choices = self.plan.exprs.entry(site).or_default();
                choices.push(Choice {
                    part,
                    mutants,
                    with,
                });
            }
        }
    }

    /// Adds the changes of a statement; `all` has the changes of all statements.
    fn at_stmt(&mut self, site: StmtId, parts: &[Part<'_>], all: &BTreeMap<StmtId, Vec<Part<'_>>>) {
        let several = self.in_several(parts);
        for (mutant, places) in &several {
            let changes: Vec<Part<'_>> = places.iter().map(|at| parts[*at]).collect();
            match self.without_all(site, &changes) {
                Some(with) => self.add(site, changes[0].0, vec![*mutant], with),
                None => self.reject(*mutant),
            }
        }
        for &(part, change) in parts {
            let with = self.alternative(site, change);
            let mutants = self.making[part].iter().copied();
            let mutants: Vec<usize> = mutants.filter(|one| !several.contains_key(one)).collect();
            let lacking = match change {
                Change::Default { case, .. } => self.changing(all.get(case)),
                _ => BTreeSet::new(),
            };
            // Where the mutant leaves the default out, too, no branch is taken.
            let (none, some) = mutants.iter().partition(|one| lacking.contains(one));
            self.add(site, part, none, Alternative::Delete);
            self.add(site, part, some, with);
        }
    }

    /// Returns the mutants that change the branches of a `case` with these changes.
    fn changing(&self, of_case: Option<&Vec<Part<'_>>>) -> BTreeSet<usize> {
        let parts = of_case.into_iter().flatten();
        let parts = parts.filter(|(_, change)| matches!(change, Change::Stmt(_)));
        let mutants = parts.flat_map(|(part, _)| self.making[*part].iter());
        mutants.copied().collect()
    }

    fn add(&mut self, site: StmtId, part: usize, mutants: Vec<usize>, with: Alternative) {
        if !mutants.is_empty() {
            let choices = self.plan.stmts.entry(site).or_default();
            choices.push(Choice {
                part,
                mutants: Rc::from(mutants),
                with,
            });
        }
    }

    fn reject(&mut self, mutant: usize) {
        let why = "two changes of one node of the syntax tree are not supported in one mutant";
        self.plan.rejected.insert(mutant, why.to_owned());
    }

    /// Rejects mutants that leave out all branches of a `case`.
    fn reject_empty_cases(&mut self, all: &BTreeMap<StmtId, Vec<Part<'_>>>) {
        if self.plan.combined == 0 {
            return;
        }
        let mut leaving: BTreeMap<StmtId, BTreeSet<usize>> = BTreeMap::new();
        for (site, parts) in all {
            for (part, change) in parts {
                let case = match change {
                    Change::Default { case, .. } => *case,
                    Change::Stmt(StmtKind::Case { .. }) => *site,
                    _ => continue,
                };
                leaving.entry(case).or_default().insert(*part);
            }
        }
        for (case, parts) in leaving {
            let StmtKind::Case { items, .. } = &self.source.stmt(case).kind else {
                continue;
            };
            let branches = items.len();
            let mut left_out: BTreeMap<usize, usize> = BTreeMap::new();
            for mutant in parts.iter().flat_map(|part| self.making[*part].iter()) {
                *left_out.entry(*mutant).or_default() += 1;
            }
            for (mutant, _) in left_out.iter().filter(|(_, count)| **count >= branches) {
                let why = "a `case` without branches is no statement";
                self.plan.rejected.insert(*mutant, why.to_owned());
            }
        }
    }

    /// Returns the mutants that make several of these changes, with the indices of the changes.
    fn in_several(&self, parts: &[Part<'_>]) -> BTreeMap<usize, Vec<usize>> {
        let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        if self.plan.combined == 0 || parts.len() < 2 {
            return found;
        }
        for (at, (part, _)) in parts.iter().enumerate() {
            for mutant in &*self.making[*part] {
                found.entry(*mutant).or_default().push(at);
            }
        }
        found.retain(|_, at| at.len() > 1);
        found
    }

    fn alternative(&mut self, site: StmtId, change: &Change) -> Alternative {
        match change {
            Change::Stmt(kind) => self.replaced(site, kind.clone()),
            Change::Swap(a, b) => Alternative::Replace(if site == *a { *b } else { *a }),
            Change::Default {
                body: Some(body), ..
            } => Alternative::Replace(*body),
            _ => Alternative::Delete,
        }
    }

    fn replaced(&mut self, site: StmtId, kind: StmtKind) -> Alternative {
        let Stmt { extent, .. } = *self.source.stmt(site);
        Alternative::Replace(self.source.add_stmt(Stmt { kind, extent }))
    }

    /// Returns a `case` without each branch that one of these changes leaves out. `None` if a change does something else.
    fn without_all(&mut self, site: StmtId, changes: &[Part<'_>]) -> Option<Alternative> {
        let mut rest: Option<StmtKind> = None;
        for (_, change) in changes {
            let Change::Stmt(kind @ StmtKind::Case { items, .. }) = change else {
                return None;
            };
            match &mut rest {
                Some(StmtKind::Case { items: left, .. }) => {
                    left.retain(|item| items.iter().any(|other| other.body == item.body));
                }
                _ => rest = Some(kind.clone()),
            }
        }
        rest.map(|kind| self.replaced(site, kind))
    }
}

fn changed(source: &mut Source, site: ExprId, change: &Change) -> Option<ExprId> {
    let Expr {
        extent, operator, ..
    } = *source.expr(site);
    let mut add = |kind: ExprKind| {
        source.add_expr(Expr {
            kind,
            extent,
            operator,
        })
    };
    match change {
        Change::Operand(operand) => Some(*operand),
        Change::Expr(kind) => Some(add(kind.clone())),
        Change::Negated(op, operand) => Some(add(ExprKind::Unary(*op, *operand))),
        Change::Beside(index, op) => {
            let one = add(ExprKind::Number(crate::number::Literal::integer(1)));
            let beside = add(ExprKind::Binary(*op, *index, one));
            match source.expr(site).kind.clone() {
                ExprKind::Index(base, _) => {
                    let kind = ExprKind::Index(base, beside);
                    Some(source.add_expr(Expr {
                        kind,
                        extent,
                        operator,
                    }))
                }
                _ => None,
            }
        }
        Change::Delete | Change::Default { .. } | Change::Stmt(_) | Change::Swap(..) => None,
    }
}
