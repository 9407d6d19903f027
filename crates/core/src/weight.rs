//! Parses weights in `Accept` headers (RFC 9110, section 12.4.2).

/// Parses a weight such as `q=0.5`. Returns the weight in thousandths, from 0 to 1,000, or `None` if the parameter is
/// not a weight.
///
/// ```
/// use restwright_core::http::weight;
///
/// assert_eq!([weight("q=0.5"), weight("Q=1"), weight("q=2"), weight("level=1")], [Some(500), Some(1_000), None, None]);
/// ```
#[must_use]
pub fn weight(parameter: &str) -> Option<u16> {
    let (name, value) = parameter.split_once('=')?;
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let is_fraction = fraction.len() <= 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if !name.eq_ignore_ascii_case("q") || !is_fraction {
        return None;
    }
    let digits = fraction.bytes().chain(*b"000").take(3);
    let thousandths = digits.fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'));
    match whole {
        "0" => Some(thousandths),
        "1" if thousandths == 0 => Some(1_000),
        _ => None,
    }
}

/// Returns the weight of a content coding such as `gzip` in `Accept-Encoding`, in thousandths (RFC 9110, section
/// 12.5.3). The name has precedence over `*`. Returns 0 if the header does not accept the coding, or is missing.
///
/// ```
/// use restwright_core::http::coding_weight;
///
/// let accepted = "gzip;q=0.5, *;q=0.1";
/// assert_eq!([coding_weight(accepted, "gzip"), coding_weight(accepted, "br"), coding_weight("", "br")], [500, 100, 0]);
/// ```
#[must_use]
pub fn coding_weight(accept_encoding: &str, coding: &str) -> u16 {
    let of = |named: &dyn Fn(&str) -> bool| {
        accept_encoding.split(',').find_map(|element| {
            let (name, parameter) = element.split_once(';').unwrap_or((element, "q=1"));
            named(name.trim()).then(|| weight(parameter.trim())).flatten()
        })
    };
    // RFC 9110, section 8.4.1.3.
    let is_alias = |name: &str| coding == "gzip" && name.eq_ignore_ascii_case("x-gzip");
    of(&|name| name.eq_ignore_ascii_case(coding) || is_alias(name)).or_else(|| of(&|name| name == "*")).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_gzip() {
        for (accepted, expected) in [
            ("gzip, deflate, br", 1_000),
            ("*", 1_000),
            ("br;q=1.0, GZIP;q=0.5", 500),
            ("x-gzip", 1_000),
            ("gzip;q=0.001", 1),
            ("gzip;q=0", 0),
            ("gzip;Q=0", 0),
            ("gzip; q=0, *", 0),
            ("identity", 0),
            ("", 0),
        ] {
            assert_eq!(coding_weight(accepted, "gzip"), expected, "{accepted}");
        }
    }

    #[test]
    fn weights_are_thousandths() {
        for (text, expected) in [
            ("q=0", Some(0)),
            ("q=0.", Some(0)),
            ("q=0.000", Some(0)),
            ("q=0.001", Some(1)),
            ("q=0.1", Some(100)),
            ("Q=0.25", Some(250)),
            ("q=0.999", Some(999)),
            ("q=1", Some(1_000)),
            ("q=1.000", Some(1_000)),
            ("q=1.001", None),
            ("q=2", None),
            ("q=-1", None),
            ("q=0.1234", None),
            ("q=.5", None),
            ("q=0.a", None),
            ("q=00", None),
            ("q=", None),
            ("q", None),
            ("", None),
            ("q=NaN", None),
            ("q =0", None),
            ("level=1", None),
        ] {
            assert_eq!(weight(text), expected, "{text}");
        }
    }
}
