//! The contents of a text: the machine, guard by guard, and the alternatives of implementations (timed-fsm.md, semantics.md §7).
//!
//! All contents are read from the syntax tree again, independent of the code that makes mutants and domains for the decision.

mod content;
mod cut;
mod faults;
mod guards;
mod machine;
mod size;

use std::collections::BTreeMap;

use hyperkill_frontend::{FrontendOptions, SourceFile};
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::parser;
use hyperkill_timed_fsm::syntax::FaultsText;

pub(crate) use content::{Said, Unread};
pub(crate) use cut::{Domain, alone};

/// Returns the machine of a text, without the faults that follow it.
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
    /// Reads the machine of these sources and its domain.
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
        let extra = match (&options.machines.domain, &faults) {
            (Some(domain), _) => faults::more_states(&machine, domain)?,
            (None, Some(faults)) => faults.states.iter().map(|name| name.text.clone()).collect(),
            (None, None) => Vec::new(),
        };
        let mut said = Said::alone(machine, extra);
        match (&options.machines.domain, &faults) {
            (Some(domain), _) => said.everything(domain)?,
            (None, Some(faults)) => said.written(faults, options)?,
            (None, None) => said.usual(options)?,
        }
        Ok(said)
    }

    /// Returns the contents of a machine without faults. `extra` are the names of additional states.
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
