//! What a store reads from a statement, and what a store that wraps another one passes to it.

use restwright_resource::{EntityDefinition, IdentifierKind, MemoryStore, Statement};

fn flags(statement: &Statement<'_, MemoryStore>) -> (bool, bool) {
    (statement.allows_stale(), statement.is_for_update())
}

#[test]
fn an_inner_store_receives_the_flags_of_the_outer_statement() {
    let definition = EntityDefinition::new("notes", "id", IdentifierKind::Integer);
    let statement = || Statement::<MemoryStore>::new(&definition);
    let cases = [
        (statement(), (false, false)),
        (statement().allow_stale(), (true, false)),
        (statement().for_update(), (false, true)),
        (statement().allow_stale().for_update(), (true, true)),
    ];
    for (statement, expected) in cases {
        assert_eq!(flags(&statement), expected);
        assert_eq!(flags(&Statement::from_outer(&statement)), expected);
    }
}
