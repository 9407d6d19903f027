//! The difference of two texts by lines.

use std::fmt::Write;

/// How many equal lines are shown around a change.
const CONTEXT: usize = 3;

/// Above this number of compared pairs of lines, what lies between the first and the last change counts as changed as a
/// whole.
const LARGEST_TABLE: usize = 16_000_000;

/// The lines to remove (`-`) and to add (`+`), with a few lines around them, in the unified format.
pub(super) fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    hunks(&edits(&old, &new)).iter().fold(String::new(), |text, hunk| text + &shown(hunk))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit<'t> {
    Keep(&'t str),
    Remove(&'t str),
    Add(&'t str),
}

/// What makes the new lines of the old ones.
fn edits<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Edit<'t>> {
    let same_start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (start, old) = old.split_at(same_start);
    let (_, new) = new.split_at(same_start);
    let same_end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, end) = old.split_at(old.len() - same_end);
    let (new, _) = new.split_at(new.len() - same_end);

    let keep = |line: &&'t str| Edit::Keep(line);
    let mut edits: Vec<_> = start.iter().map(keep).collect();
    if old.len().saturating_mul(new.len()) > LARGEST_TABLE {
        edits.extend(old.iter().map(|line| Edit::Remove(line)));
        edits.extend(new.iter().map(|line| Edit::Add(line)));
    } else {
        middle(old, new, &mut edits);
    }
    edits.extend(end.iter().map(keep));
    edits
}

/// The edits that keep a longest common subsequence.
fn middle<'t>(old: &[&'t str], new: &[&'t str], edits: &mut Vec<Edit<'t>>) {
    // lengths[i][j]: how many lines the ends old[i..] and new[j..] have in common.
    let mut lengths = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    let at = |lengths: &[Vec<u32>], i: usize, j: usize| lengths.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0);
    for (i, old) in old.iter().enumerate().rev() {
        for (j, new) in new.iter().enumerate().rev() {
            let length = if old == new {
                at(&lengths, i + 1, j + 1) + 1
            } else {
                at(&lengths, i + 1, j).max(at(&lengths, i, j + 1))
            };
            if let Some(place) = lengths.get_mut(i).and_then(|row| row.get_mut(j)) {
                *place = length;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    loop {
        match (old.get(i), new.get(j)) {
            (Some(old), Some(new)) if old == new => {
                edits.push(Edit::Keep(old));
                (i, j) = (i + 1, j + 1);
            }
            (Some(old), new) if new.is_none() || at(&lengths, i + 1, j) >= at(&lengths, i, j + 1) => {
                edits.push(Edit::Remove(old));
                i += 1;
            }
            (_, Some(new)) => {
                edits.push(Edit::Add(new));
                j += 1;
            }
            (_, None) => return,
        }
    }
}

/// A run of edits with their context, and the numbers of its first lines.
struct Hunk<'e, 't> {
    old: usize,
    new: usize,
    edits: Vec<&'e Edit<'t>>,
}

fn hunks<'e, 't>(edits: &'e [Edit<'t>]) -> Vec<Hunk<'e, 't>> {
    let changes: Vec<_> =
        edits.iter().enumerate().filter(|(_, edit)| !matches!(edit, Edit::Keep(_))).map(|(index, _)| index).collect();
    let near = |index: usize| {
        let next = changes.partition_point(|change| *change < index.saturating_sub(CONTEXT));
        changes.get(next).is_some_and(|change| *change <= index + CONTEXT)
    };
    let (mut hunks, mut open, mut old, mut new) = (Vec::<Hunk<'_, '_>>::new(), false, 1, 1);
    for (index, edit) in edits.iter().enumerate() {
        let shown = near(index);
        if shown && !open {
            hunks.push(Hunk { old, new, edits: Vec::new() });
        }
        if let Some(hunk) = hunks.last_mut().filter(|_| shown) {
            hunk.edits.push(edit);
        }
        open = shown;
        old += usize::from(!matches!(edit, Edit::Add(_)));
        new += usize::from(!matches!(edit, Edit::Remove(_)));
    }
    hunks
}

fn shown(hunk: &Hunk<'_, '_>) -> String {
    let count = |leaves_out: fn(&Edit<'_>) -> bool| hunk.edits.iter().filter(|edit| !leaves_out(edit)).count();
    let old = count(|edit| matches!(edit, Edit::Add(_)));
    let new = count(|edit| matches!(edit, Edit::Remove(_)));
    let mut text = format!("@@ -{},{old} +{},{new} @@\n", hunk.old, hunk.new);
    for edit in &hunk.edits {
        let (sign, line) = match edit {
            Edit::Keep(line) => (' ', line),
            Edit::Remove(line) => ('-', line),
            Edit::Add(line) => ('+', line),
        };
        let _ = writeln!(text, "{sign}{line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::difference;

    fn lines(range: std::ops::RangeInclusive<u32>) -> String {
        range.map(|number| format!("{number}\n")).collect()
    }

    #[test]
    fn changes_are_shown_with_their_context() {
        let old = lines(1..=20);
        let new = old.replace("\n5\n", "\nfive\n").replace("\n15\n", "\n").replace("\n16\n", "\n16\nand\n");
        let expected = "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
                        @@ -12,8 +12,8 @@\n 12\n 13\n 14\n-15\n 16\n+and\n 17\n 18\n 19\n";
        assert_eq!(difference(&old, &new), expected);
    }

    #[test]
    fn equal_texts_do_not_differ() {
        assert_eq!(difference(&lines(1..=9), &lines(1..=9)), "");
    }

    #[test]
    fn a_text_may_begin_or_end() {
        assert_eq!(difference("", "a\n"), "@@ -1,0 +1,1 @@\n+a\n");
        assert_eq!(difference("a\nb\n", "a\n"), "@@ -1,2 +1,1 @@\n a\n-b\n");
    }

    #[test]
    fn large_changes_are_shown_as_a_whole() {
        let shown = difference(&lines(1..=5_000), &lines(5_001..=10_000));
        assert_eq!(shown.lines().count(), 10_001);
    }
}
