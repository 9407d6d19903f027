//! Creates the `Link` header (RFC 8288) of lists.

use restwright_core::BuildContext;
use restwright_core::http::header::LINK;
use restwright_core::http::{HeaderValue, HttpRequest, HttpResponse, Query};
use restwright_core::operation::{HeaderObject, SchemaUse};
use restwright_core::schema::SchemaObject;

/// Turns the `Link` header (RFC 8288) of lists on or off. It is on by default, and contains links to other pages of the
/// list. A header of more than 2,048 bytes is omitted, because proxies limit the head of a response.
///
/// Set it for a route with [`Route::with`](restwright_core::Route::with), or for all routes with
/// [`Configuration::with`](restwright_core::Configuration::with). If it is off, the OpenAPI document omits the header
/// too. The `pagination` member of the response contains the same information.
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
    /// List responses include the `Link` header.
    #[default]
    On,
    /// List responses do not include the `Link` header.
    Off,
}

impl LinkHeader {
    /// Returns the `Link` header for the OpenAPI document, or `None` if the header is turned off. A setting of the
    /// route has precedence over the configuration.
    pub(super) fn of_route(relations: &str, context: &BuildContext<'_>) -> Option<HeaderObject> {
        let of_route = context.route().setting::<Self>();
        let setting = of_route.or_else(|| context.configuration().get::<Self>()).copied().unwrap_or_default();
        (setting == Self::On).then(|| header(relations))
    }
}

/// The maximum length of the `Link` header in bytes. Each link repeats the query, and nginx by default rejects a
/// response whose head has more than 4 KiB.
const LONGEST: usize = 2 * 1024;

/// The links in the `Link` header of one response. The header is omitted if it would exceed [`LONGEST`].
///
/// Each link is a relative reference with only a query. Clients resolve it against the URL that they requested (RFC
/// 3986, section 5.2.2), so it is correct even behind a proxy that removes a path prefix. The query repeats the filters
/// and the order as the client sent them, without pagination parameters and credentials.
pub(super) struct Links {
    /// The end of every link, from the parameter `limit` to the closing `>`.
    end: Vec<u8>,
    value: Vec<u8>,
    too_long: bool,
}

impl Links {
    /// Creates links that repeat the query parameters of the request. Omits credentials, `limit` and the parameter that
    /// the argument `without` names. Parameters that only a middleware reads are included, because they may select the
    /// list.
    pub(super) fn keeping(request: &HttpRequest, without: &str, limit: u32) -> Self {
        let mut end = Vec::with_capacity(request.query().map_or(0, str::len) + 64);
        end.extend_from_slice(format!("limit={limit}").as_bytes());
        // A request whose query cannot be parsed never has a list response.
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

    /// Adds a link to the header. `parameter` is the pagination parameter of the target page, or `None` for the first
    /// page.
    pub(super) fn add(&mut self, relation: &str, parameter: Option<(&str, &str)>) {
        let separator = if self.value.is_empty() { "" } else { ", " };
        let (name, equals, value, and) = parameter.map_or(("", "", "", ""), |(name, value)| (name, "=", value, "&"));
        let before = [separator, "<?", name, equals, value, and];
        let after = ["; rel=\"", relation, "\""];
        let length = self.end.len() + before.iter().chain(&after).map(|part| part.len()).sum::<usize>();
        self.too_long |= self.value.len() + length > LONGEST;
        if self.too_long {
            return;
        }
        for part in before {
            self.value.extend_from_slice(part.as_bytes());
        }
        self.value.extend_from_slice(&self.end);
        for part in after {
            self.value.extend_from_slice(part.as_bytes());
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
        "Links to other parts of the same list (RFC 8288), with the same filters and order: {relations}. Each link is relative to the URL of the request. Absent if it would have more than {LONGEST} bytes."
    );
    HeaderObject::new("Link", SchemaUse::output(SchemaObject::string())).description(described).optional()
}

/// Appends a string to a link, and percent-encodes the bytes that are not allowed in a query.
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

/// A table of the bytes that are allowed in a query (RFC 3986, section 3.4).
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
