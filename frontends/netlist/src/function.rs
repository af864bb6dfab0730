//! The functions of combinational cells as plain data. [`crate::lower`] makes terms of them.

/// A combinational function. Its pins are A, B and S, as far as it uses them; its only output is Y.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// The operation that computes Y.
    pub operation: Operation,
    /// Whether A is signed.
    pub a_signed: bool,
    /// Whether B is signed.
    pub b_signed: bool,
}

/// The operations of functions. Words that are too short are extended, by their sign if they have one; results are truncated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Y is A.
    Buffer,
    /// Each bit of A is complemented.
    Not,
    /// The conjunction of A and B, bit by bit.
    And,
    /// The disjunction of A and B, bit by bit.
    Or,
    /// The exclusive disjunction of A and B, bit by bit.
    Xor,
    /// The equivalence of A and B, bit by bit.
    Xnor,
    /// The conjunction of A and B, bit by bit, then complemented.
    Nand,
    /// The disjunction of A and B, bit by bit, then complemented.
    Nor,
    /// A and not B, bit by bit.
    AndNot,
    /// A or not B, bit by bit.
    OrNot,
    /// A, or B if S is 1.
    Mux,
    /// A, or B if S is 1, complemented.
    NotMux,
    /// `!((a & b) | c)`, where A is a, B is b and S is c.
    AndOrInvert3,
    /// `!((a | b) & c)`.
    OrAndInvert3,
    /// `!((a & b) | (c & d))`; the pins are A, B, C and D.
    AndOrInvert4,
    /// `!((a | b) & (c | d))`.
    OrAndInvert4,
    /// Whether all bits of A are 1.
    ReduceAnd,
    /// Whether some bit of A is 1.
    ReduceOr,
    /// An odd number of bits is 1.
    ReduceXor,
    /// An even number of bits is 1.
    ReduceXnor,
    /// Whether A is 0.
    LogicNot,
    /// Whether neither A nor B is 0.
    LogicAnd,
    /// Whether A or B is not 0.
    LogicOr,
    /// A = B.
    Equal,
    /// A ≠ B.
    Unequal,
    /// A < B.
    Less,
    /// A ≤ B.
    LessOrEqual,
    /// A ≥ B.
    GreaterOrEqual,
    /// A > B.
    Greater,
    /// A + B.
    Add,
    /// A − B.
    Subtract,
    /// −A.
    Negate,
    /// A · B.
    Multiply,
    /// A / B, towards zero.
    Divide,
    /// The remainder of the division towards zero, with the sign of A.
    Remainder,
    /// A / B, towards −∞.
    DivideFloor,
    /// The remainder of the division towards −∞, with the sign of B.
    RemainderFloor,
    /// A shifted left by the number B.
    ShiftLeft,
    /// A shifted right by the number B; zeros come in.
    ShiftRight,
    /// A shifted right by the number B; signs come in, if A has one.
    ShiftRightSigned,
    /// A shifted right by B, or left by −B; zeros come in.
    Shift,
    /// B of a list: A if no bit of S is 1, else the part of B for the first bit that is.
    ParallelMux,
    /// The part of A with number S.
    IndexedMux,
    /// A at the part with number S, zeros elsewhere.
    Demux,
    /// The entry of the table with number A.
    Table(Vec<bool>),
    /// A sum of products over the bits of A.
    Cover(Cover),
    /// The bits of A from this one on.
    Slice(usize),
    /// The concatenation, with B above A.
    Concat,
}

/// A sum of products in the form of BLIF.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cover {
    /// The products: for each input whether it must be 1 or 0; `None` for either.
    pub rows: Vec<Vec<Option<bool>>>,
    /// The value if some product holds; otherwise its complement.
    pub value: bool,
}

impl Function {
    /// Returns the function of an operation on unsigned numbers.
    #[must_use]
    pub fn unsigned(operation: Operation) -> Function {
        Function {
            operation,
            a_signed: false,
            b_signed: false,
        }
    }

    /// Whether each bit of the result depends only on the same bit of the operands, and on S.
    #[must_use]
    pub fn is_bitwise(&self) -> bool {
        use Operation::{And, AndNot, Buffer, Mux, Nand, Nor, Not, NotMux, Or, OrNot, Xnor, Xor};
        matches!(
            self.operation,
            Buffer | Not | And | Or | Xor | Xnor | Nand | Nor | AndNot | OrNot | Mux | NotMux
        )
    }
}
