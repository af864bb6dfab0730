//! Operators and functions of expressions: spellings and how tightly they bind.

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `|`
    Or,
    /// `xor`
    Xor,
    /// `xnor`
    Xnor,
    /// `&`
    And,
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `union`
    Union,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `mod`
    Mod,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `::`
    Concat,
}

/// A precedence, from [`Level::IMPLIES`] (loosest) up: the rules of NuSMV's grammar in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Level(pub u8);

impl Level {
    /// The level of `->`, which groups to the right.
    pub const IMPLIES: Level = Level(1);
    /// The level of `<->`.
    pub const IFF: Level = Level(2);
    /// The level of `? :`, which groups to the right.
    pub const CONDITIONAL: Level = Level(3);
    /// The level of `|`, `xor` and `xnor`.
    pub const OR: Level = Level(4);
    /// The level of `&`.
    pub const AND: Level = Level(5);
    /// The level of `U`, `V`, `S` and `T`.
    pub const UNTIL: Level = Level(6);
    /// The level of `AG`, `X` and their kin.
    pub const TEMPORAL: Level = Level(7);
    /// The level of `=` and its kin.
    pub const RELATIONAL: Level = Level(8);
    /// The level of `in`.
    pub const IN: Level = Level(9);
    /// The level of `union`.
    pub const UNION: Level = Level(10);
    /// `{…}` and `1..3`: not operands of arithmetic unless in parentheses.
    pub const SET: Level = Level(11);
    /// The level of `<<` and `>>`.
    pub const SHIFT: Level = Level(12);
    /// The level of `+` and `-`.
    pub const ADDITIVE: Level = Level(13);
    /// The level of `*`, `/` and `mod`.
    pub const MULTIPLICATIVE: Level = Level(14);
    /// The level of `::`.
    pub const CONCATENATION: Level = Level(15);
    /// The level of `!` and unary `-`.
    pub const PRIMARY: Level = Level(16);
    /// Names, numbers, `case`, `next(…)`, parentheses: what `.x` and `[3]` may follow.
    pub const POSTFIX: Level = Level(17);

    /// Returns the next tighter level.
    #[must_use]
    pub fn tighter(self) -> Level {
        Level(self.0 + 1)
    }
}

impl BinaryOp {
    /// Returns the spelling of the operator.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            BinaryOp::Implies => "->",
            BinaryOp::Iff => "<->",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "xor",
            BinaryOp::Xnor => "xnor",
            BinaryOp::And => "&",
            BinaryOp::Eq => "=",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::In => "in",
            BinaryOp::Union => "union",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "mod",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Concat => "::",
        }
    }

    /// Returns the precedence of the operator.
    #[must_use]
    pub fn level(self) -> Level {
        match self {
            BinaryOp::Implies => Level::IMPLIES,
            BinaryOp::Iff => Level::IFF,
            BinaryOp::Or | BinaryOp::Xor | BinaryOp::Xnor => Level::OR,
            BinaryOp::And => Level::AND,
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => Level::RELATIONAL,
            BinaryOp::In => Level::IN,
            BinaryOp::Union => Level::UNION,
            BinaryOp::Add | BinaryOp::Sub => Level::ADDITIVE,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => Level::MULTIPLICATIVE,
            BinaryOp::Shl | BinaryOp::Shr => Level::SHIFT,
            BinaryOp::Concat => Level::CONCATENATION,
        }
    }

    /// Returns the levels that the left and the right operand need to stand without parentheses.
    #[must_use]
    pub fn operand_levels(self) -> (Level, Level) {
        let level = self.level();
        match self {
            BinaryOp::Implies => (level.tighter(), level),
            _ => (level, level.tighter()),
        }
    }
}

/// Functions, as `toint(b)`. `abs`, `min` and `max` are names unless a parenthesis follows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Function {
    /// `bool(w)`: an integer or a word of one bit as a truth value.
    Bool,
    /// `word1(b)`: a truth value as a word of one bit.
    Word1,
    /// `toint(e)`: a truth value or a word as an integer.
    Toint,
    /// `signed(w)`: the same bits as a signed word.
    Signed,
    /// `unsigned(w)`: the same bits as an unsigned word.
    Unsigned,
    /// `extend(w, n)`: `n` more bits in front.
    Extend,
    /// `resize(w, n)`: the word w with n bits.
    Resize,
    /// `swconst(n, width)`: a signed word.
    Swconst,
    /// `uwconst(n, width)`: an unsigned word.
    Uwconst,
    /// `sizeof(w)`: the number of bits of w.
    Sizeof,
    /// `count(a, b, …)`: how many are true.
    Count,
    /// `abs(n)`
    Abs,
    /// `max(a, b)`
    Max,
    /// `min(a, b)`
    Min,
}

impl Function {
    /// All functions.
    pub const ALL: [Function; 14] = [
        Function::Bool,
        Function::Word1,
        Function::Toint,
        Function::Signed,
        Function::Unsigned,
        Function::Extend,
        Function::Resize,
        Function::Swconst,
        Function::Uwconst,
        Function::Sizeof,
        Function::Count,
        Function::Abs,
        Function::Max,
        Function::Min,
    ];

    /// Returns the spelling of the function.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Function::Bool => "bool",
            Function::Word1 => "word1",
            Function::Toint => "toint",
            Function::Signed => "signed",
            Function::Unsigned => "unsigned",
            Function::Extend => "extend",
            Function::Resize => "resize",
            Function::Swconst => "swconst",
            Function::Uwconst => "uwconst",
            Function::Sizeof => "sizeof",
            Function::Count => "count",
            Function::Abs => "abs",
            Function::Max => "max",
            Function::Min => "min",
        }
    }

    /// Returns the number of arguments; `None` for any number from one on.
    #[must_use]
    pub fn arity(self) -> Option<usize> {
        match self {
            Function::Count => None,
            Function::Extend
            | Function::Resize
            | Function::Swconst
            | Function::Uwconst
            | Function::Max
            | Function::Min => Some(2),
            _ => Some(1),
        }
    }
}

/// The position of a temporal operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TemporalForm {
    /// `AG p`
    Prefix,
    /// `EBF 1..3 p`
    BoundedPrefix,
    /// `p U q`
    Infix,
    /// `A [p U q]`, with the word between the operands.
    Quantified(&'static str),
    /// `MIN [p, q]`
    Measure,
}

/// A temporal operator; of specifications only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TemporalOp {
    /// The first word of the operator.
    pub word: &'static str,
    /// The position of the operator among its operands.
    pub form: TemporalForm,
    /// `1..3`, or `[1, 3]` of LTL.
    pub bounds: Option<(i64, i64)>,
}
