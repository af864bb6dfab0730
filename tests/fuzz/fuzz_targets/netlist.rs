//! Any text as BLIF and as a netlist of yosys: translated with all mutants, each of which can be written out, without a panic.
#![no_main]

use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile, apply};
use hyperkill_netlist::NetlistFrontend;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let frontends: [&dyn Frontend; 2] = [&NetlistFrontend::Blif, &NetlistFrontend::Yosys];
    for frontend in frontends {
        let sources = [SourceFile::new("fuzz", text)];
        let options = FrontendOptions::default();
        let _ = frontend.hardware(&sources, &options);
        if let Ok(translation) = frontend.translate(&sources, &options) {
            for (mutant, _) in &translation.catalogue {
                apply(text, mutant).expect("it is there");
            }
        }
    }
});
