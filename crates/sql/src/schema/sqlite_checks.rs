//! Parses the `CHECK` constraints and the triggers of a SQLite table. SQLite stores them only as SQL statements.

use super::found_table::FoundCheck;

/// A token of an SQL statement, with its source string.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'s> {
    /// A keyword or a name.
    Word(&'s str),
    Other(&'s str),
}

impl<'s> Token<'s> {
    fn text(self) -> &'s str {
        match self {
            Self::Word(text) | Self::Other(text) => text,
        }
    }

    fn is_keyword(self, keyword: &str) -> bool {
        self.text().eq_ignore_ascii_case(keyword)
    }

    /// Returns the name in a `Word` token, without quotes. Returns `None` for other tokens.
    fn name(self) -> Option<String> {
        let Self::Word(text) = self else { return None };
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        Some(match text.chars().next()? {
            '[' => inner.to_owned(),
            quote @ ('"' | '`') => inner.replace(&format!("{quote}{quote}"), &quote.to_string()),
            _ => text.to_owned(),
        })
    }
}

/// Returns the check constraints in a `CREATE TABLE` statement, each with the names of its columns. Errors identify a check by its name or
/// its expression.
pub(super) fn checks(sql: &str, columns: &[&str]) -> Vec<FoundCheck> {
    let tokens = tokens(sql);
    let mut checks = Vec::new();
    for start in 0..tokens.len() {
        let (before, from) = tokens.split_at(start);
        let [(_, check), (open, Token::Other("(")), inner @ ..] = from else { continue };
        if !check.is_keyword("CHECK") {
            continue;
        }
        let mut depth = 1_u32;
        let end = inner.iter().position(|(_, token)| {
            match token.text() {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let Some((inner, (close, _))) = end.and_then(|end| Some((inner.get(..end)?, inner.get(end)?))) else {
            continue;
        };
        let name = match before {
            [.., (_, constraint), (_, name)] if constraint.is_keyword("CONSTRAINT") => name.name(),
            _ => None,
        };
        let expression = || sql.get(open + 1..*close).unwrap_or_default().trim().to_owned();
        let is_named = |column: &&&str| {
            inner.iter().filter_map(|(_, token)| token.name()).any(|name| name.eq_ignore_ascii_case(column))
        };
        let columns = columns.iter().filter(is_named).map(|&column| column.to_owned()).collect();
        checks.push(FoundCheck { name: name.unwrap_or_else(expression), columns });
    }
    checks
}

/// The kind of statements that run a trigger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TriggerEvent {
    Insert,
    Update,
    Delete,
}

/// Returns the event in a `CREATE TRIGGER` statement.
pub(super) fn trigger_event(sql: &str) -> Option<TriggerEvent> {
    // `BEFORE`, `AFTER` or `INSTEAD OF` is optional between the name and the event.
    tokens(sql).iter().skip(3).take(3).find_map(|(_, token)| {
        let events = [TriggerEvent::Insert, TriggerEvent::Update, TriggerEvent::Delete];
        ["INSERT", "UPDATE", "DELETE"]
            .iter()
            .zip(events)
            .find_map(|(word, event)| token.is_keyword(word).then_some(event))
    })
}

/// Returns the tokens of an SQL statement and their positions, without white space and comments.
fn tokens(sql: &str) -> Vec<(usize, Token<'_>)> {
    let mut tokens = Vec::new();
    let mut place = 0;
    while let Some(rest) = sql.get(place..)
        && let Some(first) = rest.chars().next()
    {
        let is_of_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
        let length = match first {
            '\'' | '"' | '`' => quoted_length(rest, first),
            '[' => rest.find(']').map_or(rest.len(), |end| end + 1),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if is_of_word(first) => rest.find(|character| !is_of_word(character)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let text = rest.get(..length).unwrap_or_default();
        let is_comment = text.starts_with("--") || text.starts_with("/*");
        if is_of_word(first) || matches!(first, '"' | '`' | '[') {
            tokens.push((place, Token::Word(text)));
        } else if !first.is_whitespace() && !is_comment {
            tokens.push((place, Token::Other(text)));
        }
        place += length;
    }
    tokens
}

/// Returns the length of the quoted string at the start of `text`. Quotes inside the string are doubled.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((place, character)) = characters.next() {
        if character == quote && characters.next_if(|(_, next)| *next == quote).is_none() {
            return place + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{TriggerEvent, checks, trigger_event};

    #[test]
    fn finds_checks_and_their_columns() {
        let sql = r#"CREATE TABLE "check (a)" (
            id INTEGER PRIMARY KEY, -- CHECK (id > 1)
            legs INTEGER CONSTRAINT pos CHECK (legs >= 0 AND (legs < 100)),
            "na""me" TEXT DEFAULT 'CHECK (x' CHECK( length("na""me") < 5 ) /* CHECK (legs) */,
            CONSTRAINT [both ways] check (legs > [LEGS] or `id` <> ')')
        )"#;
        let found = checks(sql, &["id", "legs", "na\"me"]);
        let found: Vec<_> = found.iter().map(|check| (check.name.as_str(), check.columns.join(" "))).collect();
        assert_eq!(
            found,
            [
                ("pos", "legs".to_owned()),
                (r#"length("na""me") < 5"#, "na\"me".to_owned()),
                ("both ways", "id legs".to_owned())
            ]
        );
        assert_eq!(checks("CREATE TABLE a (b CHECK (b", &["b"]), []);
    }

    #[test]
    fn finds_the_event_of_a_trigger() {
        for (sql, expected) in [
            ("CREATE TRIGGER one AFTER INSERT ON animals BEGIN DELETE FROM toys; END", Some(TriggerEvent::Insert)),
            (
                "CREATE TRIGGER \"insert\" before update OF a, b ON animals BEGIN SELECT 1; END",
                Some(TriggerEvent::Update),
            ),
            (
                "CREATE TRIGGER 'after' /* INSERT */ DELETE ON animals BEGIN UPDATE a SET b = 1; END",
                Some(TriggerEvent::Delete),
            ),
            ("CREATE TRIGGER update INSTEAD OF INSERT ON animals BEGIN SELECT 1; END", Some(TriggerEvent::Insert)),
            ("CREATE TRIGGER", None),
        ] {
            assert_eq!(trigger_event(sql), expected, "{sql}");
        }
    }
}
