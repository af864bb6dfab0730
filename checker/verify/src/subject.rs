//! What a formula is about: a model, or several systems side by side, one for each trace.

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

/// A formula and what it is about.
pub struct Subject {
    /// The models, each once.
    pub loaded: Vec<Loaded>,
    /// The system of each trace of the prefix.
    pub of: Vec<usize>,
    /// All models in one circuit, if there are several.
    pub systems: Option<Systems>,
    /// The formula as the user wrote it.
    pub written: Formula,
    /// The formula, said of the circuit.
    pub said: Formula,
    /// Where the formula is written, if that is known.
    pub text: Option<SourceFile>,
}

impl Subject {
    /// Puts models together. `of` is the model of each trace of the prefix.
    ///
    /// # Errors
    /// If the formula cannot be said of them.
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

    /// The circuit that traces are of.
    #[must_use]
    pub fn model(&self) -> &ConditionalMutant {
        match &self.systems {
            Some(systems) => &systems.model,
            None => &self.loaded[0].model,
        }
    }

    /// What traces of the original and of the mutant, or of each system, are traces of.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        match &self.systems {
            Some(systems) => systems.names(),
            None => vec!["original", "mutant"],
        }
    }

    /// Why the formula is not decided, with the place of what is wrong in its text.
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

    /// The variables of the traces of a model; none if there is only one model.
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

/// Copies of the files of all models but the first have names of their own.
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

/// The line and the column of a name in a text.
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
