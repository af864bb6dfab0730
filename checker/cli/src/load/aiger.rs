//! AIGER files as models: the circuit as it is, roles by names and options.

use std::collections::BTreeMap;
use std::path::Path;

use hyperkill_core::aiger::{AigerError, RoleGlobs, conditional_mutant, read};
use hyperkill_core::mutant::{Mutant, MutantId};
use hyperkill_core::system::InputRole;

use super::files::describe;
use super::roles::CompiledRoles;
use crate::documents::Reading;
use crate::documents::build::signature;
use crate::failure::Failure;
use crate::languages;
use crate::model::{Draft, Listed, Listing, Loaded};

/// Reads a circuit with all its mutants.
pub(super) fn translate(
    file: &Path,
    bytes: &[u8],
    options: &CompiledRoles,
) -> Result<Draft, Failure> {
    let name = file.to_string_lossy().into_owned();
    let aig = read(bytes).map_err(|error| malformed(&name, bytes, &error))?;
    let mut model = conditional_mutant(aig, options)
        .map_err(|error| Failure::model(format!("{name}: {error}")))?;
    options.must_have_matched()?;
    let description = describe(
        &name,
        languages::AIGER,
        std::iter::once((name.as_str(), bytes)),
    );
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
            listing: Listing {
                description,
                reading: Reading::default(),
                copies: Vec::new(),
                sources: Vec::new(),
                catalogue: Vec::new(),
                role_notes: Vec::new(),
                places: BTreeMap::new(),
                signature: signature(&model),
            },
            model,
            validity: None,
            options: None,
        },
        checks: None,
        warnings: Vec::new(),
    })
}

fn malformed(file: &str, bytes: &[u8], error: &AigerError) -> Failure {
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
    Failure::Bytes {
        file: file.to_owned(),
        message: error.to_string(),
        excerpt,
        help,
    }
}

impl RoleGlobs for CompiledRoles {
    fn input(&self, name: &str) -> Option<InputRole> {
        // A pattern may name a choice with its mark or without.
        let bare = name.strip_prefix("nd:").unwrap_or(name);
        let names = |globs: &Option<_>| {
            let globs: Option<&hyperkill_run::patterns::Globs> = globs.as_ref();
            globs.is_some_and(|globs| globs.matches(name) || globs.matches(bare))
        };
        // Both are asked, so that both count as used.
        match (names(&self.nd), names(&self.inputs)) {
            (true, _) => Some(InputRole::Choice),
            (false, true) => Some(InputRole::Test),
            (false, false) => None,
        }
    }

    fn is_selector(&self, latch: &str) -> Option<bool> {
        let globs = self.selectors.as_ref()?;
        globs.matches(latch).then_some(true)
    }

    fn is_observable(&self, output: &str) -> bool {
        self.outputs
            .as_ref()
            .is_none_or(|globs| globs.matches(output))
    }
}
