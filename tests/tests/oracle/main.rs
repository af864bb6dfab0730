//! The oracle itself, against plain enumeration and examples judged by hand.

mod adaptive;
mod cross_check;
mod examples;
mod subsets;
