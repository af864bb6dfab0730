//! All mutants in one file: the constant `const int MUTANT` selects a mutant, and 0 selects the model.
//!
//! A transition that a mutant changes or lacks is guarded for the other mutants; its replacement is guarded for this mutant alone.
//! Mutated constants of invariants become conditional expressions, since invariants cannot have guarded alternatives.

use std::collections::BTreeMap;
use std::fmt::Write;

use hyperkill_core::mutant::Mutant;
use hyperkill_frontend::{Diagnostic, FrontendOptions, Span, apply};

use crate::document::{self, Nta, TemplateText, TransitionText};
use crate::model::typed;
use crate::xml;
use hyperkill_text::Excerpt;

/// Name of the selecting constant.
const WHICH: &str = "MUTANT";

/// The number of mutants in one file, at most.
const MAX_MUTANTS: usize = 20_000;

/// The content of a transition, for comparisons: source, target, labels, and whether it is controllable.
type Said = (usize, usize, [String; 4], Option<bool>);

/// Returns a file that is the model or one of these mutants, selected by a constant. Mutants are numbered from 1 in their order.
///
/// # Errors
/// If the source is no valid model, there are too many mutants, or a mutant cannot be combined with the others.
pub(crate) fn featured(
    source: &str,
    mutants: &[&Mutant],
    options: &FrontendOptions,
) -> Result<String, Vec<Diagnostic>> {
    let typed = typed(source)?;
    let process = typed.tested(options).map_err(|error| vec![error])?;
    let name = process.template.name.text.clone();
    let mut nta = typed.nta;
    let refuse = |message: String| Err(vec![Diagnostic::unlocated(message)]);
    if nta.declaration.plain.contains(WHICH) || source.contains(&format!("{WHICH} ")) {
        return refuse(format!("the model has something called `{WHICH}` already"));
    }
    if mutants.len() > MAX_MUTANTS {
        return refuse(format!(
            "more than {MAX_MUTANTS} mutants are too many for one file"
        ));
    }
    let Some(at) = nta.templates.iter().position(|t| t.name == name) else {
        return refuse("the process has no template".to_owned());
    };
    let mut merged = Merged::new(&nta.templates[at]);
    let mut table = String::new();
    for (number, mutant) in mutants.iter().enumerate() {
        let number = number + 1;
        let _ = writeln!(
            table,
            "// {number}: {} {} {}",
            mutant.id, mutant.operator, mutant.path
        );
        let span = Span::new(mutant.place.start, mutant.place.end);
        let original = &nta.templates[at];
        let is_one = mutant.changes.is_empty();
        if is_one && merged.in_invariant(original, number, span, &mutant.replacement) {
            continue;
        }
        let text = apply(source, mutant);
        let text = text.map_err(|stale| vec![Diagnostic::unlocated(stale.to_string())])?;
        let changed = document::read(&text)?;
        let changed = changed.templates.iter().find(|t| t.name == name);
        let fits = changed.is_some_and(|changed| merged.transitions(original, number, changed));
        if !fits {
            return refuse(format!(
                "{}: this mutant cannot be there beside others",
                mutant.id
            ));
        }
    }
    merged.finish(&mut nta, at);
    let declared = format!(
        "// Which mutant it is; 0 is the model.\nconst int {WHICH} = 0;\n{table}{}",
        nta.declaration.plain
    );
    nta.declaration = Excerpt::as_it_is(&declared);
    Ok(xml::written(&nta))
}

/// Mutated constants by their places in a text: for each the numbers of mutants and their replacements.
type Constants = BTreeMap<(usize, usize), Vec<(usize, String)>>;

#[derive(Default)]
struct Merged {
    /// For each transition of the model the mutants that lack it.
    lacking: Vec<Vec<usize>>,
    /// Added transitions, each with the number of its mutant.
    added: Vec<(usize, TransitionText)>,
    /// For each location, the mutated constants of its invariant by their places in the text.
    constants: BTreeMap<usize, Constants>,
}

fn plain(text: &Option<Excerpt>) -> String {
    text.as_ref()
        .map_or(String::new(), |text| text.plain.trim().to_owned())
}

fn said(transition: &TransitionText) -> Said {
    let labels = [
        plain(&transition.select),
        plain(&transition.guard),
        plain(&transition.sync),
        transition.updates(),
    ];
    let controllable = transition.controllable.map(|(says, _)| says);
    (transition.source, transition.target, labels, controllable)
}

impl Merged {
    fn new(template: &TemplateText) -> Merged {
        Merged {
            lacking: vec![Vec::new(); template.transitions.len()],
            ..Merged::default()
        }
    }

    /// Records the mutant `number` if it replaces a constant in an invariant, at `span`. Returns whether it does.
    fn in_invariant(
        &mut self,
        template: &TemplateText,
        number: usize,
        span: Span,
        replacement: &str,
    ) -> bool {
        for (location, text) in template.locations.iter().enumerate() {
            let Some(invariant) = &text.invariant else {
                continue;
            };
            let length = invariant.plain.len();
            let whole = invariant.span(0, length);
            if span.start < whole.start || span.end > whole.end {
                continue;
            }
            let starts = (0..length).filter(|at| invariant.plain.is_char_boundary(*at));
            let mut starts = starts.filter(|at| invariant.span(*at, at + 1).start == span.start);
            let start = starts.next();
            let end = (1..=length).find(|end| {
                invariant.plain.is_char_boundary(*end)
                    && invariant.span(end - 1, *end).end == span.end
            });
            let Some((start, end)) = start.zip(end).filter(|(start, end)| start < end) else {
                continue;
            };
            let constants = self.constants.entry(location).or_default();
            let replacement = crate::xml::unescaped(replacement);
            constants
                .entry((start, end))
                .or_default()
                .push((number, replacement));
            return true;
        }
        false
    }

    /// Records the transitions of the mutant `number` that differ from those of the model; `changed` is its template. Returns false, and
    /// records nothing, if an invariant differs or a location is new.
    fn transitions(
        &mut self,
        template: &TemplateText,
        number: usize,
        changed: &TemplateText,
    ) -> bool {
        let ids = |template: &TemplateText| -> Vec<String> {
            template.locations.iter().map(|l| l.id.clone()).collect()
        };
        let (known, left) = (ids(template), ids(changed));
        // Removing a location changes the numbers of later ones.
        let renumbered = |transition: &TransitionText| -> Option<TransitionText> {
            let of = |at: usize| known.iter().position(|id| left.get(at) == Some(id));
            let (source, target) = (of(transition.source)?, of(transition.target)?);
            let transition = transition.clone();
            Some(TransitionText {
                source,
                target,
                ..transition
            })
        };
        let invariants = |template: &TemplateText| -> BTreeMap<String, String> {
            let locations = template.locations.iter();
            locations
                .map(|l| (l.id.clone(), plain(&l.invariant)))
                .collect()
        };
        let own = invariants(template);
        let same = invariants(changed)
            .iter()
            .all(|(id, text)| own.get(id) == Some(text));
        let own: Option<Vec<TransitionText>> = changed.transitions.iter().map(renumbered).collect();
        let Some(mut own) = own.filter(|_| same) else {
            return false;
        };
        for (transition, lacking) in template.transitions.iter().zip(&mut self.lacking) {
            let known = own.iter().position(|other| said(other) == said(transition));
            match known {
                Some(known) => _ = own.remove(known),
                None => lacking.push(number),
            }
        }
        self.added
            .extend(own.into_iter().map(|transition| (number, transition)));
        true
    }

    fn finish(self, nta: &mut Nta, at: usize) {
        let template = &mut nta.templates[at];
        for (transition, lacking) in template.transitions.iter_mut().zip(&self.lacking) {
            let others = lacking.iter().map(|number| format!("{WHICH} != {number}"));
            only_if(transition, &others.collect::<Vec<_>>());
        }
        for (number, mut transition) in self.added {
            only_if(&mut transition, &[format!("{WHICH} == {number}")]);
            template.transitions.push(transition);
        }
        for (location, constants) in self.constants {
            let location = &mut template.locations[location];
            let mut text = plain_of(&location.invariant);
            // Replacement proceeds from the end, so that earlier places stay valid.
            for ((start, end), changes) in constants.into_iter().rev() {
                let own = text.get(start..end).unwrap_or("").to_owned();
                let mut value = String::new();
                for (number, changed) in changes {
                    let _ = write!(value, "{WHICH} == {number} ? {changed} : ");
                }
                text.replace_range(start..end, &format!("({value}{own})"));
            }
            location.invariant = Some(Excerpt::as_it_is(&text));
        }
    }
}

fn plain_of(text: &Option<Excerpt>) -> String {
    text.as_ref()
        .map_or(String::new(), |text| text.plain.clone())
}

/// Adds these conditions to the guard of a transition.
fn only_if(transition: &mut TransitionText, conditions: &[String]) {
    if conditions.is_empty() {
        return;
    }
    let mut all = conditions.to_vec();
    let guard = plain(&transition.guard);
    let guard = guard.trim_end_matches([',', ';']);
    if !guard.is_empty() {
        // Older guards have commas between their parts.
        all.push(guard.to_owned());
    }
    let sign = if guard.contains(',') { ", " } else { " && " };
    let is_loose = guard.contains("||")
        || guard.contains(" or ")
        || guard.contains("imply")
        || guard.contains('?');
    if let (true, Some(last)) = (is_loose && sign == " && ", all.last_mut()) {
        *last = format!("({last})");
    }
    transition.guard = Some(Excerpt::as_it_is(&all.join(sign)));
}
