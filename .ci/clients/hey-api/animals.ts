// Calls the animals through the client that hey-api generated.
import assert from "node:assert/strict";
import { client } from "./generated/animals/client.gen.js";
import { createAnimal, listAnimals, listPetsByCursor, updateAnimal, viewAnimal, viewPet } from "./generated/animals/index.js";

const { API_URL: baseUrl, API_KEY } = process.env;
client.setConfig({ baseUrl, auth: ({ type }) => (type === "apiKey" ? API_KEY : undefined) });

// Create and view.
const created = await createAnimal({ body: { name: "Ada", species: "cat", weight_kg: 4.2, born_on: "2020-02-29" } });
assert(created.data);
const { id } = created.data.data;
const viewed = await viewAnimal({ path: { id } });
assert.deepEqual(viewed.data, created.data);

// List with filters: two values, a bound and an order.
await createAnimal({ body: { name: "Bo", species: "dog", weight_kg: 12 } });
const listed = await listAnimals({
  query: { "filter[species][in]": ["cat", "dog"], "filter[weight_kg][gt]": 4, order_by: ["-name"] },
});
assert.deepEqual(listed.data?.data.map((animal) => animal.name), ["Bo", "Ada"]);
assert.equal(listed.data.pagination.total, 2);

// All 1,000 pets, page by page.
const pets = new Set<number>();
for (let cursor: string | null | undefined; cursor !== null; ) {
  const page = await listPetsByCursor({ query: { cursor, limit: 100 } });
  assert(page.data);
  page.data.data.forEach((pet) => pets.add(pet.id));
  cursor = page.data.pagination.next_cursor;
}
assert.equal(pets.size, 1000);

// Change: null clears a property, an absent property keeps its value.
const changed = await updateAnimal({ path: { id }, body: { born_on: null } });
assert.equal(changed.data?.data.born_on, null);
assert.equal(changed.data.data.weight_kg, 4.2);

// A rejected request has a typed problem.
const rejected = await createAnimal({ body: { name: "", species: "cat" } });
assert(rejected.error?.code === "invalid_request");
assert.equal(rejected.error.status, 422);
assert.equal(rejected.error.errors?.[0]?.pointer, "/name");
assert.equal(rejected.error.errors[0].code, "min_length");
const missing = await viewPet({ path: { id: 1001 } });
assert(missing.error?.code === "pet_not_found");
