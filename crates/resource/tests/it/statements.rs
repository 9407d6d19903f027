//! What a store reads from a statement, and what a store that wraps another one passes to it.

use restwright_resource::{EntityDefinition, IdentifierKind, Scope, Statement, Transaction};

fn flags(statement: &Statement<'_>) -> (bool, bool) {
    (statement.allows_stale(), statement.is_for_update())
}

#[test]
fn an_inner_store_receives_the_flags_of_the_outer_statement() {
    let definition = EntityDefinition::new("notes", "id", IdentifierKind::Integer);
    let scope = Scope::new().with("tenant", 7);
    let statement = || Statement::new(&definition);
    let cases = [
        (statement(), (false, false)),
        (statement().allow_stale(), (true, false)),
        (statement().for_update(), (false, true)),
        (statement().allow_stale().for_update(), (true, true)),
    ];
    for (statement, expected) in cases {
        assert_eq!(flags(&statement), expected);
        let mut statement = statement.scoped(&scope).with_deleted();
        let inner = statement.reborrow();
        assert_eq!(flags(&inner), expected);
        assert_eq!((inner.scope(), inner.sees_deleted()), (&scope, true));
    }
}

#[test]
fn a_statement_passes_the_transaction_inside_a_transaction() {
    struct Outer(Transaction);
    let definition = EntityDefinition::new("notes", "id", IdentifierKind::Integer);
    let mut transaction = Transaction::new(Outer(Transaction::new(5_u8)));
    let mut outer = Statement::new(&definition).within(&mut transaction);
    assert!(outer.reborrow().transaction::<Outer>().unwrap().is_some());
    let mut inner = outer.map_transaction(|outer: &mut Outer| &mut outer.0).unwrap();
    assert_eq!(inner.transaction::<u8>().unwrap(), Some(&mut 5));
    let error = inner.transaction::<u16>().unwrap_err().to_string();
    assert!(error.contains("contains a `u8` instead of a `u16`; use the transaction of the same store"), "{error}");
    let mut without = Statement::new(&definition).map_transaction(|outer: &mut Outer| &mut outer.0).unwrap();
    assert_eq!(without.transaction::<u16>().unwrap(), None);
}
