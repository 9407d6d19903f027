//! Makes the file name of a client safe to show.

/// Returns the last part of a path without control characters. Returns `None` if nothing is left, or the name is `.` or
/// `..`.
pub(super) fn safe_name(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let safe: String = last.chars().filter(|character| !character.is_control()).collect();
    let safe = safe.trim();
    (!matches!(safe, "" | "." | "..")).then(|| safe.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_folders() {
        for (name, expected) in [
            ("photo.png", Some("photo.png")),
            ("../../etc/passwd", Some("passwd")),
            ("C:\\photos\\a b.png", Some("a b.png")),
            ("a\0b\r\n.png", Some("ab.png")),
            ("\u{e4}.png", Some("\u{e4}.png")),
            ("..", None),
            ("a/..", None),
            ("a/", None),
            ("\0", None),
            ("", None),
        ] {
            assert_eq!(safe_name(name).as_deref(), expected, "{name:?}");
        }
    }
}
