// Calls the contracts through openapi-fetch, with the types that openapi-typescript generated.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths } from "./generated/contracts.js";

const { API_URL, API_KEY } = process.env;
const client = createClient<paths>({ baseUrl: API_URL, headers: { "X-Api-Key": API_KEY } });

// Create and view.
const customer = await client.POST("/customers", { body: { name: "Ada", email: "ada@example.com" } });
assert(customer.data);
const customer_id = customer.data.data.id;
const created = await client.POST("/contracts", { body: { customer_id, title: "Flat 7" } });
assert(created.data);
const contract_id = created.data.data.id;
const viewed = await client.GET("/contracts/{id}", { params: { path: { id: contract_id } } });
assert.deepEqual(viewed.data, created.data);

// A union without a tag, and a map with typed keys.
const contact = { name: "Bob", email: "bob@example.com" };
const replaced = await client.PATCH("/customers/{id}", { params: { path: { id: customer_id } }, body: { contact } });
assert.deepEqual(replaced.data?.data.contact, contact);
const phone = await client.PATCH("/customers/{id}", { params: { path: { id: customer_id } }, body: { contact: "+49 30 1234" } });
assert.equal(phone.data?.data.contact, "+49 30 1234");
const report = await client.GET("/report");
assert.equal(report.data?.data.contracts["active"], 1);

// List with filters.
const listed = await client.GET("/contracts", {
  params: { query: { "filter[customer_id]": customer_id, "filter[title][contains]": "flat", "filter[state][in]": ["active"] } },
});
assert.equal(listed.data?.data[0]?.title, "Flat 7");

// The customer of each contract, which is also a filter and an order.
const included = await client.GET("/contracts", {
  params: { query: { include: ["customer"], "filter[customer.name][contains]": "ad", order_by: ["-customer.name"] } },
});
assert.equal(included.data?.data[0]?.customer?.name, "Ada");

// 1,000 invoices in batches, repeated without effect by their idempotency keys, then all of them page by page.
const path = { contract_id };
for (let batch = 0; batch < 10; batch++) {
  const data = Array.from({ length: 100 }, (_, index) => ({
    number: `N-${batch}-${index}`,
    due_on: "2026-12-31",
    period: ["2026-11-01", "2026-11-30"] satisfies [string, string],
    lines: [{ text: "Rent", quantity: 1, cents: 90_000 }],
  }));
  for (let attempt = 0; attempt < 2; attempt++) {
    const header = { "Idempotency-Key": `batch-${batch}` };
    const batched = await client.POST("/contracts/{contract_id}/invoices/batch", { params: { path, header }, body: { data } });
    assert.equal(batched.data?.data.length, 100);
  }
}
const invoices = new Map<string, string>();
for (let cursor: string | null | undefined; cursor !== null; ) {
  const page = await client.GET("/contracts/{contract_id}/invoices", { params: { path, query: { cursor, limit: 50 } } });
  assert(page.data);
  page.data.data.forEach((invoice) => invoices.set(invoice.number, invoice.id));
  cursor = page.data.pagination.next_cursor;
}
assert.equal(invoices.size, 1000);

// Change, with the entity tag of what was viewed: null restores the default, an absent property keeps its value.
const invoice = { contract_id, id: invoices.get("N-0-0") ?? "" };
const before = await client.GET("/contracts/{contract_id}/invoices/{id}", { params: { path: invoice } });
const header = { "If-Match": before.response.headers.get("ETag") ?? "" };
const paid = await client.PATCH("/contracts/{contract_id}/invoices/{id}", {
  params: { path: invoice, header },
  body: { paid: true },
});
assert.equal(paid.data?.data.paid, true);
assert.deepEqual(paid.data.data.lines, before.data?.data.lines);
const unpaid = await client.PATCH("/contracts/{contract_id}/invoices/{id}", {
  params: { path: invoice, header: { "If-Match": paid.response.headers.get("ETag") ?? "" } },
  body: { paid: null },
});
assert.equal(unpaid.data?.data.paid, false);

// Several invoices at once, or none.
const ids = [invoices.get("N-0-1") ?? "", invoices.get("N-0-2") ?? ""];
const tags = await Promise.all(
  ids.map((id) => client.GET("/contracts/{contract_id}/invoices/{id}", { params: { path: { contract_id, id } } })),
);
const changes = ids.map((id, index) => ({ id, if_match: tags[index]?.response.headers.get("ETag") ?? "", changes: { paid: true } }));
const both = await client.PATCH("/contracts/{contract_id}/invoices/batch", { params: { path }, body: { data: changes } });
assert.deepEqual(both.data?.data.map((invoice) => invoice.paid), [true, true]);
const again = await client.PATCH("/contracts/{contract_id}/invoices/batch", { params: { path }, body: { data: changes } });
assert(again.error?.code === "precondition_failed");

// A rejected request has a typed problem.
const outdated = await client.PATCH("/contracts/{contract_id}/invoices/{id}", {
  params: { path: invoice, header },
  body: { paid: true },
});
assert(outdated.error?.code === "precondition_failed");
const rejected = await client.POST("/customers", { body: { name: "Bo", email: "nowhere" } });
assert(rejected.error?.code === "invalid_request");
assert.equal(rejected.error.errors?.[0]?.pointer, "/email");
