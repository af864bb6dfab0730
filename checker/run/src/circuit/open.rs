//! Open parts of a circuit: free initial values and free choices.

use hyperkill_audit::model::Loaded;
use hyperkill_core::aig::{Cone, Reset};
use hyperkill_core::product::{CopySpec, Product, Variant};

use crate::procedure::LeftOpen;

/// Returns the free initial values and the choices in the cone of the outputs of the original. The bits of a word are listed as one
/// register.
pub(super) fn left_open(loaded: &Loaded) -> LeftOpen {
    let model = &loaded.model;
    let product = Product::new(model, &[CopySpec::alone(Variant::Original)]);
    let copy = &product.copies[0];
    let cone = Cone::sequential(&product.aig, copy.outputs.iter().copied());
    let mut open = LeftOpen::default();
    for port in &model.choices {
        let mut bits = port.bits.iter().filter_map(|bit| copy.inputs[*bit]);
        if bits.any(|lit| cone.contains(lit.var())) {
            let is_start = port.name.ends_with("@reset")
                || port.name.starts_with("init:")
                || port.name.starts_with("init.");
            match is_start {
                true => open.starts.push(port.name.clone()),
                false => open.choices.push(port.name.clone()),
            }
        }
    }
    let latches = copy.latches.iter().enumerate();
    for (index, latch) in latches.filter_map(|(index, latch)| Some((index, (*latch)?))) {
        let latch = &product.aig.latches()[latch];
        if latch.reset != Reset::Free || !cone.contains(latch.var) {
            continue;
        }
        let name = model.aig.latches()[index].name.clone().unwrap_or_default();
        // The bits of a word are listed as one register.
        let name = match name.rsplit_once('[') {
            Some((word, _)) if !loaded.listing.places.contains_key(&name) => word.to_owned(),
            _ => name,
        };
        if !name.is_empty() && open.starts.last() != Some(&name) {
            open.starts.push(name);
        }
    }
    open
}
