//! The JSON netlists of yosys (`write_json`): reads them, and writes mutants into them.
//!
//! Cells may be word-level, as after `prep`, or gates, as after `techmap`. Memories, latches, tri-state buffers and other cells that a pass
//! of yosys simplifies are refused with the name of that pass.

mod cells;
mod document;
mod parameters;
mod pins;
mod read;
mod registers;
mod rewrite;

use hyperkill_core::system::Translation;
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile};

use crate::design::Design;

pub use read::read;

/// Returns the design with its mutants.
pub(crate) fn translate(
    design: Design<'_>,
    sources: &[SourceFile],
    options: &FrontendOptions,
) -> Result<Translation, Vec<Diagnostic>> {
    let texts = sources.iter().map(|source| &source.text);
    let fresh: Vec<(String, u64)> = texts.map(|text| rewrite::fresh(text)).collect();
    design.translate(sources, options, |_, cell, change| {
        let file = cell.span.file;
        rewrite::rewrite(cell, change, &sources[file].text, &fresh[file])
    })
}
