//! Walks through models, as other programs write them.

use hyperkill_frontend::{Frontend, FrontendOptions, Inputs, SourceFile};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::error::ScoreError;

/// Whether a text is a walk in JSON: a list, or a sequence of objects without the header of a document of this program.
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

/// A model whose walks (sequences of steps, written by other programs) are read.
#[derive(Clone, Copy)]
pub struct Walked<'a> {
    /// Language of the model.
    pub frontend: &'a dyn Frontend,
    /// Prepared sources of the model.
    pub sources: &'a [SourceFile],
    /// Options of the translation.
    pub options: &'a FrontendOptions,
}

impl Walked<'_> {
    /// Returns the inputs of each step of a walk. `text` is the content of the file `name`.
    ///
    /// # Errors
    /// If the text does not describe a walk of the model.
    pub fn read(&self, name: &str, text: String) -> Result<Vec<Inputs>, ScoreError> {
        match self.frontend.read_walk(self.sources, self.options, &text) {
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
