//! Systems of a formula: one model, or several composed side by side, one for each trace.

use hyperkill_audit::documents::Reading;
use hyperkill_audit::model::Loaded;
use hyperkill_audit::names::SOURCES;
use hyperkill_checker::hyperltl::FormulaError;
use hyperkill_core::ConditionalMutant;
use hyperkill_formulas::signals::near;
use hyperkill_formulas::systems::SystemsError;
use hyperkill_formulas::{ComposeError, Formula, Systems, TraceVar};
use hyperkill_frontend::{LineIndex, SourceFile};
use hyperkill_run::unfit::Unfit;

use crate::error::VerifyError;
use crate::refused::undecidable;

/// A formula with the models that it is about.
pub struct Subject {
    /// The models, each once, in the order of their numbers.
    pub loaded: Vec<Loaded>,
    /// For each trace of the prefix, the index of its model in `loaded`.
    pub of: Vec<usize>,
    /// Composition of all models in one circuit, if there are several.
    pub systems: Option<Systems>,
    /// The formula as the user wrote it, about signals of the models.
    pub written: Formula,
    /// The formula, translated to the composed circuit.
    pub said: Formula,
    /// Text of the formula with its origin, if known.
    pub text: Option<SourceFile>,
}

impl Subject {
    /// Returns a formula with its models, composed into one circuit if there are several. `of` contains the index of the model of each
    /// trace.
    ///
    /// # Errors
    /// If the formula cannot be translated to the composition.
    pub fn new(
        mut loaded: Vec<Loaded>,
        of: Vec<usize>,
        formula: &Formula,
    ) -> Result<Subject, VerifyError> {
        let mut subject = Subject {
            systems: None,
            said: formula.clone(),
            written: formula.clone(),
            loaded: Vec::new(),
            text: None,
            of,
        };
        if loaded.len() > 1 {
            for (number, loaded) in loaded.iter_mut().enumerate().skip(1) {
                keep_apart(&mut loaded.listing.reading, number);
            }
            let named = |loaded: &Loaded| ConditionalMutant {
                name: loaded.listing.description.name.clone(),
                ..loaded.model.clone()
            };
            let models = loaded.iter().map(named).collect();
            let systems = Systems::join(models).map_err(|error| Unfit::new(error.to_string()))?;
            let place = |trace: &TraceVar| formula.position(trace).map_or(0, |at| subject.of[at]);
            let said = systems.said(formula, &place);
            subject.said = said.map_err(|error| unsaid(&systems, formula, error))?;
            subject.systems = Some(systems);
        }
        subject.loaded = loaded;
        Ok(subject)
    }

    /// Returns the circuit whose traces the formula is about.
    #[must_use]
    pub fn model(&self) -> &ConditionalMutant {
        match &self.systems {
            Some(systems) => &systems.model,
            None => &self.loaded[0].model,
        }
    }

    /// Returns the names of the systems that traces belong to: `original` and `mutant`, or those of the composed models.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        match &self.systems {
            Some(systems) => systems.names(),
            None => vec!["original", "mutant"],
        }
    }

    /// Returns the reason why the formula is not decided, with the place of the error in its text.
    #[must_use]
    pub fn undecidable(&self, error: FormulaError) -> VerifyError {
        let name = match &error {
            FormulaError::Compose(
                ComposeError::UnknownSignal { name }
                | ComposeError::NotOneBit { name, .. }
                | ComposeError::NoSuchValue { name, .. }
                | ComposeError::SortsDiffer { left: name, .. },
            ) => Some(name.clone()),
            _ => None,
        };
        let place = name.and_then(|name| place_of(self.text.as_ref()?, &name));
        match place {
            Some(place) => undecidable(error, self.model(), &place),
            None => undecidable(error, self.model(), &self.written),
        }
    }

    /// Returns the names of the traces that belong to the model with this index; empty if there is only one model.
    #[must_use]
    pub fn traces(&self, number: usize) -> Vec<String> {
        if self.systems.is_none() {
            return Vec::new();
        }
        let traces = self.written.prefix.iter().zip(&self.of);
        let own = traces.filter(|(_, of)| **of == number);
        own.map(|((_, trace), _)| trace.to_string()).collect()
    }
}

/// Prefixes the names of a model's copied files with its number, for models after the first, so that they differ from the first's.
fn keep_apart(reading: &mut Reading, number: usize) {
    let which = match number {
        1 => "second".to_owned(),
        2 => "third".to_owned(),
        _ => format!("system-{}", number + 1),
    };
    let own = |copy: &mut String| {
        if let Some(name) = copy.strip_prefix(&format!("{SOURCES}/")) {
            *copy = format!("{SOURCES}/{which}-{name}");
        }
    };
    for source in &mut reading.sources {
        source.copy.iter_mut().for_each(own);
    }
    for made in &mut reading.made {
        own(&mut made.copy);
    }
}

/// Returns line and column of a name in a text; `None` if the name is not in it.
fn place_of(source: &SourceFile, name: &str) -> Option<String> {
    let SourceFile {
        name: origin, text, ..
    } = source;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = text.match_indices(name).filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    });
    let (line, column) = LineIndex::new(text).line_column(found.next()?.0);
    Some(format!("{origin}: line {line}, column {column}"))
}

fn unsaid(systems: &Systems, formula: &Formula, error: SystemsError) -> Unfit {
    let failure = Unfit::new(format!("{formula}: {error}"));
    if let SystemsError::UnknownSignal { name, system, .. } = &error
        && let names = near(systems.system(*system), name)
        && !names.is_empty()
    {
        return failure.with_help(format!("there is {}", names.join(", ")));
    }
    failure
}
