//! Roles of variables, and the options of a reader.

use super::origin::Origin;
use crate::documents::reading::RoleOptions;
use crate::failure::Failure;
use hyperkill_run::patterns::Globs;
use hyperkill_run::reading::ModelSpec;

/// Role options, compiled.
#[derive(Clone, Debug)]
pub struct CompiledRoles {
    pub(super) inputs: Option<Globs>,
    pub(super) outputs: Option<Globs>,
    pub(super) nd: Option<Globs>,
    pub(super) selectors: Option<Globs>,
}

impl CompiledRoles {
    /// Compiles the globs.
    ///
    /// # Errors
    /// If one is malformed.
    pub fn compile(spec: &RoleOptions) -> Result<CompiledRoles, Failure> {
        Ok(CompiledRoles {
            inputs: Globs::compile("--inputs", &spec.inputs)?,
            outputs: Globs::compile("--outputs", &spec.outputs)?,
            nd: Globs::compile("--nd", &spec.nd)?,
            selectors: Globs::compile("--mut", &spec.selectors)?,
        })
    }

    /// Fails if a glob has matched nothing.
    pub(super) fn must_have_matched(&self) -> Result<(), Failure> {
        let options = [
            (&self.inputs, "input"),
            (&self.outputs, "output"),
            (&self.nd, "input"),
            (&self.selectors, "latch"),
        ];
        for (globs, what) in options {
            if let Some(globs) = globs {
                globs.must_have_matched(what)?;
            }
        }
        Ok(())
    }
}

/// How a model is to be read.
pub(super) struct Asked<'a> {
    pub(super) spec: &'a ModelSpec,
    pub(super) origin: Origin<'a>,
    pub(super) roles: &'a CompiledRoles,
    pub(super) operators: &'a [String],
}
