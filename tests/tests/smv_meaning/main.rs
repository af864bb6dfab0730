//! What SMV texts mean, beside NuSMV and beside states listed one by one.

mod emitted;
mod modules;
mod nusmv;
mod public;
mod relational;
mod replay;
mod totality;
