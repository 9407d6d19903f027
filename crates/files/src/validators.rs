//! Evaluates the dates of conditional requests, and `If-Range` (RFC 9110, section 13).

use std::cmp::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::HeaderName;
use http::header::{IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE};
use restwright_runtime::core::conditional::EntityTag;
use restwright_runtime::core::http::HttpRequest;

/// The time after a change during which a file may change again within the resolution of its clock.
const UNSETTLED: Duration = Duration::from_secs(2);

/// The number of years after 1970 whose dates are ignored. Reproducible builds set such dates, so files with different
/// contents have the same date.
const YEARS_WITHOUT_FILES: u64 = 11;

/// The identification of one state of a file, with which clients revalidate their copies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Validators {
    pub(crate) tag: Option<EntityTag>,
    pub(crate) modified: Option<SystemTime>,
}

impl Validators {
    /// Returns the validators of a file with this length that was changed at this time. The tag is weak for two seconds
    /// after the change (RFC 9110, section 8.8.2.2). A time before 1981 identifies nothing.
    pub(crate) fn of_file(modified: SystemTime, length: u64, now: SystemTime) -> Self {
        let Ok(since) = modified.duration_since(UNIX_EPOCH) else { return Self::default() };
        if since.as_secs() < YEARS_WITHOUT_FILES * 365 * 24 * 60 * 60 {
            return Self::default();
        }
        let text = format!("{:x}-{length:x}", since.as_nanos());
        let is_settled = now.duration_since(modified).is_ok_and(|age| age >= UNSETTLED);
        let tag = if is_settled { EntityTag::strong(text) } else { EntityTag::weak(text) };
        Self { tag: Some(tag), modified: Some(modified) }
    }

    /// Returns `true` if the file was changed after the time in `If-Unmodified-Since`: 412. `If-Match` replaces this header
    /// (RFC 9110, section 13.1.4).
    pub(crate) fn are_newer(&self, request: &HttpRequest) -> bool {
        self.compare(request, &IF_UNMODIFIED_SINCE, &IF_MATCH) == Some(Ordering::Greater)
    }

    /// Returns `true` if the client has the current state according to `If-Modified-Since`: 304. `If-None-Match` replaces
    /// this header (RFC 9110, section 13.1.3).
    pub(crate) fn are_known(&self, request: &HttpRequest) -> bool {
        self.compare(request, &IF_MODIFIED_SINCE, &IF_NONE_MATCH).is_some_and(Ordering::is_le)
    }

    /// Compares the time of the last change with the date in the header `name`. Returns `None` if the header is missing,
    /// is not one valid date, or is replaced by the header `by_tags`.
    fn compare(&self, request: &HttpRequest, name: &HeaderName, by_tags: &HeaderName) -> Option<Ordering> {
        let modified = self.modified.map(whole_seconds)?;
        let date = request.only_header(name).ok()?.filter(|_| request.header_bytes(by_tags).is_none())?;
        Some(modified.cmp(&httpdate::parse_http_date(date.trim()).ok()?))
    }

    /// Returns `true` if a range of the request belongs to the current state (RFC 9110, section 13.1.5). A request
    /// without `If-Range` accepts a range of any state. An invalid or repeated `If-Range` accepts a range of no state.
    pub(crate) fn permit_range(&self, request: &HttpRequest, now: SystemTime) -> bool {
        let condition = match request.only_header(&IF_RANGE) {
            Ok(None) => return true,
            Ok(Some(condition)) => condition.trim(),
            Err(_) => return false,
        };
        if let Some(tag) = EntityTag::parse(condition) {
            return self.tag.as_ref().is_some_and(|current| !current.is_weak() && *current == tag);
        }
        self.modified.is_some_and(|modified| {
            let is_settled = now.duration_since(modified).is_ok_and(|age| age >= UNSETTLED);
            is_settled && httpdate::parse_http_date(condition).is_ok_and(|date| date == whole_seconds(modified))
        })
    }
}

/// Returns a time without the fraction of its second, as HTTP dates contain it.
fn whole_seconds(time: SystemTime) -> SystemTime {
    time.duration_since(UNIX_EPOCH).map_or(time, |since| UNIX_EPOCH + Duration::from_secs(since.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_files() {
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        let long_after = at(4_000_000_000);
        for (modified, now, expected) in [
            (at(1_000_000_000), long_after, Some("\"de0b6b3a7640000-a\"")),
            (at(1_000_000_000), at(1_000_000_002), Some("\"de0b6b3a7640000-a\"")),
            (at(1_000_000_000), at(1_000_000_001), Some("W/\"de0b6b3a7640000-a\"")),
            (at(1_000_000_000), at(999_999_999), Some("W/\"de0b6b3a7640000-a\"")),
            // The times that Nix and zip files have.
            (at(1), long_after, None),
            (at(315_532_800), long_after, None),
        ] {
            let tag = Validators::of_file(modified, 10, now).tag.map(|tag| tag.to_string());
            assert_eq!(tag.as_deref(), expected, "{modified:?}");
        }
    }
}
