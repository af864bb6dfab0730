//! Priorities: an edge can be taken only where none of a higher priority can.

use std::collections::BTreeMap;

use hyperkill_core::timed::{Atom, Automaton, Edge};
use hyperkill_frontend::{Diagnostic, Span};

use crate::fault::{Fault, planted};
use crate::rules::{is_possible, opposites};
use crate::syntax::{Declaration, Model, Name};

/// The priority of a step: first the priority of its channel, then the priority of its processes.
pub(crate) type Priority = (usize, usize);

/// The number of alternatives of one guard, at most.
const MAX_ALTERNATIVES: usize = 4096;

/// The priorities of channels.
#[derive(Clone, Default, Debug)]
pub(crate) struct Levels {
    /// The priority of each channel, or of each array for all of its elements.
    of: BTreeMap<String, usize>,
    /// The priority of all other channels, and of steps without a channel.
    otherwise: usize,
}

impl Levels {
    pub(crate) fn set(&mut self, channel: String, level: usize) {
        self.of.insert(channel, level);
    }

    pub(crate) fn set_otherwise(&mut self, level: usize) {
        self.otherwise = level;
    }

    /// Returns the priority of a channel; for `None`, and for channels without one, that of `default`.
    pub(crate) fn of(&self, channel: Option<&str>) -> usize {
        let Some(mut channel) = channel else {
            return self.otherwise;
        };
        loop {
            if let Some(level) = self.of.get(channel) {
                return *level;
            }
            match channel.rfind('[') {
                Some(at) => channel = &channel[..at],
                None => return self.otherwise,
            }
        }
    }
}

/// Whether a model gives priorities to channels or processes.
pub(crate) fn has_some(model: &Model) -> bool {
    let declared = model.declarations.iter().chain(&model.system.declarations);
    let mut declared = declared.filter(|one| matches!(one, Declaration::Priorities(..)));
    declared.next().is_some() || model.system.levels.iter().any(|level| *level > 0)
}

/// Returns the priority of a process by its name in the system line, 0 if it has none.
pub(crate) fn of_process(model: &Model, of: &Name) -> usize {
    let processes = model.system.processes.iter();
    let mut processes = processes.zip(&model.system.levels);
    let found = processes.find(|(name, _)| name.text == of.text);
    found.map_or(0, |(_, level)| *level)
}

/// Strengthens the guard of each edge by the negated guards of edges with a higher priority. `priorities` has one entry for each edge;
/// `counts` selects the edges that have priority over others.
///
/// # Errors
/// If a guard has too many alternatives then; `at` is the place of the message.
pub(crate) fn apply(
    automaton: &mut Automaton,
    priorities: &[Priority],
    counts: impl Fn(&Edge) -> bool,
    at: Span,
) -> Result<(), Diagnostic> {
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); automaton.locations.len()];
    for (number, edge) in automaton.edges.iter().enumerate() {
        leaving[edge.source].push(number);
    }
    let mut edges = Vec::new();
    for (number, edge) in automaton.edges.iter().enumerate() {
        let rivals = leaving[edge.source].iter();
        let rivals = rivals.filter(|rival| match planted(Fault::PrioritiesReversed) {
            true => priorities[**rival] < priorities[number],
            false => priorities[**rival] > priorities[number],
        });
        let rivals = rivals.filter(|_| !planted(Fault::PrioritiesIgnored));
        let mut guards = vec![edge.guard.clone()];
        for rival in rivals.map(|rival| &automaton.edges[*rival]) {
            let Some(demanded) = automaton
                .demanded_by_target(rival)
                .filter(|_| counts(rival))
            else {
                continue;
            };
            let demanded = demanded
                .into_iter()
                .filter(|_| !planted(Fault::TargetsIgnored));
            let enabled: Vec<Atom> = rival.guard.iter().copied().chain(demanded).collect();
            guards = without(guards, &enabled);
            if guards.len() > MAX_ALTERNATIVES {
                let message = "priorities make too many alternatives of a guard";
                return Err(Diagnostic::error(at, message));
            }
        }
        edges.extend(guards.into_iter().map(|guard| Edge {
            guard,
            ..edge.clone()
        }));
    }
    automaton.edges = edges;
    Ok(())
}

/// Returns conjunctions for the clock values in which one of `guards` holds and `enabled` fails. They exclude each other if `guards` do.
fn without(guards: Vec<Vec<Atom>>, enabled: &[Atom]) -> Vec<Vec<Atom>> {
    let mut rest = Vec::new();
    for mut held in guards {
        for atom in enabled {
            for opposite in opposites(atom) {
                let mut left = held.clone();
                left.push(opposite);
                if is_possible(&left) {
                    rest.push(left);
                }
            }
            held.push(*atom);
        }
    }
    rest
}
