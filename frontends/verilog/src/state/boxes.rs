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
    /// What takes its place.
    pub kind: BoxKind,
    /// What tells its function from those of other instances.
    pub key: String,
    /// Where it stands.
    pub scope: ScopeId,
    /// Its own scope.
    pub inner: ScopeId,
    /// Names of ports, and what they are connected to.
    pub connections: Vec<(String, ExprId)>,
    /// Its place.
    pub place: Span,
}
