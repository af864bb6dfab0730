//! Models as text: accepted ones, and refused ones with the places of errors.

mod bad_input;
mod choices;
mod corpus;
mod featured;
mod models;
mod reading;
mod textual;
mod written;
