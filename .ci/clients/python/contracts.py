"""Calls the contracts through the client that openapi-python-client generated."""

import datetime
import os

from generated.contracts import AuthenticatedClient
from generated.contracts.api.contracts import create_contract, list_contracts, view_contract
from generated.contracts.api.customers import create_customer
from generated.contracts.api.invoices import create_invoices, list_invoices, update_invoice, update_invoices, view_invoice
from generated.contracts.models import (
    ContractViewPage,
    CustomerView,
    DataContractView,
    DataCustomerView,
    DataInvoiceView,
    DataListOfInvoiceView,
    InvalidRequestProblem,
    InvoiceChanges,
    InvoiceUpdateBatch,
    InvoiceUpdateItem,
    InvoiceViewCursor,
    LineInput,
    ListContractsIncludeItem,
    ListContractsOrderByItem,
    NewContract,
    NewCustomer,
    NewInvoice,
    NewInvoiceBatch,
    PreconditionFailedProblem,
    State,
)
from generated.contracts.types import UNSET, Unset

client = AuthenticatedClient(
    os.environ["API_URL"], token=os.environ["API_KEY"], prefix="", auth_header_name="X-Api-Key"
)

# Create and view.
customer = create_customer.sync(client=client, body=NewCustomer("Ada", "ada@example.com"))
assert isinstance(customer, DataCustomerView)
created = create_contract.sync(client=client, body=NewContract(customer.data.id, "Flat 7"))
assert isinstance(created, DataContractView)
contract_id = created.data.id
viewed = view_contract.sync(contract_id, client=client)
assert viewed == created

# List with filters.
listed = list_contracts.sync(
    client=client, filtercustomer_id=customer.data.id, filtertitlecontains="flat", filterstatein=[State("active")]
)
assert isinstance(listed, ContractViewPage)
assert [contract.title for contract in listed.data] == ["Flat 7"]

# The customer of each contract, which is also a filter and an order.
included = list_contracts.sync(
    client=client,
    include=[ListContractsIncludeItem.CUSTOMER],
    filtercustomer_namecontains="ad",
    order_by=[ListContractsOrderByItem.CUSTOMER_NAME],
)
assert isinstance(included, ContractViewPage)
assert isinstance(included.data[0].customer, CustomerView)
assert included.data[0].customer.name == "Ada"

# 1,000 invoices in batches, repeated without effect by their idempotency keys, then all of them page by page.
for batch in range(10):
    new = [
        NewInvoice(f"N-{batch}-{index}", datetime.date(2026, 12, 31), [LineInput("Rent", 1, 90_000)]) for index in range(100)
    ]
    for attempt in range(2):
        batched = create_invoices.sync(
            contract_id, client=client, body=NewInvoiceBatch(new), idempotency_key=f"batch-{batch}"
        )
        assert isinstance(batched, DataListOfInvoiceView)
        assert len(batched.data) == 100
invoices = {}
cursor: str | None | Unset = UNSET
while cursor is not None:
    page = list_invoices.sync(contract_id, client=client, cursor=cursor, limit=50)
    assert isinstance(page, InvoiceViewCursor)
    invoices.update({invoice.number: invoice for invoice in page.data})
    cursor = page.pagination.next_cursor
assert len(invoices) == 1000

# Change, with the entity tag of what was viewed: None restores the default, an absent property keeps its value.
invoice = invoices["N-0-0"]
before = view_invoice.sync_detailed(contract_id, invoice.id, client=client)
tag = before.headers["ETag"]
paid = update_invoice.sync_detailed(
    contract_id, invoice.id, client=client, body=InvoiceChanges(paid=True), if_match=tag
)
assert isinstance(paid.parsed, DataInvoiceView)
assert paid.parsed.data.paid
assert paid.parsed.data.lines == invoice.lines
unpaid = update_invoice.sync(
    contract_id, invoice.id, client=client, body=InvoiceChanges(paid=None), if_match=paid.headers["ETag"]
)
assert isinstance(unpaid, DataInvoiceView)
assert not unpaid.data.paid

# Several invoices at once, or none.
changes = [
    InvoiceUpdateItem(
        invoices[number].id,
        view_invoice.sync_detailed(contract_id, invoices[number].id, client=client).headers["ETag"],
        InvoiceChanges(paid=True),
    )
    for number in ["N-0-1", "N-0-2"]
]
both = update_invoices.sync(contract_id, client=client, body=InvoiceUpdateBatch(changes))
assert isinstance(both, DataListOfInvoiceView)
assert [changed.paid for changed in both.data] == [True, True]
again = update_invoices.sync(contract_id, client=client, body=InvoiceUpdateBatch(changes))
assert isinstance(again, PreconditionFailedProblem)

# A rejected request has a typed problem.
outdated = update_invoice.sync(
    contract_id, invoice.id, client=client, body=InvoiceChanges(paid=True), if_match=tag
)
assert isinstance(outdated, PreconditionFailedProblem)
rejected = create_customer.sync(client=client, body=NewCustomer("Bo", "nowhere"))
assert isinstance(rejected, InvalidRequestProblem)
assert rejected.errors
assert rejected.errors[0].pointer == "/email"
