//! Variables without an initial value: every path to a place that reads them must assign them.

use std::collections::BTreeSet;

use hyperkill_frontend::Span;
use hyperkill_guarded::tree::{ExprId, ExprKind, Exprs, Name};
use rustc_hash::{FxHashMap, FxHashSet};

use super::script::Assignment;

/// A step from one location to another: its guard, then its assignments.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) guard: Option<ExprId>,
    pub(super) updates: Vec<Assignment>,
}

/// The steps of the models and the variables without an initial value; the methods find reads of such variables.
#[derive(Debug)]
pub(super) struct Ways<'w> {
    pub(super) exprs: &'w Exprs,
    /// The variables without a value at first.
    pub(super) late: &'w BTreeSet<String>,
    pub(super) ways: &'w [Way],
    pub(super) locations: usize,
    pub(super) first: usize,
}

impl Ways<'_> {
    /// Returns the assignments without which some variable without a value would be read.
    ///
    /// # Errors
    /// The first place that reads a variable which some path there does not assign.
    pub(super) fn needed(&self) -> Result<Vec<Span>, Name> {
        if self.late.is_empty() {
            return Ok(Vec::new());
        }
        let numbers: FxHashMap<&str, usize> =
            (self.late.iter().map(String::as_str)).zip(0..).collect();
        let ways: Vec<Vec<Event>> = (self.ways.iter())
            .map(|way| self.events(way, &numbers))
            .collect();
        let open = self.open(&ways);
        for (way, events) in self.ways.iter().zip(&ways) {
            if let Some(part) = read_open(&open[way.from], events) {
                let expr = &self.exprs[part];
                let ExprKind::Name(text) = &expr.kind else {
                    continue;
                };
                return Err(Name {
                    text: text.clone(),
                    span: self.written(way, part),
                });
            }
        }
        let read = self.read(&ways);
        let mut needed = Vec::new();
        for (way, events) in self.ways.iter().zip(&ways) {
            let mut assigned: FxHashSet<usize> = FxHashSet::default();
            for (at, event) in events.iter().enumerate() {
                let Event::Assigned(variable, span) = *event else {
                    continue;
                };
                let is_first = open[way.from].contains(&variable) && assigned.insert(variable);
                if is_first && is_read(variable, &events[at + 1..], &read[way.to]) {
                    needed.push(span);
                }
            }
        }
        needed.sort_unstable();
        needed.dedup();
        Ok(needed)
    }

    /// Returns the place of an expression that a step reads. In `x++` and `x += 1` the read variable has no text of its own, and the place
    /// of the target is returned.
    fn written(&self, way: &Way, part: ExprId) -> Span {
        let span = self.exprs[part].span;
        if span.start < span.end {
            return span;
        }
        let mut updates = way.updates.iter();
        let update = updates.find(|update| self.exprs.parts(update.value).any(|own| own == part));
        update.map_or(span, |update| update.target.span)
    }

    /// Returns the reads and assignments of late variables (those without an initial value) in a step, in order. `numbers` has their
    /// indices.
    fn events(&self, way: &Way, numbers: &FxHashMap<&str, usize>) -> Vec<Event> {
        let number = |name: &str| numbers.get(name).copied();
        let reads = |id: ExprId| {
            let parts = self.exprs.parts(id);
            parts.filter_map(|part| match &self.exprs[part].kind {
                ExprKind::Name(name) => Some(Event::Read(number(name)?, part)),
                _ => None,
            })
        };
        let mut events: Vec<Event> = way.guard.into_iter().flat_map(reads).collect();
        for update in &way.updates {
            events.extend(reads(update.value));
            let assigned = number(&update.target.text);
            events.extend(assigned.map(|variable| Event::Assigned(variable, update.span)));
        }
        events
    }

    /// Returns for each location the late variables that some path from the start to it does not assign. `ways` has the accesses of each
    /// step.
    fn open(&self, ways: &[Vec<Event>]) -> Vec<FxHashSet<usize>> {
        let assigned = |events: &Vec<Event>| -> FxHashSet<usize> {
            let assigned = events.iter().filter_map(|event| match event {
                Event::Assigned(variable, _) => Some(*variable),
                Event::Read(..) => None,
            });
            assigned.collect()
        };
        let edges = self.ways.iter().zip(ways);
        let edges = edges.map(|(way, events)| (way.from, way.to, assigned(events)));
        let start = (0..self.late.len()).map(|variable| (self.first, variable));
        spread(self.locations, &edges.collect::<Vec<_>>(), start)
    }

    /// Returns for each location the late variables that some path from it reads before it assigns them. `ways` has the accesses of each
    /// step.
    fn read(&self, ways: &[Vec<Event>]) -> Vec<FxHashSet<usize>> {
        let (mut edges, mut start) = (Vec::with_capacity(ways.len()), Vec::new());
        for (way, events) in self.ways.iter().zip(ways) {
            let mut assigned = FxHashSet::default();
            for event in events {
                match event {
                    Event::Read(variable, _) if !assigned.contains(variable) => {
                        start.push((way.from, *variable));
                    }
                    Event::Read(..) => {}
                    Event::Assigned(variable, _) => drop(assigned.insert(*variable)),
                }
            }
            edges.push((way.to, way.from, assigned));
        }
        spread(self.locations, &edges, start)
    }
}

/// An access of a step to a late variable.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// This expression reads the variable with this index.
    Read(usize, ExprId),
    /// The variable with this index is assigned at this place.
    Assigned(usize, Span),
}

/// Returns the first expression of a step that reads one of the variables `open` before the step assigns it; `None` if there is none.
/// `events` are the reads and assignments of the step in order.
fn read_open(open: &FxHashSet<usize>, events: &[Event]) -> Option<ExprId> {
    let mut assigned: FxHashSet<usize> = FxHashSet::default();
    events.iter().find_map(|event| match event {
        Event::Read(variable, part) => {
            (open.contains(variable) && !assigned.contains(variable)).then_some(*part)
        }
        Event::Assigned(variable, _) => {
            assigned.insert(*variable);
            None
        }
    })
}

/// Whether a variable's value is read after a place of a step: by `rest`, the rest of the step, before it is assigned again. Without
/// either, whether `behind`, the variables read after the step, contains it.
fn is_read(variable: usize, rest: &[Event], behind: &FxHashSet<usize>) -> bool {
    let first = rest.iter().find_map(|event| match event {
        Event::Read(own, _) => (*own == variable).then_some(true),
        Event::Assigned(own, _) => (*own == variable).then_some(false),
    });
    first.unwrap_or_else(|| behind.contains(&variable))
}

/// Propagates facts from locations in `start` along `edges`, each from one location to another. An edge blocks the facts in its set.
/// Returns the facts of each location.
fn spread(
    locations: usize,
    edges: &[(usize, usize, FxHashSet<usize>)],
    start: impl IntoIterator<Item = (usize, usize)>,
) -> Vec<FxHashSet<usize>> {
    let mut from: Vec<Vec<usize>> = vec![Vec::new(); locations];
    for (index, (before, ..)) in edges.iter().enumerate() {
        from[*before].push(index);
    }
    let mut facts: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); locations];
    let mut due = Vec::new();
    for (location, fact) in start {
        if facts[location].insert(fact) {
            due.push((location, fact));
        }
    }
    while let Some((location, fact)) = due.pop() {
        for index in &from[location] {
            let (_, to, stopped) = &edges[*index];
            if !stopped.contains(&fact) && facts[*to].insert(fact) {
                due.push((*to, fact));
            }
        }
    }
    facts
}
