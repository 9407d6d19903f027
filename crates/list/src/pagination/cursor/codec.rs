//! Encodes values as bytes, and decodes them. Each value has a fixed length or a length prefix, so different lists of
//! values never have the same bytes.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use crate::value::Value;

pub(super) fn put(value: &Value<'_>, bytes: &mut Vec<u8>) {
    match value {
        Value::Null => bytes.push(0),
        Value::Boolean(value) => bytes.extend([1, u8::from(*value)]),
        Value::Integer(value) => {
            bytes.push(2);
            bytes.extend(value.to_be_bytes());
        }
        Value::Number(value) => {
            bytes.push(3);
            // `-0.0` equals `0.0`, so both have the same bytes.
            bytes.extend((value + 0.0).to_bits().to_be_bytes());
        }
        Value::Text(text) => {
            bytes.push(4);
            put_text(text, bytes);
        }
        Value::Date(date) => {
            bytes.push(5);
            bytes.extend(date.year().to_be_bytes());
            bytes.extend(date.month().to_be_bytes());
            bytes.extend(date.day().to_be_bytes());
        }
        Value::DateTime(instant) => {
            bytes.push(6);
            bytes.extend(instant.as_nanosecond().to_be_bytes());
        }
        Value::Uuid(uuid) => {
            bytes.push(7);
            bytes.extend(uuid.as_bytes());
        }
        #[cfg(feature = "rust_decimal")]
        Value::Decimal(value) => {
            bytes.push(8);
            // `1.50` equals `1.5`, so both have the same bytes.
            let value = value.normalize();
            bytes.extend(value.mantissa().to_be_bytes());
            bytes.extend(value.scale().to_be_bytes());
        }
        // A list is no position, so it is not decoded.
        Value::List(items) => {
            bytes.push(9);
            bytes.extend(u64::try_from(items.len()).unwrap_or(u64::MAX).to_be_bytes());
            items.iter().for_each(|item| put(item, bytes));
        }
        // JSON is no position either.
        Value::Json(json) => {
            bytes.push(10);
            put_text(json, bytes);
        }
    }
}

pub(super) fn put_text(text: &str, bytes: &mut Vec<u8>) {
    bytes.extend(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
    bytes.extend(text.as_bytes());
}

/// Decodes the first value in `bytes`, and removes the value from `bytes`.
pub(super) fn take(bytes: &mut &[u8]) -> Option<Value<'static>> {
    let [tag] = array(bytes)?;
    Some(match tag {
        0 => Value::Null,
        1 => Value::Boolean(array::<1>(bytes)? == [1]),
        2 => Value::Integer(i128::from_be_bytes(array(bytes)?)),
        3 => Value::Number(f64::from_bits(u64::from_be_bytes(array(bytes)?))),
        4 => {
            let length = usize::try_from(u64::from_be_bytes(array(bytes)?)).ok()?;
            let (text, rest) = bytes.split_at_checked(length)?;
            *bytes = rest;
            Value::Text(Cow::Owned(std::str::from_utf8(text).ok()?.to_owned()))
        }
        5 => {
            let year = i16::from_be_bytes(array(bytes)?);
            let [month, day] = array(bytes)?.map(|byte: u8| i8::from_be_bytes([byte]));
            Value::Date(Date::new(year, month, day).ok()?)
        }
        6 => Value::DateTime(Timestamp::from_nanosecond(i128::from_be_bytes(array(bytes)?)).ok()?),
        7 => Value::Uuid(Uuid::from_bytes(array(bytes)?)),
        #[cfg(feature = "rust_decimal")]
        8 => {
            let mantissa = i128::from_be_bytes(array(bytes)?);
            let scale = u32::from_be_bytes(array(bytes)?);
            Value::Decimal(rust_decimal::Decimal::try_from_i128_with_scale(mantissa, scale).ok()?)
        }
        _ => return None,
    })
}

pub(super) fn array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_back() {
        let values = [
            Value::Null,
            true.into(),
            (-7).into(),
            u64::MAX.into(),
            0.1.into(),
            "".into(),
            "Ä🦀".into(),
            jiff::civil::date(-44, 3, 15).into(),
            "2024-02-29T00:00:00.123456789Z".parse::<Timestamp>().unwrap().into(),
            Uuid::from_u128(7).into(),
            #[cfg(feature = "rust_decimal")]
            rust_decimal::Decimal::MIN.into(),
            #[cfg(feature = "rust_decimal")]
            rust_decimal::Decimal::new(-150, 2).into(),
        ];
        let mut bytes = Vec::new();
        values.iter().for_each(|value| put(value, &mut bytes));
        let mut rest = bytes.as_slice();
        for value in &values {
            assert_eq!(take(&mut rest).as_ref(), Some(value));
        }
        assert!(rest.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn every_double_comes_back(bits: u64) {
            // `-0.0` equals `0.0`.
            let double = f64::from_bits(bits) + 0.0;
            proptest::prop_assume!(double.is_finite());
            let mut bytes = Vec::new();
            put(&double.into(), &mut bytes);
            let Some(Value::Number(read)) = take(&mut bytes.as_slice()) else { panic!("a number") };
            proptest::prop_assert_eq!(read.to_bits(), double.to_bits());
        }
    }

    #[test]
    fn equal_values_are_the_same_bytes() {
        let of = |value: Value<'_>| {
            let mut bytes = Vec::new();
            put(&value, &mut bytes);
            bytes
        };
        assert_eq!(of((-0.0).into()), of(0.0.into()));
    }

    #[test]
    fn truncated_bytes_are_rejected() {
        let mut bytes = Vec::new();
        put(&"text".into(), &mut bytes);
        for end in 0..bytes.len() {
            assert_eq!(take(&mut &bytes[..end]), None);
        }
        assert_eq!(take(&mut [4, 255, 255, 255, 255, 255, 255, 255, 255, 0].as_slice()), None);
        assert_eq!(take(&mut [9].as_slice()), None);
    }
}
