//! One location of a side as the product sees it, and what may happen where a mutant and a model are in such locations.
//!
//! Zones are about the clocks of both, those of the mutant first.

use std::collections::BTreeSet;
use std::rc::Rc;

use hyperkill_core::timed::{Action, Automaton, Edge, Rules};

use crate::dbm::Zone;
use crate::fault::{Fault, planted};
use crate::federation::Federation;
use crate::game::{enabled_into, invariants, until};
use crate::side::Side;

/// A joint step: the edges that mutant and model take, by their indices among the edges of their locations; `None` for a side that stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub(crate) mutant: Option<usize>,
    pub(crate) model: Option<usize>,
}

/// The failure of a mutant at the end of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The mutant refuses an input that the model accepts.
    Refused(String),
    /// The mutant accepts an input that the model does not know.
    Accepted(String),
    /// The mutant makes an output that the model cannot make.
    Output(String),
    /// The mutant makes no output up to this time, and the model cannot wait so long.
    Silence,
}

/// An edge that leaves a location, with the states from which it leads to allowed states.
#[derive(Clone, Debug)]
pub(crate) struct Arrow {
    pub(crate) edge: Edge,
    pub(crate) enabled: Federation,
}

/// A location of a side, with its edges and the states that are allowed there.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) offset: usize,
    pub(crate) allowed: Federation,
    pub(crate) forbidden: Federation,
    pub(crate) arrows: Vec<Arrow>,
    /// All actions that the side knows, in any location.
    pub(crate) known: Rc<Vec<Action>>,
    /// The values of clocks with which the tester waits here; `None` if it always waits.
    pub(crate) until: Option<Federation>,
    /// The inputs that are never refused, in any location.
    pub(crate) unrefused: Rc<BTreeSet<String>>,
}

/// Returns all actions that an automaton knows.
pub(crate) fn alphabet(automaton: &Automaton) -> Vec<Action> {
    let edges = automaton.edges.iter().map(|edge| &edge.action);
    let mut all: Vec<Action> = edges.chain(&automaton.declared).cloned().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the locations of a side. `offset` is the number of the first of its `clocks` clocks.
pub(crate) fn views(side: &Side, clocks: usize, offset: usize) -> Vec<View> {
    let unpruned = match offset {
        0 => Fault::MutantNotPruned,
        _ => Fault::ModelNotPruned,
    };
    let known = Rc::new(alphabet(&side.automaton));
    let tester = &side.automaton.tester;
    let unrefused = Rc::new(tester.unrefused.clone());
    let own = side.automaton.clocks.len();
    let free = planted(unpruned).then(|| invariants(&side.automaton));
    let allowed = free.as_ref().unwrap_or(&side.allowed);
    let locations = 0..side.automaton.locations.len();
    let views = locations.map(|location| {
        let arrows = side.automaton.leaving(location).map(|(number, edge)| {
            let enabled = match &free {
                Some(free) => &enabled_into(edge, &free[edge.target]),
                None => &side.enabled[number],
            };
            Arrow {
                edge: edge.clone(),
                enabled: enabled.among(clocks, offset),
            }
        });
        View {
            offset,
            arrows: arrows.collect(),
            allowed: allowed[location].among(clocks, offset),
            forbidden: allowed[location].complement().among(clocks, offset),
            known: Rc::clone(&known),
            until: until(own, tester.waits_in(location)).map(|set| set.among(clocks, offset)),
            unrefused: Rc::clone(&unrefused),
        }
    });
    views.collect()
}

impl View {
    /// Returns the states that delays lead to, within the allowed states of the side.
    pub(crate) fn later(&self, entry: &Zone) -> Federation {
        let start = Federation::of(entry.clocks(), [entry.clone()]);
        match self.allowed.zones() {
            // A convex set is not left and entered again.
            [zone] => start
                .and_zone(zone)
                .map(|zone| Some(zone.clone().up()))
                .and_zone(zone),
            _ => start.post_t(&self.forbidden),
        }
    }

    /// Returns the indices of the edges of this location that have the action `action`.
    fn alike(&self, action: &Action) -> Vec<usize> {
        let arrows = self.arrows.iter().enumerate();
        let alike = arrows.filter(|(_, arrow)| arrow.edge.action == *action);
        alike.map(|(number, _)| number).collect()
    }

    /// Returns the states in which an action is enabled.
    pub(crate) fn able(&self, action: &Action, clocks: usize) -> Federation {
        let alike = self.alike(action).into_iter();
        let sets = alike.map(|arrow| self.arrows[arrow].enabled.clone());
        sets.fold(Federation::empty(clocks), Federation::or)
    }

    /// Returns the zone after the edge with the index `arrow` is taken; the same zone for `None`.
    pub(crate) fn entered(&self, zone: Zone, arrow: Option<usize>) -> Zone {
        match arrow {
            Some(arrow) if !planted(Fault::UpdatesIgnored) => {
                zone.after(&self.arrows[arrow].edge.updates, self.offset)
            }
            _ => zone,
        }
    }

    /// Returns the states from which the edge with the index `arrow` leads into a zone; the zone itself for `None`.
    pub(crate) fn before(&self, zone: Zone, arrow: Option<usize>) -> Federation {
        let clocks = zone.clocks();
        let Some(arrow) = arrow else {
            return Federation::of(clocks, [zone]);
        };
        let arrow = &self.arrows[arrow];
        let before = zone.before(&arrow.edge.updates, self.offset);
        Federation::of(clocks, before).and(&arrow.enabled)
    }

    /// Returns the location to which the edge with the index `arrow` leads; `None` if the side stays.
    pub(crate) fn target(&self, arrow: Option<usize>) -> Option<usize> {
        arrow.map(|arrow| self.arrows[arrow].edge.target)
    }
}

/// A location of the mutant and a location of the model, which are reached together.
#[derive(Clone, Copy)]
pub(crate) struct Meeting<'a> {
    pub(crate) own: &'a View,
    pub(crate) model: &'a View,
    pub(crate) rules: Rules,
}

/// The result of a visit to a zone of states in a pair of locations.
pub(crate) enum Visit {
    /// The mutant fails.
    Ends(Ending),
    /// The mutant does not fail here: the states that delays lead to, and the steps from them, each with the zone behind it.
    Goes(Federation, Vec<(Move, Zone)>),
}

impl Meeting<'_> {
    /// Returns the states that delays lead to, within the allowed states of the mutant and as long as the tester waits with the model.
    pub(crate) fn later(&self, entry: &Zone) -> Federation {
        let later = self.own.later(entry);
        match &self.model.until {
            Some(until) if !planted(Fault::TesterStopsIgnored) => later.and(until),
            _ => later,
        }
    }

    /// Returns the failure of the mutant from a zone on, or the states that delays lead to and all steps from there.
    pub(crate) fn visit(&self, entry: &Zone) -> Visit {
        let here = self.later(entry);
        let late = here.minus(&self.model.allowed);
        if !late.is_empty() && !planted(Fault::ModelDelayUnchecked) {
            return Visit::Ends(Ending::Silence);
        }
        let mut next = Vec::new();
        let is_input = |view: &View, number: usize| view.arrows[number].edge.action.is_input;
        for arrow in 0..self.model.arrows.len() {
            if is_input(self.model, arrow)
                && let Some(ending) = self.input(&here, arrow, &mut next)
            {
                return Visit::Ends(ending);
            }
        }
        for arrow in 0..self.own.arrows.len() {
            if !is_input(self.own, arrow)
                && let Some(ending) = self.output(&here, arrow, &mut next)
            {
                return Visit::Ends(ending);
            }
        }
        Visit::Goes(here, next)
    }

    /// Adds to `next` the steps for an input that the model accepts, or returns the failure of the mutant to accept it. `here` are the
    /// states that delays lead to.
    fn input(
        &self,
        here: &Federation,
        model_arrow: usize,
        next: &mut Vec<(Move, Zone)>,
    ) -> Option<Ending> {
        let arrow = &self.model.arrows[model_arrow];
        let given = here.and(&arrow.enabled);
        if given.is_empty() {
            return None;
        }
        let action = &arrow.edge.action;
        if self.rules.stays_at_unknown_inputs && !self.own.known.contains(action) {
            self.go(&given, (None, Some(model_arrow)), next);
            return None;
        }
        let accepted = self.own.able(action, here.clocks());
        let may_refuse =
            self.model.unrefused.contains(&action.name) && !planted(Fault::TesterRefused);
        if !may_refuse && !given.minus(&accepted).is_empty() && !planted(Fault::RefusalsIgnored) {
            return Some(Ending::Refused(action.name.clone()));
        }
        let mut accepting = self.own.alike(action);
        if planted(Fault::FirstEdgeOnly) {
            accepting.truncate(1);
        }
        for own in accepting {
            let both = given.and(&self.own.arrows[own].enabled);
            self.go(&both, (Some(own), Some(model_arrow)), next);
        }
        None
    }

    /// Adds to `next` the steps for an output that the mutant makes, or returns the failure if the model cannot make it. `here` are the
    /// states that delays lead to.
    fn output(
        &self,
        here: &Federation,
        own_arrow: usize,
        next: &mut Vec<(Move, Zone)>,
    ) -> Option<Ending> {
        let arrow = &self.own.arrows[own_arrow];
        let made = here.and(&arrow.enabled);
        if made.is_empty() {
            return None;
        }
        let action = &arrow.edge.action;
        if self.rules.stays_at_unknown_outputs && !self.model.known.contains(action) {
            self.go(&made, (Some(own_arrow), None), next);
            return None;
        }
        let expected = self.model.able(action, here.clocks());
        if !made.minus(&expected).is_empty() && !planted(Fault::OutputsIgnored) {
            return Some(Ending::Output(action.name.clone()));
        }
        for other in self.model.alike(action) {
            let both = made.and(&self.model.arrows[other].enabled);
            self.go(&both, (Some(own_arrow), Some(other)), next);
        }
        None
    }

    fn go(
        &self,
        from: &Federation,
        (mutant, model): (Option<usize>, Option<usize>),
        next: &mut Vec<(Move, Zone)>,
    ) {
        for zone in from.zones() {
            let entry = self.own.entered(zone.clone(), mutant);
            let entry = self.model.entered(entry, model);
            next.push((Move { mutant, model }, entry));
        }
    }

    /// Returns the states of `later` in which the mutant fails in this way.
    pub(crate) fn failing(&self, later: &Federation, ending: &Ending) -> Federation {
        let able = |view: &View, name: &str, is_input: bool| {
            let action = Action {
                name: name.to_owned(),
                is_input,
            };
            view.able(&action, later.clocks())
        };
        match ending {
            Ending::Silence => later.minus(&self.model.allowed),
            Ending::Refused(name) => {
                let accepted = able(self.own, name, true);
                later.and(&able(self.model, name, true)).minus(&accepted)
            }
            Ending::Accepted(name) => later.and(&able(self.own, name, true)),
            Ending::Output(name) => {
                let expected = able(self.model, name, false);
                later.and(&able(self.own, name, false)).minus(&expected)
            }
        }
    }
}
