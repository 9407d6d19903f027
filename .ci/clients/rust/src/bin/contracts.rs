//! Calls the contracts through the client that progenitor generated.

use std::collections::HashMap;

use clients::{connection, problem};
use serde_json::json;

progenitor::generate_api!(
    spec = "generated/contracts/openapi-3.0.json",
    interface = Builder,
    replace = { InvoiceChanges = serde_json::Value },
);

use types::{
    InvoiceUpdateBatch, InvoiceUpdateItem, LineInput, NewContract, NewCustomer, NewInvoice, NewInvoiceBatch, Problem,
};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (address, http) = connection();
    let client = Client::new_with_client(&address, http);

    // Create and view.
    let ada = NewCustomer::builder().name("Ada").email("ada@example.com");
    let customer = client.create_customer().body(ada).send().await.unwrap().data.id;
    let flat = NewContract::builder().customer_id(customer).title("Flat 7");
    let contract = client.create_contract().body(flat).send().await.unwrap().data.id;
    let viewed = client.view_contract().id(contract).send().await.unwrap();
    assert_eq!((viewed.data.customer_id, viewed.data.title.as_str()), (customer, "Flat 7"));

    // List with filters.
    let states = vec!["active".parse().unwrap()];
    let listed = client.list_contracts().filter_customer_id(customer).filter_title_contains("flat");
    let listed = listed.filter_state_in(states).send().await.unwrap();
    let titles: Vec<_> = listed.data.iter().map(|contract| contract.title.as_str()).collect();
    assert_eq!(titles, ["Flat 7"]);

    // The customer of each contract, which is also a filter and an order.
    let listed = client.list_contracts().include(vec!["customer".parse().unwrap()]).filter_customer_name_contains("ad");
    let listed = listed.order_by(vec!["-customer.name".parse().unwrap()]).send().await.unwrap();
    assert_eq!(listed.data[0].customer.as_ref().map(|customer| customer.name.as_str()), Some("Ada"));

    // 1,000 invoices in batches, repeated without effect by their idempotency keys, then all of them page by page.
    for batch in 0..10 {
        let new = |index: i32| -> NewInvoice {
            let line: LineInput = LineInput::builder().text("Rent").quantity(1_u64).cents(90_000).try_into().unwrap();
            let invoice = NewInvoice::builder().number(format!("N-{batch}-{index}")).lines(vec![line]);
            let due_on: chrono::NaiveDate = "2026-12-31".parse().unwrap();
            invoice.due_on(due_on).try_into().unwrap()
        };
        for _ in 0..2 {
            let body = NewInvoiceBatch::builder().data((0..100).map(new).collect::<Vec<_>>());
            let key = format!("batch-{batch}");
            let request = client.create_invoices().contract_id(contract).idempotency_key(key).body(body);
            assert_eq!(request.send().await.unwrap().data.len(), 100);
        }
    }
    let mut invoices = HashMap::new();
    let mut cursor: Option<String> = None;
    loop {
        let request = client.list_invoices().contract_id(contract).limit(50);
        let request = if let Some(cursor) = cursor { request.cursor(cursor) } else { request };
        let page = request.send().await.unwrap().into_inner();
        invoices.extend(page.data.into_iter().map(|invoice| (invoice.number.to_string(), invoice)));
        cursor = page.pagination.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(invoices.len(), 1000);

    // Change, with the entity tag of what was viewed: null restores the default, an absent property keeps its value.
    let invoice = &invoices["N-0-0"];
    let view = client.view_invoice().contract_id(contract).id(invoice.id).send().await.unwrap();
    let tag = view.headers()["etag"].to_str().unwrap().to_owned();
    let update = |tag: &str, body| {
        client.update_invoice().contract_id(contract).id(invoice.id).if_match(tag.to_owned()).body(body).send()
    };
    let paid = update(&tag, json!({ "paid": true })).await.unwrap();
    assert!(paid.data.paid);
    assert_eq!(paid.data.lines[0].cents, 90_000);
    let next = paid.headers()["etag"].to_str().unwrap();
    let unpaid = update(next, json!({ "paid": null })).await.unwrap();
    assert!(!unpaid.data.paid);

    // Several invoices at once, or none.
    let mut items = Vec::new();
    for number in ["N-0-1", "N-0-2"] {
        let id = invoices[number].id;
        let view = client.view_invoice().contract_id(contract).id(id).send().await.unwrap();
        let tag = view.headers()["etag"].to_str().unwrap();
        items.push(InvoiceUpdateItem::builder().id(id).if_match(tag).changes(json!({ "paid": true })));
    }
    let items: Vec<InvoiceUpdateItem> = items.into_iter().map(|item| item.try_into().unwrap()).collect();
    let body = InvoiceUpdateBatch::builder().data(items);
    let both = client.update_invoices().contract_id(contract).body(body).send().await.unwrap();
    assert!(both.data.len() == 2 && both.data.iter().all(|invoice| invoice.paid));

    // A rejected request has a typed problem.
    let outdated: Problem = problem(update(&tag, json!({ "paid": true })).await.unwrap_err()).await;
    assert_eq!((outdated.status, outdated.code.as_str()), (412, "precondition_failed"));
    let nowhere = NewCustomer::builder().name("Bo").email("nowhere@-");
    let rejected: Problem = problem(client.create_customer().body(nowhere).send().await.unwrap_err()).await;
    assert_eq!((rejected.code.as_str(), rejected.errors[0].pointer.as_str()), ("invalid_request", "/email"));
}
