//! A netlist after reading and checking.

use hyperkill_core::system::{TransitionSystem, Translation};
use hyperkill_frontend::clocked::{infer_synchronous, is_looked_for};
use hyperkill_frontend::mutation::Edit;
use hyperkill_frontend::{Diagnostic, FrontendOptions, Hardware, SourceFile};

use crate::mutate::Mutation;
use crate::netlist::Library;
use crate::{flat, lower, mutate, netlist, order, timing};

/// A valid design.
pub(crate) struct Design<'a> {
    pub(crate) library: &'a Library,
    pub(crate) flat: flat::Flat,
    pub(crate) order: order::Order,
    pub(crate) clocking: timing::Clocking,
}

impl<'a> Design<'a> {
    pub(crate) fn new(
        library: &'a Library,
        options: &FrontendOptions,
        grouped: bool,
    ) -> Result<Design<'a>, Vec<Diagnostic>> {
        let flat = flat::flatten(library, options.hardware.top.as_deref(), grouped)?;
        let order = order::order(&flat)?;
        let mut clocking = timing::clocking(&flat, options)?;
        if is_looked_for(options, &clocking.timing) {
            let (system, _) = lower::lower(&flat, &order, &clocking, &[], options)?;
            infer_synchronous(&system, &clocking.facts, options, &mut clocking.timing);
        }
        Ok(Design {
            library,
            flat,
            order,
            clocking,
        })
    }

    /// Returns the interface of the design, with the registers that a bench must set.
    pub(crate) fn hardware(&self, options: &FrontendOptions) -> Result<Hardware, Vec<Diagnostic>> {
        let Design {
            flat,
            order,
            clocking,
            ..
        } = self;
        let hardware = timing::hardware(flat, clocking, options);
        let mut hardware = hardware.map_err(|error| vec![error])?;
        let (system, _) = lower::lower(flat, order, clocking, &[], options)?;
        timing::note_free_registers(flat, &system, &mut hardware);
        Ok(hardware)
    }

    pub(crate) fn translate(
        self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        rewrite: impl Fn(usize, &netlist::Cell, &mutate::Change) -> Edit,
    ) -> Result<Translation, Vec<Diagnostic>> {
        let Design {
            library,
            flat,
            order,
            clocking,
        } = self;
        let mutations: Vec<Mutation> = {
            let place = mutate::Design {
                library,
                flat: &flat,
                order: &order,
                ways: &clocking.ways,
            };
            mutate::mutations(&place, sources, options, &rewrite)?
        };
        let (mut system, notes) = lower::lower(&flat, &order, &clocking, &mutations, options)?;
        system.name.clone_from(&flat.top);
        let mut role_notes = clocking.timing.notes;
        role_notes.extend(notes);
        let warnings = lower::undriven(&flat, options);
        Ok(Translation {
            system,
            checks: TransitionSystem::default(),
            invariant_checks: TransitionSystem::default(),
            catalogue: mutations.into_iter().map(|m| (m.mutant, None)).collect(),
            role_notes,
            warnings,
            places: lower::places(&flat),
        })
    }
}
