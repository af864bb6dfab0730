//! The steps of processes: their participants and labels.

use hyperkill_core::timed::Atom;
use hyperkill_frontend::Diagnostic;

use super::fault::{Fault, planted};
use super::offers::Offer;
use super::parties::Parties;
use crate::conditions::{Alternatives, both};
use crate::priorities::Priority;
use crate::rules::none_of;
use crate::unfold::TAU;

/// The number of steps from one state, at most.
const MAX_STEPS: usize = 100_000;

/// A joint step of processes: edges that are taken at once.
#[derive(Clone, Debug)]
pub(crate) struct JointStep {
    /// The indices of the offers that are taken, in the order in which their updates are made.
    pub(crate) takes: Vec<usize>,
    /// The condition on clocks under which the step is possible.
    pub(crate) guard: Alternatives,
    /// The label of the step, without its effects.
    pub(crate) label: String,
    /// Whether the step is an input, which another process makes.
    pub(crate) is_input: bool,
    /// Whether a process under test that lacks this step does not count as refusing it.
    pub(crate) is_unrefused: bool,
    /// The priority over other steps.
    pub(crate) priority: Priority,
}

/// The ways in which other processes take part in a step: the indices of their offers, and the condition on clocks.
type Ways = Vec<(Vec<usize>, Alternatives)>;

impl<'a> Parties<'a> {
    /// Returns all steps that processes can make together from these locations with these offers. If a location is committed, a process in
    /// a committed location takes part.
    pub(crate) fn steps(
        &self,
        locations: &[usize],
        offers: &[Offer<'a>],
    ) -> Result<Vec<JointStep>, Diagnostic> {
        let is_committed = |party: &usize| {
            let template = self.all[*party].template;
            template.locations[locations[*party]].is_committed
        };
        let committed: Vec<usize> = (0..locations.len()).filter(is_committed).collect();
        let mut steps = Vec::new();
        for (number, offer) in offers.iter().enumerate() {
            for (mut takes, guard) in self.together(number, offers)? {
                takes.insert(0, number);
                let parties: Vec<usize> = takes.iter().map(|take| offers[*take].party).collect();
                let is_held = !committed.is_empty()
                    && !planted(Fault::CommittedIgnored)
                    && !parties.iter().any(|party| committed.contains(party));
                if is_held {
                    continue;
                }
                if steps.len() >= MAX_STEPS {
                    let message = format!("there are more than {MAX_STEPS} steps from one state");
                    return Err(Diagnostic::error(offer.edge.span, message));
                }
                let mut step = self.called(takes, guard, offers);
                let only_tested =
                    |party: &usize| *party == self.tested || !committed.contains(party);
                // Another process would have to go first, were it not for the one under test.
                if step.is_input
                    && parties.contains(&self.tested)
                    && committed.iter().any(|party| *party != self.tested)
                    && parties.iter().all(only_tested)
                {
                    step.label.push_str(" (committed)");
                    step.is_unrefused = true;
                }
                steps.push(step);
            }
        }
        Ok(steps)
    }

    /// Returns the other offers that the offer `number` is taken with, each with its guard. Empty for an offer to receive, since the
    /// sender's offer leads the step.
    fn together(&self, number: usize, offers: &[Offer<'a>]) -> Result<Ways, Diagnostic> {
        let offer = &offers[number];
        let Some(port) = &offer.port else {
            return Ok(vec![(Vec::new(), offer.guard.clone())]);
        };
        if port.is_input {
            return Ok(Vec::new());
        }
        if !port.is_broadcast {
            let mut ways = Vec::new();
            for (other, rival) in offers.iter().enumerate() {
                if rival.party != offer.party && rival.receives(&port.channel) {
                    let guard = match planted(Fault::ReceiversUnguarded) {
                        true => offer.guard.clone(),
                        false => both(&offer.guard, &rival.guard, offer.edge.span)?,
                    };
                    ways.push((vec![other], guard));
                }
            }
            if ways.is_empty() && offer.party == self.tested && planted(Fault::BlockedMade) {
                ways.push((Vec::new(), offer.guard.clone()));
            }
            return Ok(ways);
        }
        let mut ways: Ways = vec![(Vec::new(), offer.guard.clone())];
        for party in (0..self.all.len()).filter(|party| *party != offer.party) {
            let mut longer = Vec::new();
            for (takes, guard) in &ways {
                for (own, when) in receiving(party, &port.channel, offers) {
                    let guard = both(guard, &when, offer.edge.span)?;
                    let takes = takes.iter().copied().chain(own);
                    longer.push((takes.collect(), guard));
                }
            }
            if longer.len() > MAX_STEPS {
                let message = format!("there are more than {MAX_STEPS} ways to receive this");
                return Err(Diagnostic::error(offer.edge.span, message));
            }
            ways = longer;
        }
        Ok(ways)
    }

    fn called(&self, takes: Vec<usize>, guard: Alternatives, offers: &[Offer<'a>]) -> JointStep {
        let first = &offers[takes[0]];
        let port = first.sends();
        let others = takes.iter().map(|take| &offers[*take]);
        let others = others.filter(|offer| offer.party != self.tested);
        let others: Vec<String> = others.map(|offer| self.edge(offer)).collect();
        let is_input = first.party != self.tested;
        let takes_part = takes.iter().any(|take| offers[*take].party == self.tested);
        let is_broadcast = port.is_some_and(|port| port.is_broadcast);
        let channel = port.map(|port| port.channel.as_str());
        let via = others.join(", ");
        let label = match channel {
            None if is_input => via,
            None => TAU.to_owned(),
            // A broadcast is called the same whether the process under test receives it or not.
            Some(channel) if is_input && !takes_part && !is_broadcast => {
                format!("{channel} by {via}")
            }
            Some(channel) => match planted(Fault::WaysMixed)
                || self.is_sole(channel, is_broadcast, first, offers)
            {
                true => channel.to_owned(),
                false => format!("{channel} by {via}"),
            },
        };
        let ranks = takes.iter().map(|take| self.all[offers[*take].party].rank);
        let priority = (
            self.machine.priorities.of(channel),
            ranks.max().unwrap_or(0),
        );
        JointStep {
            priority,
            takes,
            guard,
            label,
            is_input,
            is_unrefused: is_input && (is_broadcast || !takes_part),
        }
    }

    /// Whether the other processes can take part in a step on `channel` in one way only, from their current locations. `offers` are the
    /// steps that processes offer; for an input a single sender must exist.
    fn is_sole(
        &self,
        channel: &str,
        is_broadcast: bool,
        sender: &Offer<'a>,
        offers: &[Offer<'a>],
    ) -> bool {
        let others = |offer: &&Offer<'a>| offer.party != self.tested;
        let is_input = sender.party != self.tested;
        if is_input {
            let senders = offers.iter().filter(others);
            let senders =
                senders.filter(|offer| offer.sends().is_some_and(|port| port.channel == channel));
            if senders.count() != 1 {
                return false;
            }
        }
        match (is_broadcast, is_input) {
            (false, true) => true,
            (false, false) => {
                let receivers = offers.iter().filter(others);
                receivers.filter(|offer| offer.receives(channel)).count() == 1
            }
            (true, _) => {
                let parties = 0..self.all.len();
                let mut others =
                    parties.filter(|party| *party != self.tested && *party != sender.party);
                others.all(|party| receiving(party, channel, offers).len() == 1)
            }
        }
    }

    /// Returns the text of an edge of a process: names of process and locations, values of its `select`, and a number if several edges link
    /// the locations.
    fn edge(&self, offer: &Offer<'a>) -> String {
        let party = &self.all[offer.party];
        let name = |location: usize| &party.template.locations[location].name;
        let (source, target) = (offer.edge.source, offer.edge.target);
        let mut text = format!("{}.{}->{}", party.name, name(source), name(target));
        if !offer.selected.is_empty() {
            let values: Vec<String> = offer.selected.iter().map(i64::to_string).collect();
            text = format!("{text}({})", values.join(","));
        }
        let alike = party.template.edges.iter();
        let mut alike = alike.filter(|edge| (edge.source, edge.target) == (source, target));
        let number = alike
            .clone()
            .position(|edge| std::ptr::eq(edge, offer.edge));
        match (alike.nth(1).is_some(), number) {
            (true, Some(number)) => format!("{text}#{}", number + 1),
            _ => text,
        }
    }
}

/// Returns the ways of the process `party` to take part in a broadcast, each with its guard: an offer by its index, or `None` while no
/// offer is enabled.
fn receiving(
    party: usize,
    channel: &str,
    offers: &[Offer<'_>],
) -> Vec<(Option<usize>, Alternatives)> {
    let own = offers.iter().enumerate();
    let own = own.filter(|(_, offer)| offer.party == party && offer.receives(channel));
    let mut ways: Vec<(Option<usize>, Alternatives)> = own
        .map(|(number, offer)| (Some(number), offer.guard.clone()))
        .collect();
    let enabled = ways.iter().flat_map(|(_, guard)| guard);
    let enabled: Vec<&[Atom]> = enabled.map(Vec::as_slice).collect();
    let none = none_of(&enabled);
    if planted(Fault::BroadcastLeft) {
        ways.push((None, vec![Vec::new()]));
    } else if !none.is_empty() {
        ways.push((None, none));
    }
    ways
}
