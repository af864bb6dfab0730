//! Roles of variables, and the options of a reader.

use hyperkill_audit::documents::reading::RoleOptions;
use hyperkill_core::aiger::RoleGlobs;
use hyperkill_core::budget::Budget;
use hyperkill_core::system::InputRole;
use hyperkill_frontend::{self as frontend, FrontendOptions, Loader};

use crate::patterns::Globs;
use crate::reading::ModelSpec;
use crate::unfit::Unfit;

/// Compiled role options.
#[derive(Clone, Debug)]
pub struct CompiledRoles {
    pub(crate) inputs: Option<Globs>,
    pub(crate) outputs: Option<Globs>,
    pub(crate) nd: Option<Globs>,
    pub(crate) selectors: Option<Globs>,
}

impl CompiledRoles {
    /// Compiles the globs.
    ///
    /// # Errors
    /// If a glob is malformed.
    pub fn compile(spec: &RoleOptions) -> Result<CompiledRoles, Unfit> {
        Ok(CompiledRoles {
            inputs: Globs::compile("--inputs", &spec.inputs)?,
            outputs: Globs::compile("--outputs", &spec.outputs)?,
            nd: Globs::compile("--nd", &spec.nd)?,
            selectors: Globs::compile("--mut", &spec.selectors)?,
        })
    }

    /// Checks that every glob has matched a name.
    ///
    /// # Errors
    /// If a glob has matched no name.
    pub fn must_have_matched(&self) -> Result<(), Unfit> {
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

    /// Returns the options of a front end that set the roles of variables.
    #[must_use]
    pub fn options(&self) -> FrontendOptions {
        FrontendOptions {
            roles: frontend::RoleOptions {
                inputs: self.inputs.as_ref().map(Globs::predicate),
                choices: self.nd.as_ref().map(Globs::predicate),
                outputs: self.outputs.as_ref().map(Globs::predicate),
            },
            ..FrontendOptions::default()
        }
    }
}

impl RoleGlobs for CompiledRoles {
    fn input(&self, name: &str) -> Option<InputRole> {
        // A pattern may name a choice with the prefix `nd:` or without.
        let bare = name.strip_prefix("nd:").unwrap_or(name);
        let names = |globs: &Option<_>| {
            let globs: Option<&Globs> = globs.as_ref();
            globs.is_some_and(|globs| globs.matches(name) || globs.matches(bare))
        };
        // Both are evaluated, so that both are marked as used.
        match (names(&self.nd), names(&self.inputs)) {
            (true, _) => Some(InputRole::Choice),
            (false, true) => Some(InputRole::Test),
            (false, false) => None,
        }
    }

    fn is_selector(&self, latch: &str) -> Option<bool> {
        let globs = self.selectors.as_ref()?;
        globs.matches(latch).then_some(true)
    }

    fn is_observable(&self, output: &str) -> bool {
        self.outputs
            .as_ref()
            .is_none_or(|globs| globs.matches(output))
    }
}

/// The arguments for reading a model: its files, options and roles.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The files and options of the model.
    pub spec: &'a ModelSpec,
    /// Loads the files that sources include.
    pub loader: &'a Loader,
    /// The roles.
    pub roles: &'a CompiledRoles,
    /// Globs of the operators to use; all operators if empty.
    pub operators: &'a [String],
    /// The budget for reading and its queries.
    pub budget: &'a Budget,
}
