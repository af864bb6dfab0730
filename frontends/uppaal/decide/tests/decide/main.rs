//! Deciding Uppaal models: the tables of \[0\], and random models.

mod ecdar;
mod random_models;
mod second_order;
mod tables;
