//! Any text as a component of a project of Ecdar: read as one model and mutated, without a panic; what is made of it is XML that is read.
#![no_main]

use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_uppaal::ecdar::EcdarFrontend;
use hyperkill_uppaal::{document, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let options = FrontendOptions::default();
    let sources = vec![SourceFile::new("Components/P.json", text)];
    if let Ok(sources) = EcdarFrontend.prepare(sources, &options) {
        document::read(&sources[0].text).expect("what is made of a project is XML");
        let _ = read(&sources, &options);
    }
});
