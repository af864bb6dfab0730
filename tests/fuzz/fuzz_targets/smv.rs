//! Any text: read, printed and read again as the same text, and translated with all mutants, without a panic.
#![no_main]

use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, SourceFile};
use hyperkill_smv::{SmvFrontend, parser, printer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(parsed) = parser::parse(text) {
        let printed = printer::program(&parsed.program);
        let again = parser::parse(&printed).expect("what is printed can be read");
        assert_eq!(printer::program(&again.program), printed);
    }
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| true)),
        ..FrontendOptions::default()
    };
    let _ = SmvFrontend.translate(&[SourceFile::new("fuzz.smv", text)], &options);
});
