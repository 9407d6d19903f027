// Calls the contracts through the client that hey-api generated.
import assert from "node:assert/strict";
import { client } from "./generated/contracts/client.gen.js";
import {
  createContract,
  createCustomer,
  createInvoices,
  listContracts,
  listInvoices,
  updateInvoice,
  updateInvoices,
  viewContract,
  viewInvoice,
} from "./generated/contracts/index.js";

const { API_URL: baseUrl, API_KEY } = process.env;
client.setConfig({ baseUrl, auth: API_KEY });

// Create and view.
const customer = await createCustomer({ body: { name: "Ada", email: "ada@example.com" } });
assert(customer.data);
const customer_id = customer.data.data.id;
const created = await createContract({ body: { customer_id, title: "Flat 7" } });
assert(created.data);
const contract_id = created.data.data.id;
const viewed = await viewContract({ path: { id: contract_id } });
assert.deepEqual(viewed.data, created.data);

// List with filters.
const listed = await listContracts({
  query: { "filter[customer_id]": customer_id, "filter[title][contains]": "flat", "filter[state][in]": ["active"] },
});
assert.equal(listed.data?.data[0]?.title, "Flat 7");

// The customer of each contract, which is also a filter and an order.
const included = await listContracts({
  query: { include: ["customer"], "filter[customer.name][contains]": "ad", order_by: ["-customer.name"] },
});
assert.equal(included.data?.data[0]?.customer?.name, "Ada");

// 1,000 invoices in batches, repeated without effect by their idempotency keys, then all of them page by page.
const path = { contract_id };
for (let batch = 0; batch < 10; batch++) {
  const data = Array.from({ length: 100 }, (_, index) => ({
    number: `N-${batch}-${index}`,
    due_on: "2026-12-31",
    lines: [{ text: "Rent", quantity: 1, cents: 90_000 }],
  }));
  for (let attempt = 0; attempt < 2; attempt++) {
    const headers = { "Idempotency-Key": `batch-${batch}` };
    const batched = await createInvoices({ path, headers, body: { data } });
    assert.equal(batched.data?.data.length, 100);
  }
}
const invoices = new Map<string, string>();
for (let cursor: string | null | undefined; cursor !== null; ) {
  const page = await listInvoices({ path, query: { cursor, limit: 50 } });
  assert(page.data);
  page.data.data.forEach((invoice) => invoices.set(invoice.number, invoice.id));
  cursor = page.data.pagination.next_cursor;
}
assert.equal(invoices.size, 1000);

// Change, with the entity tag of what was viewed: null restores the default, an absent property keeps its value.
const invoice = { contract_id, id: invoices.get("N-0-0") ?? "" };
const before = await viewInvoice({ path: invoice });
const headers = { "If-Match": before.response?.headers.get("ETag") ?? "" };
const paid = await updateInvoice({ path: invoice, headers, body: { paid: true } });
assert.equal(paid.data?.data.paid, true);
assert.deepEqual(paid.data.data.lines, before.data?.data.lines);
const unpaid = await updateInvoice({
  path: invoice,
  headers: { "If-Match": paid.response?.headers.get("ETag") ?? "" },
  body: { paid: null },
});
assert.equal(unpaid.data?.data.paid, false);

// Several invoices at once, or none.
const ids = [invoices.get("N-0-1") ?? "", invoices.get("N-0-2") ?? ""];
const views = await Promise.all(ids.map((id) => viewInvoice({ path: { contract_id, id } })));
const changes = ids.map((id, index) => ({ id, if_match: views[index]?.response?.headers.get("ETag") ?? "", changes: { paid: true } }));
const both = await updateInvoices({ path, body: { data: changes } });
assert.deepEqual(both.data?.data.map((invoice) => invoice.paid), [true, true]);
const again = await updateInvoices({ path, body: { data: changes } });
assert(again.error?.code === "precondition_failed");

// A rejected request has a typed problem.
const outdated = await updateInvoice({ path: invoice, headers, body: { paid: true } });
assert(outdated.error?.code === "precondition_failed");
const rejected = await createCustomer({ body: { name: "Bo", email: "nowhere" } });
assert(rejected.error?.code === "invalid_request");
assert.equal(rejected.error.errors?.[0]?.pointer, "/email");
