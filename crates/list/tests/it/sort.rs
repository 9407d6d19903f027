//! The order of items.

use crate::pets::{client, five};
use crate::{get, ids};

#[test]
fn orders_are_complete_and_null_is_the_smallest() {
    let client = client(&five());
    for (order, expected) in [
        ("?order_by=id", [1, 2, 3, 4, 5]),
        ("?order_by=-id", [5, 4, 3, 2, 1]),
        // By code point: upper case before lower case, and `Ä` after both.
        ("?order_by=name", [1, 2, 4, 5, 3]),
        ("?order_by=+name", [1, 2, 4, 5, 3]),
        ("?order_by=%2Bname", [1, 2, 4, 5, 3]),
        ("?order_by=-name", [3, 5, 4, 2, 1]),
        ("?order_by=nickname", [2, 4, 5, 1, 3]),
        ("?order_by=-nickname", [3, 1, 5, 4, 2]),
        ("?order_by=age", [5, 4, 1, 3, 2]),
        ("?order_by=-age", [2, 3, 1, 4, 5]),
        ("?order_by=-age,+id", [2, 1, 3, 4, 5]),
        ("?order_by=age,name", [5, 4, 1, 3, 2]),
        ("?order_by=age,-name", [5, 4, 3, 1, 2]),
        ("?order_by=id,name", [1, 2, 3, 4, 5]),
        ("?order_by=age&order_by=-name", [5, 4, 3, 1, 2]),
        ("?order_by=-age&order_by=+id", [2, 1, 3, 4, 5]),
        // The declared order: heaviest first.
        ("", [2, 3, 1, 4, 5]),
    ] {
        assert_eq!(ids(&get(&client, &format!("/pets{order}"))), expected, "{order}");
    }
}
