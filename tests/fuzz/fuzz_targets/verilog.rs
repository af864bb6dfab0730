//! Any text: read, translated with all mutants, and driven from outside, without a panic; a mutant's own text is read, too.
#![no_main]

use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile, apply};
use hyperkill_verilog::VerilogFrontend;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let options = FrontendOptions::default();
    let sources = [SourceFile::new("fuzz.v", text)];
    match VerilogFrontend.translate(&sources, &options) {
        Ok(translation) => {
            for (mutant, _) in translation.catalogue.iter().take(3) {
                let mutated = apply(text, mutant).expect("it is there");
                let sources = [SourceFile::new("mutant.v", mutated)];
                let _ = VerilogFrontend.translate(&sources, &options);
            }
            let _ = VerilogFrontend.hardware(&sources, &options);
        }
        Err(errors) => {
            let failed = |message: &str| message == "the translation failed";
            assert!(
                !errors.iter().any(|error| failed(&error.message)),
                "a panic"
            );
        }
    }
});
