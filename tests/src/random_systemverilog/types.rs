//! Packed types.

/// A packed type.
#[derive(Clone, Debug)]
pub(super) enum Type {
    /// `logic`, perhaps `signed`, with this many bits.
    Vector { width: usize, signed: bool },
    /// A name for another type, with its package.
    Named { name: String, of: Box<Type> },
    /// `enum logic` with this many bits.
    Enum { width: usize },
    /// `struct packed`, the most significant part first.
    Struct {
        parts: Vec<(String, Type)>,
        signed: bool,
    },
    /// `union packed` with these members.
    Union { parts: Vec<(String, Type)> },
    /// `[count-1:0]` of another type.
    Array { count: usize, of: Box<Type> },
}

impl Type {
    pub(super) fn vector(width: usize, signed: bool) -> Type {
        Type::Vector { width, signed }
    }

    pub(super) fn width(&self) -> usize {
        match self {
            Type::Vector { width, .. } | Type::Enum { width, .. } => *width,
            Type::Named { of, .. } => of.width(),
            Type::Struct { parts, .. } => parts.iter().map(|(_, part)| part.width()).sum(),
            Type::Union { parts } => parts.first().map_or(0, |(_, part)| part.width()),
            Type::Array { count, of } => count * of.width(),
        }
    }

    /// Returns the type behind all its names.
    pub(super) fn plain(&self) -> &Type {
        match self {
            Type::Named { of, .. } => of.plain(),
            other => other,
        }
    }

    /// Whether this type is an enumeration: its variables get values only from expressions of the same type.
    pub(super) fn is_enum(&self) -> bool {
        matches!(self.plain(), Type::Enum { .. })
    }

    /// Returns the text of the type in a declaration, in front of the name of a variable.
    pub(super) fn written(&self) -> String {
        match self {
            Type::Vector { width, signed } => {
                let sign = if *signed { "signed " } else { "" };
                format!("logic {sign}[{}:0]", width - 1)
            }
            Type::Named { name, .. } => name.clone(),
            Type::Array { count, of } => match &**of {
                Type::Vector { width, .. } => format!("logic [{}:0][{}:0]", count - 1, width - 1),
                of => format!("{} [{}:0]", of.written(), count - 1),
            },
            Type::Enum { .. } | Type::Struct { .. } | Type::Union { .. } => "logic".to_owned(),
        }
    }
}
