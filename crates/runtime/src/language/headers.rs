//! Adds the headers `Content-Language` and `Vary` to responses that depend on the language of the request.

use http::HeaderValue;
use http::header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE};
use restwright_core::http::{HttpRequest, HttpResponse};

use super::{Languages, LocaleIsRead};

/// Adds the headers `Content-Language` and `Vary` to responses that depend on `Accept-Language`. These are responses of
/// routes that read a `Locale`, and problems, which already contain `Content-Language`.
pub(crate) fn add_headers(languages: &Languages, request: &HttpRequest, response: &mut HttpResponse) {
    let reads_locale = request.route().is_some_and(|route| route.kept::<LocaleIsRead>().is_some());
    let has_language = response.header_value(&CONTENT_LANGUAGE).is_some();
    if !reads_locale && !has_language {
        return;
    }
    if !has_language {
        let lines = request.header_values(&ACCEPT_LANGUAGE);
        response.insert_header(CONTENT_LANGUAGE, languages.choose(&lines).header_value());
    }
    response.add_vary(&HeaderValue::from_static("Accept-Language"));
}
