//! Instances of modules that no file defines.

use hyperkill_frontend::Span;
use hyperkill_frontend::boxes::BoxKind;

use crate::ast::{ExprId, Name};
use crate::design::ScopeId;

/// An instance of a module that no file defines. Its ports are known when all processes have been executed.
#[derive(Clone, Debug)]
pub struct OpenBox {
    /// The module.
    pub module: Name,
    /// Its replacement: choices, or an unknown function.
    pub kind: BoxKind,
    /// The key that distinguishes its function from the functions of other instances.
    pub key: String,
    /// The scope of the instance.
    pub scope: ScopeId,
    /// Its own scope.
    pub inner: ScopeId,
    /// Names of ports, and the connected expressions.
    pub connections: Vec<(String, ExprId)>,
    /// Its place.
    pub place: Span,
}
