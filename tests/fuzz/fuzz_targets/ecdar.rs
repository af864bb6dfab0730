//! Any text as a component of a project of Ecdar: read as one model and mutated, without a panic; faults of what is made of it have places
//! there.
#![no_main]

use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_uppaal::ecdar::EcdarFrontend;
use hyperkill_uppaal::{document, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let options = FrontendOptions::default();
    let sources = vec![SourceFile::new("Components/P.json", text)];
    if let Ok(sources) = EcdarFrontend.prepare(sources, &options) {
        let text = &sources[0].text;
        for fault in document::read(text).err().into_iter().flatten() {
            let span = fault.span.expect("a place");
            assert!(text.get(span.start..span.end).is_some(), "{span:?}");
        }
        let _ = read(&sources, &options);
    }
});
