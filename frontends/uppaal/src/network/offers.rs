//! The offers of each process in a state: the edges that it could take if the others synchronise.

use hyperkill_core::timed::Atom;
use hyperkill_frontend::Diagnostic;

use super::parties::Parties;
use crate::conditions::Alternatives;
use crate::machine::Eval;
use crate::syntax::Edge;
use crate::unfold::{bind, selections};
use crate::values::Value;

/// A channel and the direction of a synchronisation on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Port {
    pub(crate) channel: String,
    pub(crate) is_input: bool,
    pub(crate) is_urgent: bool,
    pub(crate) is_broadcast: bool,
}

/// An edge of a process that its data allow, for one choice of its `select`.
#[derive(Clone, Debug)]
pub(crate) struct Offer<'a> {
    pub(crate) party: usize,
    pub(crate) edge: &'a Edge,
    /// The chosen values of the names in `select`.
    pub(crate) selected: Vec<i64>,
    /// The channel; `None` if the process moves alone.
    pub(crate) port: Option<Port>,
    /// The condition on clocks under which the edge is enabled.
    pub(crate) guard: Alternatives,
}

impl Offer<'_> {
    pub(crate) fn sends(&self) -> Option<&Port> {
        self.port.as_ref().filter(|port| !port.is_input)
    }

    /// Whether it can receive on a channel.
    pub(crate) fn receives(&self, channel: &str) -> bool {
        let port = self.port.as_ref().filter(|port| port.is_input);
        port.is_some_and(|port| port.channel == channel)
    }
}

impl<'a> Parties<'a> {
    /// Returns all edges that processes offer in these locations and with these data, with each value of their `select`.
    pub(crate) fn offers(
        &mut self,
        locations: &[usize],
        data: &[Value],
    ) -> Result<Vec<Offer<'a>>, Diagnostic> {
        let mut offers = Vec::new();
        self.machine.store.clear();
        self.machine.store.extend_from_slice(data);
        for (party, location) in locations.iter().enumerate() {
            let template = self.all[party].template;
            for edge in template
                .edges
                .iter()
                .filter(|edge| edge.source == *location)
            {
                let all = self.within(party, |machine| selections(machine, edge))?;
                for selected in all {
                    offers.extend(self.offer(party, edge, selected)?);
                }
            }
        }
        Ok(offers)
    }

    fn offer(
        &mut self,
        party: usize,
        edge: &'a Edge,
        selected: Vec<i64>,
    ) -> Eval<Option<Offer<'a>>> {
        let (guard, channel) = self.within(party, |machine| {
            machine.enter();
            bind(machine, edge, &selected);
            let guard = machine.all(&edge.guard)?;
            let sync = edge.sync.as_ref().filter(|_| !guard.is_empty());
            let channel = sync.map(|sync| machine.channel(&sync.channel)).transpose();
            Ok((guard, channel?))
        })?;
        if guard.is_empty() {
            return Ok(None);
        }
        let port = channel.map(|(channel, of)| Port {
            is_broadcast: self.is_broadcast(&channel),
            is_urgent: of.is_urgent(),
            is_input: edge.sync.as_ref().is_some_and(|sync| sync.is_input),
            channel,
        });
        let is_urgent = port.as_ref().is_some_and(|port| port.is_urgent);
        let is_about_clocks = guard.iter().any(|atoms: &Vec<Atom>| !atoms.is_empty());
        if is_urgent && is_about_clocks {
            let message = "an edge on an urgent channel has no guard on clocks";
            return Err(Diagnostic::error(edge.span, message));
        }
        Ok(Some(Offer {
            party,
            edge,
            selected,
            port,
            guard,
        }))
    }
}
