//! `Link` headers (RFC 8288): the same list, another part of it.

use restwright_core::BuildContext;
use restwright_core::http::header::LINK;
use restwright_core::http::{HeaderValue, HttpRequest, HttpResponse, Query};
use restwright_core::operation::{HeaderObject, SchemaUse};
use restwright_core::schema::SchemaObject;

/// The setting for the `Link` header (RFC 8288) of lists, which leads to other parts of the list; on by default.
///
/// A route sets it with [`Route::with`](restwright_core::Route::with), an application for all its routes with
/// [`Configuration::with`](restwright_core::Configuration::with). Where it is off, the document has no such header. The envelope says
/// the same as the header.
///
/// ```
/// use restwright_core::Configuration;
/// use restwright_list::LinkHeader;
///
/// let configuration = Configuration::new("pets", "1.0.0").with(LinkHeader::Off);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkHeader {
    /// Each response has links.
    #[default]
    On,
    /// No response has any.
    Off,
}

impl LinkHeader {
    /// Returns the header for the document if the route sends it, or else the configuration.
    pub(super) fn of_route(relations: &str, context: &BuildContext<'_>) -> Option<HeaderObject> {
        let of_route = context.route().setting::<Self>();
        let setting = of_route.or_else(|| context.configuration().get::<Self>()).copied().unwrap_or_default();
        (setting == Self::On).then(|| header(relations))
    }
}

/// The longest header, in bytes. Each link repeats the query, and clients reject much longer heads.
const LONGEST: usize = 8 * 1024;

/// The links of one response, none when they would be longer than [`LONGEST`].
///
/// Each is a reference of a query alone, which keeps the path of the request (RFC 3986, section 5.2.2), also behind a proxy that
/// takes a part of the path away. The query is that of the request, with filters and order as the client spelt them, without the
/// parameters of the pagination and without credentials.
pub(super) struct Links {
    /// The end of each link, from the limit to its `>`.
    end: Vec<u8>,
    value: Vec<u8>,
    too_long: bool,
}

impl Links {
    /// Keeps all parameters but `without`, `limit` and credentials. A parameter that a middleware claimed is kept, since it may choose
    /// the list.
    pub(super) fn keeping(request: &HttpRequest, without: &str, limit: u32) -> Self {
        let mut end = Vec::with_capacity(request.query().map_or(0, str::len) + 64);
        end.extend_from_slice(format!("limit={limit}").as_bytes());
        // A query that cannot be parsed has no response with links.
        for (name, pair) in request.parsed_query().into_iter().flat_map(Query::sent) {
            if name != "limit" && name != without && !request.is_credential_in_query(name) {
                end.push(b'&');
                push_encoded(pair, &mut end);
            }
        }
        end.push(b'>');
        let capacity = LONGEST.min(4 * (end.len() + 40));
        Self { value: Vec::with_capacity(capacity), end, too_long: false }
    }

    /// Adds a link with a parameter, or with none.
    pub(super) fn add(&mut self, relation: &str, parameter: Option<(&str, &str)>) {
        let length = parameter.map_or(0, |(_, value)| value.len()) + self.end.len();
        self.too_long |= self.value.len() + length > LONGEST;
        if self.too_long {
            return;
        }
        if !self.value.is_empty() {
            self.value.extend_from_slice(b", ");
        }
        self.value.extend_from_slice(b"<?");
        if let Some((name, value)) = parameter {
            for text in [name, "=", value, "&"] {
                self.value.extend_from_slice(text.as_bytes());
            }
        }
        self.value.extend_from_slice(&self.end);
        for text in ["; rel=\"", relation, "\""] {
            self.value.extend_from_slice(text.as_bytes());
        }
    }

    pub(super) fn write(self, response: &mut HttpResponse) {
        if !self.too_long
            && let Ok(value) = HeaderValue::try_from(self.value)
        {
            response.insert_header(LINK, value);
        }
    }
}

fn header(relations: &str) -> HeaderObject {
    let described = format!(
        "Other parts of the same list (RFC 8288), with the filters and the order of this one: {relations}. Each is a relative reference, to the URL of the request. Left out when it would have more than {LONGEST} bytes."
    );
    HeaderObject::new("Link", SchemaUse::output(SchemaObject::string())).description(described).optional()
}

/// Percent-encodes the bytes that a query may not have.
fn push_encoded(text: &str, target: &mut Vec<u8>) {
    let digit = |half: u8| if half < 10 { b'0' + half } else { b'A' + half - 10 };
    for byte in text.bytes() {
        if ALLOWED.get(usize::from(byte)) == Some(&true) {
            target.push(byte);
        } else {
            target.extend_from_slice(&[b'%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

/// The bytes that may stand in a query (RFC 3986, section 3.4).
#[expect(clippy::indexing_slicing, reason = "it is evaluated when it is compiled")]
static ALLOWED: [bool; 256] = {
    let mut allowed = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        allowed[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    let marks = b"-._~!$&'()*+,;=:@/?%";
    let mut index = 0;
    while index < marks.len() {
        allowed[marks[index] as usize] = true;
        index += 1;
    }
    allowed
};

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
            let mut encoded = Vec::new();
            push_encoded(text, &mut encoded);
            assert_eq!(encoded, expected.as_bytes());
        }
    }
}
