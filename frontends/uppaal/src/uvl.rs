//! Writes mutants as a feature model in the Universal Variability Language. A configuration is the model or one of its mutants; the
//! guidelines exclude needless mutants.

use std::fmt::Write;

use crate::guidelines::Guideline;
use crate::mutate::Mutation;

/// Returns the feature model. A product is the model, or one of `mutations` for which `needless` does not hold: it violates no guideline.
#[must_use]
pub fn written<'a>(
    process: &str,
    mutations: impl Iterator<Item = &'a Mutation> + Clone,
    needless: impl Fn(&Mutation) -> bool,
) -> String {
    let mut text = format!(
        "features\n\t{}\n\t\talternative\n\t\t\toriginal\n",
        quoted(process)
    );
    let mut operators: Vec<&str> = mutations
        .clone()
        .map(|m| m.mutant.operator.as_str())
        .collect();
    operators.dedup();
    let mut seen = std::collections::BTreeSet::new();
    operators.retain(|operator| seen.insert(*operator));
    for operator in operators {
        let _ = writeln!(
            text,
            "\t\t\t{} {{abstract}}\n\t\t\t\talternative",
            quoted(operator)
        );
        for mutation in mutations.clone().filter(|m| m.mutant.operator == operator) {
            let mutant = &mutation.mutant;
            let path = attribute(&mutant.path);
            let id = quoted(&mutant.id.0);
            let _ = writeln!(
                text,
                "\t\t\t\t\t{id} {{path '{path}', line {}}}",
                mutant.place.line
            );
        }
    }
    let violating: Vec<(&Mutation, Guideline)> = mutations
        .filter(|mutation| needless(mutation))
        .filter_map(|mutation| Some((mutation, mutation.meaning?)))
        .collect();
    if !violating.is_empty() {
        text.push_str("constraints\n");
    }
    for (mutation, guideline) in violating {
        let id = quoted(&mutation.mutant.id.0);
        let _ = writeln!(text, "\t!{id} // {guideline:?}");
    }
    text
}

/// Returns a name in double quotes. Characters that cannot stand inside become `_`.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace(['"', '\n', '.'], "_"))
}

fn attribute(text: &str) -> String {
    text.replace(['\'', '\n', '\\'], "_")
}
