//! Source texts with constants written in, not translated.

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

/// Source texts with the constants given written in, not translated.
pub(crate) struct Prepared {
    /// What was read.
    pub description: ModelDescription,
    /// What reads it.
    pub frontend: Box<dyn Frontend>,
    /// The texts.
    pub sources: Vec<SourceFile>,
    /// The options that it is read with.
    pub options: FrontendOptions,
}

impl Prepared {
    /// The pins of the design, if it is one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn hardware(&self) -> Result<Option<Hardware>, Failure> {
        let hardware = self.frontend.hardware(&self.sources, &self.options);
        hardware.map_err(|diagnostics| Failure::diagnosed(&self.sources, diagnostics))
    }
}

/// Reads the sources of a model that is no circuit.
///
/// # Errors
/// If files cannot be read, options do not fit, or the model is a circuit.
pub(crate) fn prepared(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    origin: Origin<'_>,
) -> Result<Prepared, Failure> {
    let _reading = session.stage("the model was read");
    let frontend = Language::of(session, spec, origin)?.built_in()?;
    let sources = sources(session, spec, origin)?;
    let read = |_: &mut Session<'_>, asked: &Asked<'_>| {
        // Channels of new transitions are declared for each change, so that they are part of the model.
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
