//! Models as text: what is read, what is refused and where.

mod bad_input;
mod corpus;
mod featured;
mod models;
mod reading;
mod textual;
