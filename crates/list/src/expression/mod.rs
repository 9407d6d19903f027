//! [`Expression`]: what a list is narrowed to, as a typed syntax tree.

mod comparison;
mod condition;
mod expression;
mod search_text;

pub use comparison::Comparison;
pub use condition::Condition;
pub use expression::Expression;
pub use search_text::SearchText;
