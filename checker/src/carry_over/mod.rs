//! Results that a run of an edited model can take over from the run before the edit.
//!
//! A verdict depends on everything that its mutant can change, on the original's values there, on the constraints, and on initial values.
//! If two versions of a model agree in all of this, by names and structure, their verdicts are the same ([`Contents::alike`]). The evidence
//! refers to another circuit, since the versions differ elsewhere. [`Transfer`] translates it to the new circuit, where it counts only
//! after it has been certified. Verdicts without such agreement may still be the same; their evidence is translated and certified too.

mod cone;
mod transfer;
mod view;

pub use cone::{Contents, Key};
pub use transfer::Transfer;
