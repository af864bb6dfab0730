//! Checks relations: they contain all pairs of states after common traces, and no failure of the mutant.

use std::collections::BTreeMap;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Edge, Rules};

use crate::constraint::{Constraint, List, Union, all, both, except, is_within};
use crate::good::{Side, enabled_into, moved, patience, start};

/// Pairs of states of mutant and model after common traces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The index of the mutant's location.
    pub mutant: usize,
    /// The index of the model's location.
    pub model: usize,
    /// The values of the clocks of both; the mutant's come first.
    pub values: List,
}

/// The reason why a relation proves nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Wrong {
    /// The relation names a part that does not exist.
    #[error("the relation names an unknown location or clock")]
    Names,
    /// The relation lacks the initial states.
    #[error("the pair of initial states is not in the relation")]
    Start,
    /// The alphabets of mutant and model violate the rules of the relation.
    #[error("the mutant has inputs that the model does not have, or lacks outputs")]
    Alphabets,
    /// The relation contains forbidden states of a side in this pair: the mutant may wait where the model may not.
    #[error("pair {0} has states that are not allowed in the mutant or in the model")]
    Forbidden(usize),
    /// A delay leaves the relation from this pair.
    #[error("a delay leads from pair {0} out of the relation")]
    Time(usize),
    /// The mutant refuses an input in this pair.
    #[error("in pair {0} the mutant may refuse an input that the model accepts")]
    Refused(usize),
    /// The mutant has an output in this pair that the model lacks.
    #[error("in pair {0} the mutant may make an output that the model cannot make")]
    Output(usize),
    /// A step leaves the relation from this pair.
    #[error("a step leads from pair {0} out of the relation")]
    Step(usize),
    /// The budget ended before the check did.
    #[error("it was not checked within the limits")]
    Stopped(Stop),
}

struct Check<'a> {
    sides: [Joint<'a>; 2],
    clocks: usize,
    rules: Rules,
    known: BTreeMap<(usize, usize), Union>,
}

struct Joint<'a> {
    side: &'a Side,
    offset: usize,
    /// For each edge the states from which it leads to allowed states.
    enabled: Vec<Union>,
}

/// Returns the union with `offset` added to the numbers of clocks.
fn shifted(union: &[List], offset: usize) -> Union {
    let name = |variable: usize| if variable == 0 { 0 } else { variable + offset };
    union.iter().map(|list| list.renamed(name)).collect()
}

impl<'a> Joint<'a> {
    fn new(side: &'a Side, offset: usize) -> Joint<'a> {
        let edges = side.automaton.edges.iter();
        let enabled =
            edges.map(|edge| shifted(&enabled_into(edge, &side.allowed[edge.target]), offset));
        Joint {
            side,
            offset,
            enabled: enabled.collect(),
        }
    }

    fn knows(&self, edge: &Edge) -> bool {
        self.side.automaton.knows(&edge.action)
    }

    fn edges_like(&self, location: usize, edge: &Edge) -> Vec<usize> {
        let leaving = self.side.automaton.leaving(location);
        leaving
            .filter(|(_, own)| own.action == edge.action)
            .map(|(number, _)| number)
            .collect()
    }

    fn updates(&self, edge: usize) -> Vec<(usize, i64)> {
        let updates = self.side.automaton.edges[edge].updates.iter();
        updates
            .map(|(clock, value)| (clock + self.offset, *value))
            .collect()
    }

    fn target(&self, edge: usize) -> usize {
        self.side.automaton.edges[edge].target
    }
}

/// Checks that a relation proves that a mutant refines a model.
///
/// # Errors
/// If it does not, with the reason.
pub fn check(
    mutant: &Side,
    model: &Side,
    rules: Rules,
    pairs: &[Pair],
    budget: &Budget,
) -> Result<(), Wrong> {
    let own = mutant.automaton.clocks.len();
    let clocks = own + model.automaton.clocks.len();
    let mut known: BTreeMap<(usize, usize), Union> = BTreeMap::new();
    for pair in pairs {
        let is_there = pair.mutant < mutant.automaton.locations.len()
            && pair.model < model.automaton.locations.len()
            && pair
                .values
                .0
                .iter()
                .all(|c| c.left <= clocks && c.right <= clocks);
        let Some(values) = all(clocks).join(&pair.values).filter(|_| is_there) else {
            return Err(Wrong::Names);
        };
        known
            .entry((pair.mutant, pair.model))
            .or_default()
            .push(values);
    }
    if rules.compares_alphabets {
        let (own, other) = (&mutant.automaton, &model.automaton);
        let fits = own.actions(true).is_subset(&other.actions(true))
            && other.actions(false).is_subset(&own.actions(false));
        if !fits {
            return Err(Wrong::Alphabets);
        }
    }
    let check = Check {
        sides: [Joint::new(mutant, 0), Joint::new(model, own)],
        clocks,
        rules,
        known,
    };
    let first = (mutant.automaton.initial, model.automaton.initial);
    if !start(clocks).is_within(check.at(first)) {
        return Err(Wrong::Start);
    }
    for (number, pair) in pairs.iter().enumerate() {
        budget.check().map_err(Wrong::Stopped)?;
        check.pair(number, pair)?;
    }
    Ok(())
}

impl Check<'_> {
    fn at(&self, locations: (usize, usize)) -> &[List] {
        self.known.get(&locations).map_or(&[], Vec::as_slice)
    }

    fn pair(&self, number: usize, pair: &Pair) -> Result<(), Wrong> {
        let values = all(self.clocks).join(&pair.values).ok_or(Wrong::Names)?;
        let [mutant, model] = &self.sides;
        let allowed = [
            shifted(&mutant.side.allowed[pair.mutant], mutant.offset),
            shifted(&model.side.allowed[pair.model], model.offset),
        ];
        if !allowed.iter().all(|allowed| values.is_within(allowed)) {
            return Err(Wrong::Forbidden(number));
        }
        self.time(number, pair, &values)?;
        for (edge, taken) in model.side.automaton.leaving(pair.model) {
            if taken.action.is_input {
                self.input(number, pair, &values, (edge, taken))?;
            }
        }
        for (edge, taken) in mutant.side.automaton.leaving(pair.mutant) {
            if !taken.action.is_input {
                self.output(number, pair, &values, (edge, taken))?;
            }
        }
        Ok(())
    }

    /// Checks that the relation contains the states after all delays from `values`, states of the pair `number`, for which the mutant may
    /// wait and the tester waits.
    fn time(&self, number: usize, pair: &Pair, values: &List) -> Result<(), Wrong> {
        let (end, moment) = (self.clocks + 1, self.clocks + 2);
        let mutant = &self.sides[0];
        let forbidden = shifted(&mutant.side.forbidden[pair.mutant], mutant.offset);
        let meeting = forbidden.iter().map(|bad| {
            let mut list = moved(bad, moment);
            list.0.push(Constraint::at_most(moment, 0, 0));
            list.0.push(Constraint::at_most(end, moment, 0));
            list.without(moment)
        });
        let mut later = values.clone();
        later.0.push(Constraint::at_most(end, 0, 0));
        // As long as the tester waits with the model.
        let model = &self.sides[1];
        let patience = patience(&model.side.automaton, pair.model);
        let patience = shifted(&[patience], model.offset);
        later
            .0
            .extend(patience.iter().flat_map(|list| moved(list, end).0));
        let later = except(&[later], &meeting.collect::<Union>());
        let known = self.at((pair.mutant, pair.model)).iter();
        let known: Union = known.map(|list| moved(list, end)).collect();
        match is_within(&later, &known) {
            true => Ok(()),
            false => Err(Wrong::Time(number)),
        }
    }

    fn input(
        &self,
        number: usize,
        pair: &Pair,
        values: &List,
        (edge, taken): (usize, &Edge),
    ) -> Result<(), Wrong> {
        let [mutant, model] = &self.sides;
        let given = both(std::slice::from_ref(values), &model.enabled[edge]);
        if self.rules.stays_at_unknown_inputs && !mutant.knows(taken) {
            return self.step(number, pair, &given, (None, Some(edge)));
        }
        let answers = mutant.edges_like(pair.mutant, taken);
        let accepted = answers.iter().flat_map(|own| mutant.enabled[*own].clone());
        let is_unrefused = (model.side.automaton.tester.unrefused).contains(&taken.action.name);
        if !is_unrefused && !is_within(&given, &accepted.collect::<Union>()) {
            return Err(Wrong::Refused(number));
        }
        for own in answers {
            let taken = both(&given, &mutant.enabled[own]);
            self.step(number, pair, &taken, (Some(own), Some(edge)))?;
        }
        Ok(())
    }

    fn output(
        &self,
        number: usize,
        pair: &Pair,
        values: &List,
        (edge, taken): (usize, &Edge),
    ) -> Result<(), Wrong> {
        let [mutant, model] = &self.sides;
        let made = both(std::slice::from_ref(values), &mutant.enabled[edge]);
        if self.rules.stays_at_unknown_outputs && !model.knows(taken) {
            return self.step(number, pair, &made, (Some(edge), None));
        }
        let answers = model.edges_like(pair.model, taken);
        let expected = answers
            .iter()
            .flat_map(|other| model.enabled[*other].clone());
        if !is_within(&made, &expected.collect::<Union>()) {
            return Err(Wrong::Output(number));
        }
        for other in answers {
            let taken = both(&made, &model.enabled[other]);
            self.step(number, pair, &taken, (Some(edge), Some(other)))?;
        }
        Ok(())
    }

    /// Checks that a step from the states `from` of a pair leads into the relation. `edges` are those of mutant and model; a side without
    /// an edge stays.
    fn step(
        &self,
        number: usize,
        pair: &Pair,
        from: &[List],
        edges: (Option<usize>, Option<usize>),
    ) -> Result<(), Wrong> {
        let [mutant, model] = &self.sides;
        let target = (
            edges.0.map_or(pair.mutant, |edge| mutant.target(edge)),
            edges.1.map_or(pair.model, |edge| model.target(edge)),
        );
        let mut updates = edges.0.map_or(Vec::new(), |edge| mutant.updates(edge));
        updates.extend(edges.1.map_or(Vec::new(), |edge| model.updates(edge)));
        let before = self
            .at(target)
            .iter()
            .filter_map(|list| list.before(&updates));
        match is_within(from, &before.collect::<Union>()) {
            true => Ok(()),
            false => Err(Wrong::Step(number)),
        }
    }
}
