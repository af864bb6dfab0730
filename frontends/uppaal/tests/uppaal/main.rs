//! Models as text: what is read, what is refused and where.

mod bad_input;
mod choices;
mod corpus;
mod featured;
mod models;
mod reading;
mod textual;
mod written;
