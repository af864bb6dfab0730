//! The rules of the house: what packages may see, what files look like, where citations and links lead.

mod architecture;
mod documents;
mod roots;
