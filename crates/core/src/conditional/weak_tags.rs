//! Makes tags weak in responses and strong in requests, for [`Configuration::weak_tags`](crate::Configuration::weak_tags).

use http::HeaderValue;
use http::header::{ETAG, IF_MATCH};

use super::entity_tag::TagList;
use crate::http::{HttpRequest, HttpResponse};

/// Makes the tag of a response weak. A value that is not a strong tag stays.
pub fn weaken_tag(response: &mut HttpResponse) {
    let weak = response.header_value(&ETAG).filter(|tag| tag.as_bytes().starts_with(b"\"")).and_then(|tag| {
        let bytes = [b"W/".as_slice(), tag.as_bytes()].concat();
        HeaderValue::from_bytes(&bytes).ok()
    });
    if let Some(weak) = weak {
        response.insert_header(ETAG, weak);
    }
}

/// Makes the tags in `If-Match` strong. They then match the current version. A malformed value stays, and `Preconditions` reports it.
pub fn strengthen_if_match(request: &mut HttpRequest) {
    let Some(Ok(TagList::Tags(tags))) = TagList::read(request, &IF_MATCH) else { return };
    if !tags.iter().any(super::EntityTag::is_weak) {
        return;
    }
    let strong: Vec<_> = tags.into_iter().map(|tag| tag.to_strong().to_string()).collect();
    if let Ok(value) = HeaderValue::from_bytes(strong.join(", ").as_bytes()) {
        request.headers_mut().insert(IF_MATCH, value);
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[test]
    fn a_strong_tag_becomes_weak() {
        for (tag, expected) in
            [("\"5\"", "W/\"5\""), ("\"5;~a;br\"", "W/\"5;~a;br\""), ("W/\"5\"", "W/\"5\""), ("5", "5")]
        {
            let mut response = HttpResponse::new(StatusCode::OK).header(ETAG, HeaderValue::from_static(tag));
            weaken_tag(&mut response);
            assert_eq!(response.header_text(&ETAG), Some(expected));
        }
        let mut response = HttpResponse::new(StatusCode::OK);
        weaken_tag(&mut response);
        assert_eq!(response.header_value(&ETAG), None);
    }
}
