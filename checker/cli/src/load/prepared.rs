//! Source texts after the constants of `-D` are set, before translation.

use hyperkill_frontend::{Frontend, FrontendOptions, Hardware, SourceFile};
use hyperkill_run::load::describe::of_texts;
use hyperkill_run::load::roles::Asked;
use hyperkill_run::load::source;
use hyperkill_run::reading::ModelSpec;

use super::language::Language;
use super::origin::Origin;
use super::sources::{sources, with_options};
use crate::documents::ModelDescription;
use crate::failure::Failure;
use crate::session::Session;

/// Source texts after the constants of `-D` are set, before translation.
pub(crate) struct Prepared {
    /// The description of the model.
    pub description: ModelDescription,
    /// The front end.
    pub frontend: Box<dyn Frontend>,
    /// The texts.
    pub sources: Vec<SourceFile>,
    /// The options for the front end.
    pub options: FrontendOptions,
}

impl Prepared {
    /// Returns the pins of a hardware design; `None` for other models.
    ///
    /// # Errors
    /// If the design cannot be read.
    pub(crate) fn hardware(&self) -> Result<Option<Hardware>, Failure> {
        let hardware = self.frontend.hardware(&self.sources, &self.options);
        hardware.map_err(|diagnostics| Failure::diagnosed(&self.sources, diagnostics))
    }
}

/// Reads the sources of a model that is not an AIGER file.
///
/// # Errors
/// If files cannot be read, options do not fit, or the model is an AIGER file.
pub(crate) fn prepared(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    origin: Origin<'_>,
) -> Result<Prepared, Failure> {
    let _reading = session.stage("the model was read");
    let frontend = Language::of(session, spec, origin)?.built_in()?;
    let sources = sources(session, spec, origin)?;
    let read = |_: &mut Session<'_>, asked: &Asked<'_>| {
        // New transitions need declared channels, one set for each change, so the order changes the text.
        let order = spec.options.mutant_order();
        let order = order.filter(|_| frontend.is_about_processes());
        let options = FrontendOptions {
            order: order.map(|order| order.changes),
            ..asked.roles.options()
        };
        Ok(source::prepare(frontend.as_ref(), sources, asked, options)?)
    };
    let (sources, options) = with_options(session, spec, origin, &[], read)?;
    Ok(Prepared {
        description: of_texts(frontend.name(), &sources),
        frontend,
        sources,
        options,
    })
}
