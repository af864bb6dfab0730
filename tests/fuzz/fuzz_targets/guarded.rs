//! Any text as an action system, as a machine in one of three languages: read, mutated and lowered, without a panic; of each mutant its own
//! text is read, too.
#![no_main]

use hyperkill_action_systems::ActionSystemFrontend;
use hyperkill_efsm::MachineFrontend;
use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile, apply};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let options = FrontendOptions::default();
    let languages: [(&str, &dyn Frontend); 4] = [
        ("fuzz.as", &ActionSystemFrontend),
        ("fuzz.efsm", &MachineFrontend::Efsm),
        ("fuzz.json", &MachineFrontend::GraphWalker),
        ("fuzz.gv", &MachineFrontend::EfsmTools),
    ];
    for (name, language) in languages {
        let sources = vec![SourceFile::new(name, text)];
        let Ok(sources) = language.prepare(sources, &options) else {
            continue;
        };
        let Ok(read) = language.translate(&sources, &options) else {
            continue;
        };
        for (mutant, _) in read.catalogue.iter().take(3) {
            let mutated = apply(&sources[0].text, mutant).expect("it is there");
            let _ = language.translate(&[SourceFile::new(name, mutated)], &options);
        }
    }
});
