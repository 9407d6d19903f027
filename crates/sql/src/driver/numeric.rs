//! Reads `numeric` values of PostgreSQL exactly. sqlx would round digits that a `Decimal` cannot store.

use rust_decimal::Decimal;
use sqlx::error::BoxDynError;

/// Returns the value of a `numeric` in the binary format: four 16-bit numbers, and digits to the base 10000.
///
/// # Errors
/// The value is NaN or infinite, or has more digits than a `Decimal`.
pub(crate) fn read(bytes: &[u8]) -> Result<Decimal, BoxDynError> {
    const MALFORMED: &str = "the numeric value is malformed";
    let mut numbers = bytes.as_chunks().0.iter().map(|pair| i16::from_be_bytes(*pair));
    let mut next = || numbers.next().ok_or(MALFORMED);
    let (count, weight, sign, _scale) = (next()?, next()?, next()?, next()?);
    let sign = match sign {
        0 => "",
        0x4000 => "-",
        _ => return Err("a decimal must be a finite number".into()),
    };
    let digits: Vec<i16> = numbers.collect();
    if usize::try_from(count) != Ok(digits.len()) {
        return Err(MALFORMED.into());
    }
    let group = |power: i32| {
        let index = i32::from(weight) - power;
        usize::try_from(index).ok().and_then(|index| digits.get(index)).copied().unwrap_or(0)
    };
    let lowest = i32::from(weight) - i32::from(count) + 1;
    let mut text = sign.to_owned();
    for power in (0..=i32::from(weight).max(0)).rev() {
        text.push_str(&format!("{:04}", group(power)));
    }
    text.push('.');
    for power in (lowest.min(0)..0).rev() {
        text.push_str(&format!("{:04}", group(power)));
    }
    let plain = text.trim_end_matches('0').trim_end_matches('.');
    let unsigned = plain.strip_prefix('-').unwrap_or(plain).trim_start_matches('0');
    let number = if unsigned.is_empty() || unsigned.starts_with('.') {
        format!("{sign}0{unsigned}")
    } else {
        format!("{sign}{unsigned}")
    };
    let read = Decimal::from_str_exact(&number).map(|value| value.normalize());
    read.map_err(|_source| "the number has more digits than a decimal, which has 28".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(weight: i16, sign: i16, digits: &[i16]) -> Vec<u8> {
        let count = i16::try_from(digits.len()).unwrap();
        [count, weight, sign, 0].iter().chain(digits).flat_map(|number| number.to_be_bytes()).collect()
    }

    #[test]
    fn reads_groups_of_four_digits() {
        for (weight, sign, digits, expected) in [
            (0, 0, &[] as &[i16], "0"),
            (0, 0, &[12, 5000], "12.5"),
            (0, 0x4000, &[7], "-7"),
            (2, 0, &[1], "100000000"),
            (1, 0, &[1, 2, 3], "10002.0003"),
            (-1, 0, &[100], "0.01"),
            (-3, 0x4000, &[1], "-0.000000000001"),
            (0, 0, &[10, 0], "10"),
        ] {
            assert_eq!(read(&bytes(weight, sign, digits)).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn rejects_what_a_decimal_cannot_store() {
        for (weight, sign, digits) in [
            (0, -0x4000, &[] as &[i16]),
            (8, 0, &[1]),
            (i16::MAX, 0, &[1]),
            (-8, 0, &[1]),
            (0, 0, &[1, 0, 0, 0, 0, 0, 0, 0, 1]),
        ] {
            assert!(read(&bytes(weight, sign, digits)).is_err(), "{weight} {digits:?}");
        }
        assert!(read(&[0, 1, 0, 0, 0, 0, 0, 0]).is_err());
        assert!(read(&[0]).is_err());
    }
}
