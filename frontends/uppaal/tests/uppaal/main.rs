//! Models as text: what is read, what is refused and where.

mod corpus;
