//! Descriptions of models that were read.

use std::collections::BTreeMap;
use std::fmt::Write;

use hyperkill_audit::model::Listing;
use hyperkill_frontend::SourceFile;
use sha2::{Digest, Sha256};

use crate::documents::build::published_name;
use crate::documents::{ModelDescription, Reading, Signature};

/// Describes texts in a language; the first one has the name of the model.
#[must_use]
pub fn of_texts(language: &str, sources: &[SourceFile]) -> ModelDescription {
    let contents = sources
        .iter()
        .map(|source| (source.name.as_str(), source.text.as_bytes()));
    describe(&sources[0].name, language, contents)
}

/// The listing of a model without mutants, of which nothing else is known.
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

/// Names, language and hash of what was read.
pub(crate) fn describe<'a>(
    name: &str,
    language: &str,
    contents: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> ModelDescription {
    let mut hash = Sha256::new();
    for (name, bytes) in contents {
        let name = published_name(name);
        // Lengths keep names and contents apart.
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
