//! Tables of a system for frequent look-ups: values of long enumerations by name, branches by location, offers by event, and the numbers of
//! the text.

use std::rc::Rc;

use hyperkill_core::sort::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::tree::{Block, Domain, ExprKind, Offer, StmtId, StmtKind, System};

/// Codes of the values of enumerations, by name. Enumerations that share their list have one table.
#[derive(Clone, Default, Debug)]
pub(crate) struct Codes<'t> {
    /// The tables, by address and length of the list.
    tables: FxHashMap<(*const String, usize), Rc<FxHashMap<&'t str, usize>>>,
}

impl<'t> Codes<'t> {
    /// Returns a table of the values of an enumeration, each with its code.
    pub(crate) fn of(&mut self, values: &'t [String]) -> Rc<FxHashMap<&'t str, usize>> {
        let key = (values.as_ptr(), values.len());
        let table = self.tables.entry(key).or_insert_with(|| {
            let names = values.iter().map(String::as_str).enumerate();
            // Of equal names the first counts, as in a linear search.
            Rc::new(names.rev().map(|(code, name)| (name, code)).collect())
        });
        Rc::clone(table)
    }

    /// Whether an enumeration is non-empty, and its names are pairwise different.
    pub(crate) fn is_well_formed(&mut self, values: &'t [String]) -> bool {
        !values.is_empty() && self.of(values).len() == values.len()
    }

    /// Whether the enumeration has no table yet.
    pub(crate) fn is_new(&self, values: &[String]) -> bool {
        !self.tables.contains_key(&(values.as_ptr(), values.len()))
    }

    /// Returns the code of a value of an enumeration; `None` if it has no such value.
    pub(crate) fn code(&mut self, values: &'t [String], name: &str) -> Option<usize> {
        self.of(values).get(name).copied()
    }

    /// Whether a variable with this domain may have this value.
    pub(crate) fn contains(&mut self, domain: &'t Domain, value: &Value) -> bool {
        match (domain, value) {
            (Domain::Symbols(values), Value::Symbol(name)) => self.code(values, name).is_some(),
            _ => domain.contains(value),
        }
    }
}

/// An offer of an event, with the prioritised blocks around it.
#[derive(Clone, Debug)]
pub(crate) struct Way<'t> {
    /// The offer.
    pub(crate) offer: &'t Offer,
    /// The prioritised parts of the loop that contain the offer: the index in [`Index::priorities`], and the index of the block.
    pub(crate) behind: Vec<(usize, usize)>,
}

/// The tables of a system.
#[derive(Clone, Default, Debug)]
pub(crate) struct Index<'t> {
    /// Codes of the values of cells that are enumerations.
    codes: Vec<Option<Rc<FxHashMap<&'t str, usize>>>>,
    /// For each command with branches by location: the branches of each location, in their order.
    branches: FxHashMap<StmtId, FxHashMap<&'t str, Vec<StmtId>>>,
    /// The offers of each event, in their order.
    pub(crate) ways: Vec<Vec<Way<'t>>>,
    /// Prioritised parts of the loop: the first block with an enabled action is offered.
    pub(crate) priorities: Vec<&'t [Block]>,
    /// The events, by the names of their actions.
    events: FxHashMap<&'t str, usize>,
    /// The different numbers of the text, in their order.
    pub(crate) numbers: Vec<i64>,
}

impl<'t> Index<'t> {
    /// Returns the tables of a system. `events` has the names of the actions of events.
    pub(crate) fn new(system: &'t System, events: impl Iterator<Item = &'t str>) -> Index<'t> {
        let mut codes = Codes::default();
        let ports = system.outputs.iter().flat_map(|output| {
            let parameters = output.parameters.iter().map(|(_, domain)| Some(domain));
            std::iter::once(None).chain(parameters)
        });
        let variables = system
            .variables
            .iter()
            .map(|variable| Some(&variable.domain));
        let cells = variables.chain(ports).map(|domain| match domain {
            Some(Domain::Symbols(values)) => Some(codes.of(values)),
            _ => None,
        });
        let events: FxHashMap<&str, usize> = events.zip(0..).collect();
        let mut index = Index {
            codes: cells.collect(),
            branches: FxHashMap::default(),
            ways: vec![Vec::new(); events.len()],
            priorities: Vec::new(),
            events,
            numbers: Vec::new(),
        };
        let mut seen = FxHashSet::default();
        let numbers = system
            .exprs
            .ids()
            .filter_map(|id| match system.exprs[id].kind {
                ExprKind::Number(value) => seen.insert(value).then_some(value),
                _ => None,
            });
        index.numbers = numbers.collect();
        for id in system.stmts.ids() {
            if let StmtKind::Located(branches) = &system.stmts[id].kind {
                let mut all: FxHashMap<&str, Vec<StmtId>> = FxHashMap::default();
                for (location, part) in branches {
                    all.entry(&location.text).or_default().push(*part);
                }
                index.branches.insert(id, all);
            }
        }
        index.add_offers(&system.block);
        index
    }

    /// Adds the offers of the loop in `block` to the tables.
    fn add_offers(&mut self, block: &'t Block) {
        let mut open = vec![(block, Vec::new())];
        while let Some((block, behind)) = open.pop() {
            match block {
                Block::Offer(offer) => {
                    if let Some(event) = self.event(&offer.action.text) {
                        self.ways[event].push(Way { offer, behind });
                    }
                }
                Block::Choice(parts) => {
                    open.extend(parts.iter().rev().map(|part| (part, behind.clone())));
                }
                Block::Prioritised(parts) => {
                    let node = self.priorities.len();
                    self.priorities.push(parts);
                    for (place, part) in parts.iter().enumerate().rev() {
                        let mut behind = behind.clone();
                        behind.push((node, place));
                        open.push((part, behind));
                    }
                }
            }
        }
    }

    /// Returns the index of the event whose action has this name; `None` if there is none.
    pub(crate) fn event(&self, action: &str) -> Option<usize> {
        self.events.get(action).copied()
    }

    /// Whether a cell of this domain can have a value.
    pub(crate) fn contains(&self, cell: usize, domain: &Domain, value: &Value) -> bool {
        match (self.codes.get(cell), value) {
            (Some(Some(codes)), Value::Symbol(name)) => codes.contains_key(name.as_str()),
            _ => domain.contains(value),
        }
    }

    /// Returns the branches of a command for a location; empty if there are none.
    pub(crate) fn branches(&self, command: StmtId, location: &str) -> &[StmtId] {
        let branches = self.branches.get(&command);
        let here = branches.and_then(|branches| branches.get(location));
        here.map_or(&[], Vec::as_slice)
    }
}
