//! Test cases for decimals: their digits, filters and orders.

use restwright_list::Comparison::{Between, Eq, Gt, Gte, In, IsNull, Lt, Lte, Ne};
use restwright_list::{Expression, Value};
use restwright_resource::Store;
use rust_decimal::Decimal;

use crate::specimen::values;
use crate::table::{TestTable, labelled, when};
use crate::{CaseResult, Specimen, cases, equal};

cases!(
    "decimals";
    decimals_are_written_with_the_scale_of_their_field,
    filters_and_orders_compare_decimals_exactly,
);

async fn decimals_are_written_with_the_scale_of_their_field(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, values());
    let texts = |specimen: Specimen| (specimen.amount.map(|amount| amount.to_string()), specimen.price.to_string());
    table.insert(Specimen { id: 1, ..labelled("decimal") }).await?;
    for (amount, price, kept_amount, kept_price) in [
        (Decimal::new(150, 2), Decimal::new(15, 1), "1.5", "1.50"),
        (Decimal::new(-100, 2), Decimal::new(-7, 0), "-1", "-7.00"),
        (Decimal::new(100, 0), Decimal::new(1_000, 3), "100", "1.00"),
        (-Decimal::ZERO, -Decimal::ZERO, "0", "0.00"),
    ] {
        let specimen = Specimen { id: 1, amount: Some(amount), price, ..labelled("decimal") };
        let kept = (Some(kept_amount.to_owned()), kept_price.to_owned());
        equal(texts(table.update(specimen.clone(), None).await?.entity), kept.clone())?;
        equal(texts(table.get(1).await?.entity), kept.clone())?;
        table.delete(1, None).await?;
        equal(texts(table.insert(specimen).await?.entity), kept.clone())?;
        equal(texts(table.get(1).await?.entity), kept)?;
    }
    Ok(())
}

async fn filters_and_orders_compare_decimals_exactly(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, values());
    let decimal = |digits, scale| Value::from(Decimal::new(digits, scale));
    let amounts = ["", "-2", "-1.5", "-1.49", "0", "1.5", "1.50", "10"];
    let specimens = amounts.into_iter().zip(1..).map(|(amount, id)| Specimen {
        id,
        amount: amount.parse().ok(),
        ..labelled(&id.to_string())
    });
    let specimens: Vec<_> = specimens.collect();
    table.insert_all(specimens.into_iter().rev()).await?;
    for (comparison, expected) in [
        (Eq(decimal(1_500, 3)), "6 7"),
        (Eq(decimal(15_000_000_000_000_001, 16)), ""),
        (Ne(decimal(15, 1)), "1 2 3 4 5 8"),
        (In(vec![decimal(0, 2), decimal(10, 0)]), "5 8"),
        (Gt(decimal(-149, 2)), "5 6 7 8"),
        (Gte(decimal(-149, 2)), "4 5 6 7 8"),
        (Lt(decimal(-14_900_000_000_000_001, 16)), "2 3"),
        (Lte(decimal(9, 0)), "2 3 4 5 6 7"),
        (Between(decimal(-15, 1), decimal(1, 0)), "3 4 5"),
        (IsNull(true), "1"),
        // Values of another type are not equal, and smaller or larger than all decimals.
        (Eq(0.into()), ""),
        (Gt(100.into()), "2 3 4 5 6 7 8"),
    ] {
        let filter = when("amount", comparison);
        let labels = table.labels(filter.clone(), "").await?.join(" ");
        equal(labels.as_str(), expected).map_err(|reason| format!("{filter:?}: {reason}"))?;
    }
    for (order, expected) in [("amount", "1 2 3 4 5 6 7 8"), ("-amount,id", "8 6 7 5 4 3 2 1")] {
        let labels = table.labels(Expression::TRUE, order).await?.join(" ");
        equal(labels.as_str(), expected).map_err(|reason| format!("by `{order}`: {reason}"))?;
    }
    Ok(())
}
