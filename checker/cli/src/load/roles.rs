//! Roles of variables, and the options of a reader.

use super::origin::Origin;
use crate::args::{ModelArgs, RoleArgs};
use crate::documents::Reading;
use crate::failure::Failure;
use hyperkill_run::patterns::Globs;

/// Role options, compiled.
#[derive(Clone, Debug)]
pub struct RoleOptions {
    pub(super) inputs: Option<Globs>,
    pub(super) outputs: Option<Globs>,
    pub(super) nd: Option<Globs>,
    pub(super) selectors: Option<Globs>,
}

impl RoleOptions {
    /// Compiles the globs.
    ///
    /// # Errors
    /// If one is malformed.
    pub fn compile(args: &RoleArgs) -> Result<RoleOptions, Failure> {
        Ok(RoleOptions {
            inputs: Globs::compile("--inputs", &args.inputs)?,
            outputs: Globs::compile("--outputs", &args.outputs)?,
            nd: Globs::compile("--nd", &args.nd)?,
            selectors: Globs::compile("--mut", &args.selectors)?,
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

pub(super) fn reading_roles(roles: &RoleArgs) -> Reading {
    Reading {
        inputs: roles.inputs.clone(),
        outputs: roles.outputs.clone(),
        nd: roles.nd.clone(),
        selectors: roles.selectors.clone(),
        ..Reading::default()
    }
}

/// How a model is to be read.
pub(super) struct Asked<'a> {
    pub(super) args: &'a ModelArgs,
    pub(super) origin: Origin<'a>,
    pub(super) roles: &'a RoleOptions,
    pub(super) operators: &'a [String],
}
