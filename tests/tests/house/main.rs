//! Rules of the repository: dependencies of packages, form of files, targets of citations and links.

mod architecture;
mod documents;
mod messages;
mod roots;
