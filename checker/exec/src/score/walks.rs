//! Walks through models that other programs write.

use hyperkill_frontend::{Frontend, FrontendOptions, Inputs, SourceFile};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::error::ScoreError;

/// Whether a text is a list, or objects that are no document of ours.
#[must_use]
pub fn is_walk(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Document {
        schema: Option<IgnoredAny>,
    }
    // Some editors begin a text with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('[') {
        return true;
    }
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Document>();
    matches!(objects.next(), Some(Ok(Document { schema: None })))
}

/// A model as a language reads walks through it.
#[derive(Clone, Copy)]
pub struct Walked<'a> {
    /// Its language.
    pub frontend: &'a dyn Frontend,
    /// Its texts, prepared.
    pub sources: &'a [SourceFile],
    /// The options that it is read with.
    pub options: &'a FrontendOptions,
}

impl Walked<'_> {
    /// The inputs of a walk, from the text of the file with this name.
    ///
    /// # Errors
    /// If the text is no walk of the model.
    pub fn read(&self, name: &str, text: String) -> Result<Vec<Inputs>, ScoreError> {
        match self.frontend.walked(self.sources, self.options, &text) {
            Ok(Some(inputs)) => Ok(inputs),
            Ok(None) => {
                let language = self.frontend.name();
                let message = format!("{name} is a walk, and models in {language} have none");
                Err(ScoreError::unfit(message))
            }
            Err(errors) => {
                let mut sources = self.sources.to_vec();
                sources.push(SourceFile::new(name, text));
                Err(ScoreError::NoWalk { sources, errors })
            }
        }
    }
}
