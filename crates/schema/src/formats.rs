//! The rules behind [`Format`](crate::Format)'s constants.

use std::net::{Ipv4Addr, Ipv6Addr};

const LONGEST_LOCAL_PART: usize = 64;
const LONGEST_HOSTNAME: usize = 253;
const LONGEST_LABEL: usize = 63;

pub(crate) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    local.len() <= LONGEST_LOCAL_PART
        && local.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(is_atom_byte))
        && is_hostname(domain)
}

/// `atext` of RFC 5322.
fn is_atom_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

pub(crate) fn is_uri(text: &str, schemes: &[&str]) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let named_host =
        !matches!(scheme, "http" | "https") || rest.strip_prefix("//").is_some_and(|rest| !rest.is_empty());
    schemes.contains(&scheme) && named_host && text.bytes().all(is_uri_byte)
}

fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

pub(crate) fn is_hostname(text: &str) -> bool {
    text.len() <= LONGEST_HOSTNAME && text.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    (1..=LONGEST_LABEL).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

pub(crate) fn is_ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok()
}

pub(crate) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}
