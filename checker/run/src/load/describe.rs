//! Descriptions of parsed models.

use std::collections::BTreeMap;
use std::fmt::Write;

use hyperkill_audit::model::Listing;
use hyperkill_frontend::SourceFile;
use sha2::{Digest, Sha256};

use crate::documents::build::published_name;
use crate::documents::{ModelDescription, Reading, Signature};

/// Returns the description of a model given as texts in a language. The name of the first text is the name of the model.
#[must_use]
pub fn of_texts(language: &str, sources: &[SourceFile]) -> ModelDescription {
    let contents = sources
        .iter()
        .map(|source| (source.name.as_str(), source.text.as_bytes()));
    describe(&sources[0].name, language, contents)
}

/// Returns the listing of a model with this signature, still without mutants and places of variables.
#[must_use]
pub fn listing(
    description: ModelDescription,
    sources: Vec<SourceFile>,
    signature: Signature,
) -> Listing {
    Listing {
        description,
        reading: Reading::default(),
        copies: Vec::new(),
        sources,
        catalogue: Vec::new(),
        role_notes: Vec::new(),
        places: BTreeMap::new(),
        signature,
    }
}

/// Returns the description of a model: its name, its language, and the hash of the names and contents of its sources.
pub(crate) fn describe<'a>(
    name: &str,
    language: &str,
    contents: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> ModelDescription {
    let mut hash = Sha256::new();
    for (name, bytes) in contents {
        let name = published_name(name);
        // Lengths in the hash separate names from contents.
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    let mut digits = String::from("sha256:");
    for byte in hash.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    ModelDescription {
        name: published_name(name),
        language: language.to_owned(),
        hash: digits,
    }
}
