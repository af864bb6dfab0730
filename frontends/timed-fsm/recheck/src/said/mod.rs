//! What a text says: the machine, guard by guard, and what its implementations may do otherwise (timed-fsm.md, semantics.md §7).
//!
//! All of it is read from the syntax tree again. Nothing here comes from the code that makes mutants and domains for what decides them.

mod cut;
mod faults;
mod guards;
mod machine;
mod size;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hyperkill_frontend::{FrontendOptions, SourceFile};
use hyperkill_timed_fsm::guard::Interval;
use hyperkill_timed_fsm::machine::{Answer, Machine, Timeout};
use hyperkill_timed_fsm::parser;
use hyperkill_timed_fsm::syntax::FaultsText;

pub(crate) use cut::{Domain, alone};

/// More transitions than these are not kept.
const MOST: usize = 4_000_000;

/// Why a text does not say what is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Unread {
    /// It is no text of a machine.
    Wrong(String),
    /// The domain has too many transitions.
    TooMany,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unread::Wrong(what) => f.write_str(what),
            Unread::TooMany => {
                f.write_str("the domain of faults has more transitions than can be kept")
            }
        }
    }
}

impl Unread {
    fn wrong<T>(what: impl Into<String>) -> Result<T, Unread> {
        Err(Unread::Wrong(what.into()))
    }
}

/// What a state does on an input with a fault at some delays.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Otherwise {
    /// The first stretch that holds counts; at other moments nothing is answered.
    stretches: Vec<(Interval, Option<Answer>)>,
    /// Where the delays of the fault begin and end.
    bounds: Vec<u32>,
}

impl Otherwise {
    fn at(&self, moment: u32) -> Option<Answer> {
        let mut met = self
            .stretches
            .iter()
            .filter(|(during, _)| during.holds(moment));
        met.next().and_then(|(_, does)| *does)
    }
}

/// What may be done on an input in a state, besides what the machine does.
#[derive(Clone, Default, Debug)]
struct Place {
    /// At every delay.
    always: BTreeSet<Answer>,
    /// At some delays.
    faults: Vec<Otherwise>,
}

/// A machine with its domain of faults.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// The machine, with its guards as they are written.
    machine: Machine,
    /// Names of states: those of the machine, then others.
    states: Vec<String>,
    /// By state and input.
    places: BTreeMap<(usize, usize), Place>,
    /// By state: all timeouts, that of the machine among them, each with how often it counts.
    timeouts: Vec<BTreeMap<Option<Timeout>, u64>>,
    /// Whether a machine or a fault has a guard.
    has_guards: bool,
    /// Parts of a unit that are told apart: 2 if a bound is behind its number.
    scale: u32,
    /// How many transitions are kept.
    kept: usize,
}

/// The machine of a text, whatever faults stand behind it.
///
/// # Errors
/// If the text is no machine.
pub(crate) fn machine_of(text: &str) -> Result<Machine, Unread> {
    match parser::parse(text) {
        Ok(document) => machine::machine(&document.machine),
        Err(error) => Unread::wrong(error.message),
    }
}

impl Said {
    /// The machine of these sources and its domain.
    ///
    /// # Errors
    /// If there is none, or it has too many transitions.
    pub(crate) fn read(sources: &[SourceFile], options: &FrontendOptions) -> Result<Said, Unread> {
        let parsed = |source: &SourceFile| {
            let document = parser::parse(&source.text);
            document.map_err(|error| Unread::Wrong(error.message))
        };
        let Some(first) = sources.first() else {
            return Unread::wrong("there is no timed machine");
        };
        let document = parsed(first)?;
        let second = sources
            .get(1)
            .map(|source| parser::parse_faults(&source.text));
        let second = second.transpose();
        let second: Option<FaultsText> = second.map_err(|error| Unread::Wrong(error.message))?;
        let machine = machine::machine(&document.machine)?;
        let faults = second.or(document.faults);
        let extra = match (&options.domain, &faults) {
            (Some(domain), _) => faults::more_states(&machine, domain)?,
            (None, Some(faults)) => faults.states.iter().map(|name| name.text.clone()).collect(),
            (None, None) => Vec::new(),
        };
        let mut said = Said::alone(machine, extra);
        match (&options.domain, &faults) {
            (Some(domain), _) => said.everything(domain)?,
            (None, Some(faults)) => said.written(faults, options)?,
            (None, None) => said.usual(options)?,
        }
        Ok(said)
    }

    /// A machine without faults.
    fn alone(machine: Machine, extra: Vec<String>) -> Said {
        let own = machine.states.iter().map(|state| state.name.clone());
        let states: Vec<String> = own.chain(extra).collect();
        let timeouts = (0..states.len()).map(|state| match machine.states.get(state) {
            Some(own) => BTreeMap::from([(own.timeout, 1)]),
            None => BTreeMap::new(),
        });
        let bounds = machine
            .states
            .iter()
            .flat_map(|state| state.guarded.values());
        let bounds = bounds.flatten().flat_map(|guarded| guarded.during.bounds());
        let bounds: Vec<u32> = bounds.collect();
        Said {
            places: BTreeMap::new(),
            timeouts: timeouts.collect(),
            has_guards: machine.states.iter().any(|state| !state.guarded.is_empty()),
            scale: 1 + u32::from(bounds.iter().any(|bound| bound % 2 == 1)),
            kept: 0,
            states,
            machine,
        }
    }
}
