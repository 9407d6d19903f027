//! Implements the total order and the equality of [`Value`].

use std::cmp::Ordering;

use restwright_core::schema::compare_integer_with_float;

use super::Value;

impl Ord for Value<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Null, Self::Null) => Ordering::Equal,
            (Self::Boolean(left), Self::Boolean(right)) => left.cmp(right),
            (Self::Integer(left), Self::Integer(right)) => left.cmp(right),
            // `-0.0` equals `0.0`.
            (Self::Number(left), Self::Number(right)) => (left + 0.0).total_cmp(&(right + 0.0)),
            (Self::Integer(left), Self::Number(right)) => compare_integer_with_float(*left, *right),
            (Self::Number(left), Self::Integer(right)) => compare_integer_with_float(*right, *left).reverse(),
            (Self::Text(left), Self::Text(right)) => left.cmp(right),
            (Self::Date(left), Self::Date(right)) => left.cmp(right),
            (Self::DateTime(left), Self::DateTime(right)) => left.cmp(right),
            (Self::Uuid(left), Self::Uuid(right)) => left.cmp(right),
            #[cfg(feature = "rust_decimal")]
            (Self::Decimal(left), Self::Decimal(right)) => left.cmp(right),
            (Self::List(left), Self::List(right)) => left.cmp(right),
            (Self::Json(left), Self::Json(right)) => left.cmp(right),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl Value<'_> {
    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Boolean(_) => 1,
            Self::Integer(_) | Self::Number(_) => 2,
            Self::Text(_) => 3,
            Self::Date(_) => 4,
            Self::DateTime(_) => 5,
            Self::Uuid(_) => 6,
            #[cfg(feature = "rust_decimal")]
            Self::Decimal(_) => 7,
            Self::List(_) => 8,
            Self::Json(_) => 9,
        }
    }
}

impl PartialOrd for Value<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_one_order() {
        let ascending = [
            Value::Null,
            false.into(),
            true.into(),
            Value::Number(f64::MIN),
            i64::MIN.into(),
            (-1.5).into(),
            (-1).into(),
            0.into(),
            0.5.into(),
            1.into(),
            9_007_199_254_740_992.0.into(),
            9_007_199_254_740_993_i64.into(),
            u64::MAX.into(),
            f64::MAX.into(),
            "".into(),
            "Z".into(),
            "a".into(),
            "z".into(),
            "ä".into(),
            "\u{FFFD}".into(),
            "\u{1F980}".into(),
            jiff::civil::date(2024, 2, 29).into(),
            jiff::Timestamp::UNIX_EPOCH.into(),
            uuid::Uuid::nil().into(),
        ];
        for (i, left) in ascending.iter().enumerate() {
            for (j, right) in ascending.iter().enumerate() {
                assert_eq!(left.cmp(right), i.cmp(&j), "{left:?} and {right:?}");
            }
        }
        assert_eq!(Value::from(1), Value::from(1.0));
        assert_eq!(Value::from(0.0), Value::from(-0.0));
        assert_eq!(Value::from(f64::NAN), Value::Null);
        assert_eq!(Value::from(f32::INFINITY), Value::Null);
    }
}
