//! What a run of an edited model can take over from the run before the edit.
//!
//! A verdict depends on what its mutant can change, on what that is compared with, on the constraints, and on where all this begins. Two
//! verdicts of two versions of a model that agree in all of it, by names and structure, are the same ([`Contents::alike`]). Their evidence
//! is about other circuits, since elsewhere the versions differ: [`Transfer`] says it in terms of the new one. It is no evidence before it
//! has been certified there. Verdicts that do not agree so may still be the same: then their evidence is certified as well.

mod cone;
mod transfer;
mod view;

pub use cone::{Contents, Key};
pub use transfer::Transfer;
