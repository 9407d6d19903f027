//! The equation of Ed25519 (RFC 8032, section 5.1). Only public keys are computed with, so that its time may depend on them.

/// A number modulo 2^255 - 19, by its upper and lower half.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FieldElement(u128, u128);

const ORDER: FieldElement = FieldElement(u128::MAX >> 1, u128::MAX - 18);
const ZERO: FieldElement = FieldElement(0, 0);
const ONE: FieldElement = FieldElement(0, 1);
/// The constant `d` of the curve.
const D: FieldElement =
    FieldElement(0x5203_6cee_2b6f_fe73_8cc7_4079_7779_e898, 0x0070_0a4d_4141_d8ab_75eb_4dca_1359_78a3);

/// Returns whether a point has this vertical coordinate, little-endian and without the sign bit.
///
/// The horizontal one squared is (y² - 1) / (dy² + 1). This is a square if and only if the product of the two is one, which Euler's
/// criterion decides. A number that is not reduced is no encoding of a point.
pub(super) fn is_on_curve(y: [u8; 32]) -> bool {
    let big_endian = y.iter().rev();
    let halves =
        big_endian.fold(ZERO, |half, byte| FieldElement(half.0 << 8 | half.1 >> 120, half.1 << 8 | u128::from(*byte)));
    if halves >= ORDER {
        return false;
    }
    let square = halves.times(halves);
    let product = square.plus(ORDER.minus(ONE)).times(D.times(square).plus(ONE));
    // (2^255 - 19 - 1) / 2
    let exponent = FieldElement(u128::MAX >> 2, u128::MAX - 9);
    product == ZERO || product.power(exponent) == ONE
}

impl FieldElement {
    fn plus(self, other: Self) -> Self {
        let (low, carry) = self.1.overflowing_add(other.1);
        // Both upper halves are below 2^127.
        let sum = Self(self.0.wrapping_add(other.0).wrapping_add(u128::from(carry)), low);
        if sum >= ORDER { sum.minus(ORDER) } else { sum }
    }

    /// Subtracts a number that is not greater.
    fn minus(self, other: Self) -> Self {
        let (low, borrow) = self.1.overflowing_sub(other.1);
        Self(self.0.wrapping_sub(other.0).wrapping_sub(u128::from(borrow)), low)
    }

    fn times(self, other: Self) -> Self {
        other.bits().fold(ZERO, |product, bit| {
            let doubled = product.plus(product);
            if bit { doubled.plus(self) } else { doubled }
        })
    }

    fn power(self, exponent: Self) -> Self {
        exponent.bits().fold(ONE, |power, bit| {
            let squared = power.times(power);
            if bit { squared.times(self) } else { squared }
        })
    }

    /// The bits from the highest to the lowest.
    fn bits(self) -> impl Iterator<Item = bool> {
        [self.0, self.1].into_iter().flat_map(|half| (0..128).rev().map(move |position| half >> position & 1 == 1))
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::VerifyingKey;

    use super::*;

    #[test]
    fn points_are_those_of_another_implementation() {
        let mut on_curve = 0;
        for number in 0_u8..=63 {
            let mut y = [number.wrapping_mul(37); 32];
            y[usize::from(number % 32)] ^= number;
            y[31] &= 0x7f;
            assert_eq!(is_on_curve(y), VerifyingKey::from_bytes(&y).is_ok(), "{y:x?}");
            on_curve += usize::from(is_on_curve(y));
        }
        assert!((16..48).contains(&on_curve), "{on_curve} of 64");
    }

    #[test]
    fn numbers_that_are_not_reduced_are_no_points() {
        let mut y = [0xff; 32];
        y[31] = 0x7f;
        for lowest in 0xed..=0xff {
            y[0] = lowest;
            assert!(!is_on_curve(y), "{lowest:x}");
        }
    }
}
