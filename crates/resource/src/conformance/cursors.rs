//! Walks through a list by positions, while others insert, update and delete.

use restwright_list::{Expression, Position, Window};

use super::specimen::values;
use super::table::{Failure, Table, labelled};
use super::{Outcome, Specimen, cases, equal};
use crate::entity::Versioned;
use crate::store::Repository;

cases!(
    "cursors";
    a_walk_forward_visits_each_once,
    a_walk_backward_visits_each_once,
    what_is_inserted_before_the_position_is_not_visited,
    what_is_inserted_after_the_position_is_visited,
    what_is_deleted_after_the_position_is_not_visited,
    the_item_at_the_position_may_be_deleted,
    an_item_that_moves_behind_the_position_is_visited_again,
    backward_is_the_way_back,
    ties_at_the_position_are_visited_once,
);

/// Returns ten items with the identifiers 10 to 100, of which each three have the same integer, and the last none.
fn items() -> Vec<Specimen> {
    let numbers = [Some(1), Some(1), Some(1), Some(2), Some(2), Some(2), Some(3), Some(3), Some(3), None];
    let items = numbers.into_iter().zip(1..).map(|(integer, id): (Option<i64>, i64)| item(id * 10, integer));
    items.collect()
}

fn item(id: i64, integer: Option<i64>) -> Specimen {
    Specimen { id, integer, ..labelled(&id.to_string()) }
}

async fn filled<S: Repository<Specimen>>(store: &S) -> Result<Table<'_, S>, Failure> {
    let table = Table::new(store, values());
    table.insert_all(items()).await?;
    Ok(table)
}

/// Returns the position at an item of the order `integer`.
fn at<S: Repository<Specimen>>(table: &Table<'_, S>, item: &Specimen) -> Result<Position, Failure> {
    Ok(Position::after(table.place("integer", item)?))
}

async fn read<S: Repository<Specimen>>(
    table: &Table<'_, S>,
    position: Option<&Position>,
    limit: u32,
) -> Result<Vec<Specimen>, Failure> {
    let listed = table.list(Expression::TRUE, "integer", &Window::seek(position, limit)).await?;
    Ok(listed.items.into_iter().map(|Versioned { entity, .. }| entity).collect())
}

/// Returns the identifiers that are visited from a position on, two by two, in the order of the visits.
async fn walk<S: Repository<Specimen>>(
    table: &Table<'_, S>,
    mut position: Option<Position>,
    backward: bool,
) -> Result<Vec<i64>, Failure> {
    let mut visited = Vec::new();
    loop {
        let read = read(table, position.as_ref(), 2).await?;
        let last = if backward { read.first() } else { read.last() };
        let Some(last) = last else { return Ok(visited) };
        let next = at(table, last)?;
        position = Some(if backward { next.backward() } else { next });
        let ids = read.iter().map(|item| item.id);
        if backward {
            visited.extend(ids.rev())
        } else {
            visited.extend(ids)
        }
        if visited.len() > 100 {
            return Err(Failure::Failed(format!("the walk does not end: {visited:?}")));
        }
    }
}

async fn a_walk_forward_visits_each_once<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = filled(store).await?;
    equal(walk(&table, None, false).await?, vec![100, 10, 20, 30, 40, 50, 60, 70, 80, 90])
}

async fn a_walk_backward_visits_each_once<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = filled(store).await?;
    let end = at(&table, &item(91, Some(3)))?.backward();
    equal(walk(&table, Some(end), true).await?, vec![90, 80, 70, 60, 50, 40, 30, 20, 10, 100])
}

async fn what_is_inserted_before_the_position_is_not_visited<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = filled(store).await?;
    let position = at(&table, &item(40, Some(2)))?;
    table.insert_all([item(15, Some(1)), item(35, Some(2)), item(95, None)]).await?;
    equal(walk(&table, Some(position), false).await?, vec![50, 60, 70, 80, 90])
}

async fn what_is_inserted_after_the_position_is_visited<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = filled(store).await?;
    let position = at(&table, &item(40, Some(2)))?;
    table.insert_all([item(45, Some(2)), item(5, Some(3))]).await?;
    equal(walk(&table, Some(position), false).await?, vec![45, 50, 60, 5, 70, 80, 90])
}

async fn what_is_deleted_after_the_position_is_not_visited<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = filled(store).await?;
    let position = at(&table, &item(40, Some(2)))?;
    table.delete(50, None).await?;
    table.delete(90, None).await?;
    equal(walk(&table, Some(position), false).await?, vec![60, 70, 80])
}

async fn the_item_at_the_position_may_be_deleted<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = filled(store).await?;
    let position = at(&table, &item(40, Some(2)))?;
    table.delete(40, None).await?;
    equal(walk(&table, Some(position.clone()), false).await?, vec![50, 60, 70, 80, 90])?;
    equal(walk(&table, Some(position.backward()), true).await?, vec![30, 20, 10, 100])
}

async fn an_item_that_moves_behind_the_position_is_visited_again<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = filled(store).await?;
    let position = at(&table, &item(40, Some(2)))?;
    table.update(item(10, Some(9)), None).await?;
    table.update(item(80, None), None).await?;
    equal(walk(&table, Some(position), false).await?, vec![50, 60, 70, 90, 10])
}

async fn backward_is_the_way_back<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = filled(store).await?;
    let first = read(&table, None, 4).await?;
    let [.., last] = first.as_slice() else { return Err("nothing was read".to_owned()) };
    let second = read(&table, Some(&at(&table, last)?), 4).await?;
    let [start, ..] = second.as_slice() else { return Err("nothing was read".to_owned()) };
    equal(read(&table, Some(&at(&table, start)?.backward()), 4).await?, first)
}

async fn ties_at_the_position_are_visited_once<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = filled(store).await?;
    let position = at(&table, &item(20, Some(1)))?;
    equal(read(&table, Some(&position), 1).await?, vec![item(30, Some(1))])?;
    equal(read(&table, Some(&position.backward()), 1).await?, vec![item(10, Some(1))])
}
