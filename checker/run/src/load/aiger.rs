//! AIGER files as models: the circuit as it is, with roles from names and options.

use std::collections::BTreeMap;
use std::path::Path;

use hyperkill_audit::model::{Draft, Listed, Loaded};
use hyperkill_core::aiger::{AigerError, conditional_mutant, read};
use hyperkill_core::mutant::{Mutant, MutantId};

use super::describe::{describe, listing};
use super::error::{LoadError, Malformed};
use super::roles::CompiledRoles;
use crate::documents::build::signature;

/// The name of the language.
pub const AIGER: &str = "aiger";

/// Parses a circuit with all its mutants.
///
/// # Errors
/// If the file is malformed, a selector is not a valid selector latch, or options match nothing.
pub fn translate(file: &Path, bytes: &[u8], options: &CompiledRoles) -> Result<Draft, LoadError> {
    let name = file.to_string_lossy().into_owned();
    let aig = read(bytes).map_err(|error| malformed(&name, bytes, &error))?;
    let mut model = conditional_mutant(aig, options)
        .map_err(|error| LoadError::Model(format!("{name}: {error}")))?;
    options.must_have_matched()?;
    let description = describe(&name, AIGER, std::iter::once((name.as_str(), bytes)));
    if model.name.is_empty() {
        model.name = file
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    }
    let table: BTreeMap<&MutantId, &Mutant> = model.mutants.iter().map(|m| (&m.id, m)).collect();
    let listed = model.selectors.iter().map(|selector| Listed {
        id: selector.id.clone(),
        mutant: table.get(&selector.id).copied().cloned(),
        problem: None,
    });
    Ok(Draft {
        listed: listed.collect(),
        loaded: Loaded {
            listing: listing(description, Vec::new(), signature(&model)),
            model,
            validity: None,
            options: None,
        },
        checks: None,
        warnings: Vec::new(),
    })
}

fn malformed(file: &str, bytes: &[u8], error: &AigerError) -> Malformed {
    let excerpt = error.location.line_column.and_then(|(line, column)| {
        let text = bytes.split(|&byte| byte == b'\n').nth(line - 1)?;
        let before = text.get(..column - 1).unwrap_or(text);
        let column = String::from_utf8_lossy(before).chars().count();
        Some((String::from_utf8_lossy(text).into_owned(), column))
    });
    let help = if bytes.starts_with(b"aag") || bytes.starts_with(b"aig") {
        None
    } else {
        Some("an AIGER file starts with `aag` or `aig`; models in other languages go through `hyperkill translate` or \
            `hyperkill run`".to_owned())
    };
    Malformed {
        file: file.to_owned(),
        message: error.to_string(),
        excerpt,
        help,
    }
}
