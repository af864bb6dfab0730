//! Reads a model to list its mutants. If the language knows that all mutants are models, no circuit is made.

use hyperkill_core::ConditionalMutant;
use hyperkill_frontend::Frontend;
use hyperkill_run::load::kit::must_have_text;
use hyperkill_run::load::source;
use hyperkill_run::reading::ModelSpec;

use super::language::Language;
use super::model::{draft_in, judged, own_model, tell};
use super::origin::{Origin, read_sources};
use super::sources::with_options;
use crate::failure::Failure;
use crate::languages;
use crate::model::Listing;
use crate::session::Session;

/// A model of which mutants are listed.
pub(crate) struct Shown {
    /// Its description and mutants.
    pub(crate) listing: Listing,
    /// Its circuit, if one was made.
    pub(crate) circuit: Option<ConditionalMutant>,
}

/// Reads a model to list its mutants. If `shows_ports` holds, also reads its inputs and outputs.
///
/// # Errors
/// As [`super::model_from`].
pub(crate) fn listed(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    operators: &[String],
    shows_ports: bool,
) -> Result<Shown, Failure> {
    let _reading = session.stage("the model was read");
    let origin = Origin::Places(&spec.files);
    let language = Language::of(session, spec, origin)?;
    // A selection or combination of mutants needs the circuit before the listing.
    let takes_all = spec.taken.is_none() && spec.options.mutant_order().is_none();
    match language {
        Language::Source(frontend)
            if takes_all
                && spec.options.hardware.via.is_none()
                && languages::own(frontend.name()).is_none() =>
        {
            of_source(session, frontend.as_ref(), spec, operators, shows_ports)
        }
        language => {
            if let Some((frontend, procedures)) = language.own() {
                let model = own_model(session, spec, origin, operators, frontend, procedures)?;
                return Ok(Shown {
                    listing: model.listing,
                    circuit: None,
                });
            }
            let draft = draft_in(session, language, spec, origin, operators)?;
            let loaded = judged(session, draft)?;
            Ok(Shown {
                listing: loaded.listing,
                circuit: Some(loaded.model),
            })
        }
    }
}

fn of_source(
    session: &mut Session<'_>,
    frontend: &dyn Frontend,
    spec: &ModelSpec,
    operators: &[String],
    shows_ports: bool,
) -> Result<Shown, Failure> {
    let origin = Origin::Places(&spec.files);
    with_options(session, spec, origin, operators, |session, asked| {
        let sources = read_sources(session.io, spec, origin)?;
        must_have_text(spec, &sources)?;
        match source::listed(frontend, sources, asked, shows_ports)? {
            source::Found::Draft(draft) => {
                let loaded = judged(session, *draft)?;
                Ok(Shown {
                    listing: loaded.listing,
                    circuit: Some(loaded.model),
                })
            }
            source::Found::Listing(listing, warnings) => {
                tell(session, &listing, &warnings);
                Ok(Shown {
                    listing: *listing,
                    circuit: None,
                })
            }
        }
    })
}
