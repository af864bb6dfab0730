//! Any text as a model of Uppaal, in XML or in the textual format, in its environment as well as alone: read, mutated, and written for
//! others, without a panic; mutants' own texts are read, too.
#![no_main]

use hyperkill_frontend::{Frontend, FrontendOptions, ProcessOptions, SourceFile, apply};
use hyperkill_uppaal::{UppaalFrontend, read, read_mutant};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let environments = [None, Some("network".to_owned())];
    for environment in environments {
        let options = FrontendOptions {
processes: ProcessOptions { environment,
..ProcessOptions::default() },
..FrontendOptions::default()
};
        let sources = vec![SourceFile::new("fuzz.xml", text)];
        let Ok(sources) = UppaalFrontend.prepare(sources, &options) else {
            continue;
        };
        let Ok(model) = read(&sources, &options) else {
            continue;
        };
        let text = &sources[0].text;
        for mutation in model.mutations.iter().take(3) {
            let mutated = apply(text, &mutation.mutant).expect("it is there");
            if read_mutant(text, &mutated, &options).is_ok() {
                let _ = UppaalFrontend.emitted(&mutated, &options);
            }
        }
    }
});
