//! Defines [`is_multiple_of`], which checks the constraint `multiple_of` on exact decimal digits. For example, `0.3` is
//! a multiple of `0.1`.

use crate::number::Number;

/// Returns `true` if the value is a multiple of the step. The step must be above 0.
pub(crate) fn is_multiple_of(value: Number, step: Number) -> bool {
    let (Some(value), Some(step)) = (ScaledDigits::of(value), ScaledDigits::of(step)) else { return false };
    if value.digits == 0 || step.digits == 0 {
        return value.digits == 0;
    }
    let modulus = step.digits;
    match u32::try_from(value.exponent - step.exponent) {
        // `value = digits * 10^shift` in units of `10^step.exponent`.
        Ok(shift) => multiply(value.digits % modulus, power_of_ten(shift, modulus), modulus) == 0,
        Err(_) => {
            let shift = u32::try_from(step.exponent - value.exponent).unwrap_or(u32::MAX);
            let scaled = 10_u128.checked_pow(shift).and_then(|scale| modulus.checked_mul(scale));
            scaled.is_some_and(|scaled| value.digits % scaled == 0)
        }
    }
}

/// The decimal digits and the exponent of a number. The number is `digits * 10^exponent`, without a sign and with at
/// most 20 digits.
struct ScaledDigits {
    digits: u128,
    exponent: i32,
}

impl ScaledDigits {
    /// Returns the digits and the exponent of the number's shortest decimal notation.
    fn of(number: Number) -> Option<Self> {
        if let Some(integer) = number.integral().filter(|integer| integer.unsigned_abs() <= u128::from(u64::MAX)) {
            return Some(Self { digits: integer.unsigned_abs(), exponent: 0 });
        }
        let written = format!("{:e}", number.as_f64().abs());
        let (mantissa, exponent) = written.split_once('e')?;
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let decimals = i32::try_from(fraction.len()).ok()?;
        Some(Self {
            digits: format!("{integer}{fraction}").parse().ok()?,
            exponent: exponent.parse::<i32>().ok()? - decimals,
        })
    }
}

fn power_of_ten(exponent: u32, modulus: u128) -> u128 {
    (0..exponent).fold(1 % modulus, |power, _| multiply(power, 10, modulus))
}

/// Returns `left * right % modulus`. Both factors and the modulus are below 2^64, so the product cannot overflow.
fn multiply(left: u128, right: u128, modulus: u128) -> u128 {
    left * right % modulus
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_multiples_on_the_written_decimals() {
        let check = |value: Number, step: Number| is_multiple_of(value, step);
        for (value, step) in [
            (0.3, 0.1),
            (-0.3, 0.1),
            (4.35, 0.01),
            (1e300, 0.5),
            (0.0, 7.0),
            (1e300, 1e299),
            (7.5, 2.5),
            (0.0075, 0.0001),
        ] {
            assert!(check(value.into(), step.into()), "{value} {step}");
        }
        for (value, step) in [(0.35, 0.1), (1.0, 0.3), (1e-300, 1.0), (1e300, 7.0)] {
            assert!(!check(value.into(), step.into()), "{value} {step}");
        }
        assert!(check(u64::MAX.into(), 5.into()));
        assert!(!check(u64::MAX.into(), 2.into()));
        assert!(check(i64::MIN.into(), 2.into()));
        assert!(check(10.into(), 2.5.into()));
    }
}
