//! `Link` headers (RFC 8288): the same list, another part of it.

use restwright_core::http::header::LINK;
use restwright_core::http::{HeaderValue, HttpRequest, HttpResponse, Query};
use restwright_core::operation::{HeaderObject, SchemaUse};
use restwright_core::schema::SchemaObject;

/// The longest header, in bytes. Each link repeats the query, and clients reject much longer heads.
const LONGEST: usize = 8 * 1024;

/// The links of one response, none when they would be longer than [`LONGEST`].
///
/// Each is a reference of a query alone, which keeps the path of the request (RFC 3986, section 5.2.2), also behind a proxy that
/// takes a part of the path away. The query is that of the request, with filters and order as the client spelt them, without the
/// parameters of the pagination and without credentials.
pub(super) struct Links {
    /// The end of each link, from the limit to its `>`.
    end: String,
    value: String,
    too_long: bool,
}

impl Links {
    /// Keeps all parameters but `without`, `limit` and credentials. A parameter that a middleware claimed is kept, since it may choose
    /// the list.
    pub(super) fn keeping(request: &HttpRequest, without: &str, limit: u32) -> Self {
        let mut end = String::with_capacity(request.query().map_or(0, str::len) + 32);
        end.push_str("limit=");
        end.push_str(&limit.to_string());
        // A query that cannot be parsed has no response with links.
        for (name, pair) in request.parsed_query().into_iter().flat_map(Query::sent) {
            if name != "limit" && name != without && !request.is_credential_in_query(name) {
                end.push('&');
                push_encoded(pair, &mut end);
            }
        }
        end.push('>');
        let capacity = LONGEST.min(4 * (end.len() + 40));
        Self { value: String::with_capacity(capacity), end, too_long: false }
    }

    /// Adds a link with a parameter, or with none.
    pub(super) fn add(&mut self, relation: &str, parameter: Option<(&str, &str)>) {
        let length = parameter.map_or(0, |(_, value)| value.len()) + self.end.len();
        self.too_long |= self.value.len() + length > LONGEST;
        if self.too_long {
            return;
        }
        if !self.value.is_empty() {
            self.value.push_str(", ");
        }
        self.value.push_str("<?");
        if let Some((name, value)) = parameter {
            for text in [name, "=", value, "&"] {
                self.value.push_str(text);
            }
        }
        self.value.push_str(&self.end);
        self.value.push_str("; rel=\"");
        self.value.push_str(relation);
        self.value.push('"');
    }

    pub(super) fn write(self, response: &mut HttpResponse) {
        if !self.too_long
            && let Ok(value) = HeaderValue::try_from(self.value)
        {
            response.headers_mut().insert(LINK, value);
        }
    }
}

/// Returns the header for the document.
pub(super) fn header(relations: &str) -> HeaderObject {
    let described = format!(
        "Other parts of the same list (RFC 8288), with the filters and the order of this one: {relations}. Each is a relative reference, to the URL of the request. Left out when it would have more than {LONGEST} bytes."
    );
    HeaderObject::new("Link", SchemaUse::output(SchemaObject::string())).description(described).optional()
}

/// Percent-encodes the bytes that a query may not have.
fn push_encoded(text: &str, target: &mut String) {
    let mut rest = text;
    while let Some(position) = rest.bytes().position(|byte| !is_allowed(byte)) {
        let (allowed, other) = rest.split_at_checked(position).unwrap_or((rest, ""));
        target.push_str(allowed);
        // Every byte of a character beyond ASCII is encoded, and so is the character.
        let character = other.chars().next().map_or(other.len(), char::len_utf8);
        let (encoded, other) = other.split_at_checked(character).unwrap_or((other, ""));
        for byte in encoded.bytes() {
            let digit = |half: u8| char::from(if half < 10 { b'0' + half } else { b'A' + half - 10 });
            target.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
        rest = other;
    }
    target.push_str(rest);
}

/// Returns `true` for a byte that may stand in a query (RFC 3986, section 3.4).
fn is_allowed(byte: u8) -> bool {
    let mark = matches!(
        byte,
        b'-' | b'.'
            | b'_'
            | b'~'
            | b'!'
            | b'$'
            | b'&'
            | b'\''
            | b'('
            | b')'
            | b'*'
            | b'+'
            | b','
            | b';'
            | b'='
            | b':'
            | b'@'
            | b'/'
            | b'?'
            | b'%'
    );
    mark || byte.is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_a_reference_may_not_have_are_encoded() {
        for (text, expected) in [
            ("filter[name]=x", "filter%5Bname%5D=x"),
            ("a=%C3%A4+b", "a=%C3%A4+b"),
            ("a=ä>; rel=\"x\"\r\n", "a=%C3%A4%3E;%20rel=%22x%22%0D%0A"),
        ] {
            let mut encoded = String::new();
            push_encoded(text, &mut encoded);
            assert_eq!(encoded, expected);
        }
    }
}
