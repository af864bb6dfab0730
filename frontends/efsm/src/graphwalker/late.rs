//! Variables without a value at first: each of them has one wherever it is read, since every way there assigns it.

use std::collections::BTreeSet;

use hyperkill_frontend::Span;
use hyperkill_guarded::tree::{ExprId, ExprKind, Exprs, Name};

use super::script::Assignment;

/// A step from one location to another, with all that it assigns.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) guard: Option<ExprId>,
    pub(super) updates: Vec<Assignment>,
}

/// What is asked.
#[derive(Debug)]
pub(super) struct Ways<'w> {
    pub(super) exprs: &'w Exprs,
    /// The variables without a value at first.
    pub(super) late: &'w BTreeSet<String>,
    pub(super) ways: &'w [Way],
    pub(super) locations: usize,
    pub(super) first: usize,
}

type Assigned = BTreeSet<String>;

impl Ways<'_> {
    /// A place where a variable is read that some way there does not assign, if there is one. The assignment at `without` is left out.
    pub(super) fn unassigned(&self, without: Option<Span>) -> Option<Name> {
        let mut states: Vec<Option<Assigned>> = vec![None; self.locations];
        states[self.first] = Some(Assigned::new());
        loop {
            let mut changed = false;
            for way in self.ways {
                let Some(mut end) = states[way.from].clone() else {
                    continue;
                };
                let made = way.updates.iter().filter(|a| Some(a.span) != without);
                let names = made.map(|assignment| &assignment.target.text);
                end.extend(names.filter(|name| self.late.contains(*name)).cloned());
                let known = &mut states[way.to];
                let joined = match known {
                    Some(known) => known.intersection(&end).cloned().collect(),
                    None => end,
                };
                if known.as_ref() != Some(&joined) {
                    *known = Some(joined);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        self.ways.iter().find_map(|way| {
            let mut assigned = states[way.from].clone()?;
            let read = way.guard.and_then(|guard| self.read(guard, &assigned));
            if read.is_some() {
                return read;
            }
            for update in way.updates.iter().filter(|a| Some(a.span) != without) {
                let read = self.read(update.value, &assigned);
                if read.is_some() {
                    return read;
                }
                assigned.insert(update.target.text.clone());
            }
            None
        })
    }

    /// A variable of an expression that is not assigned.
    fn read(&self, id: ExprId, assigned: &Assigned) -> Option<Name> {
        self.exprs
            .parts(id)
            .find_map(|part| match &self.exprs[part].kind {
                ExprKind::Name(name) if self.late.contains(name) && !assigned.contains(name) => {
                    Some(Name {
                        text: name.clone(),
                        span: self.exprs[part].span,
                    })
                }
                _ => None,
            })
    }

    /// The assignments without which some variable would be read that has no value.
    pub(super) fn needed(&self) -> Vec<Span> {
        let updates = self.ways.iter().flat_map(|way| &way.updates);
        let late = updates.filter(|update| self.late.contains(&update.target.text));
        let mut spans: Vec<Span> = late.map(|update| update.span).collect();
        spans.sort_unstable();
        spans.dedup();
        spans.retain(|span| self.unassigned(Some(*span)).is_some());
        spans
    }
}
