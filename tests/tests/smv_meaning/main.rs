//! Meaning of SMV texts, compared with NuSMV and with enumerated states.

mod emitted;
mod modules;
mod nusmv;
mod public;
mod relational;
mod replay;
mod totality;
