// Calls the animals through the clients that orval generated from the document of OpenAPI 3.2.
import assert from "node:assert/strict";
import axios from "axios";
import * as withAxios from "./axios.js";
import { createAnimal, listAnimals, queryAnimals, updateAnimal, viewAnimal } from "./animals.js";

const headers = { "X-Api-Key": process.env["API_KEY"] ?? "" };

const created = await createAnimal({ name: "Orval", species: "cat", weight_kg: 4.2, born_on: "2020-02-29" }, { headers });
assert(created.status === 201);
const { id } = created.data.data;
const viewed = await viewAnimal(id, { headers });
assert.deepEqual(viewed.data, created.data);

await createAnimal({ name: "Orvette", species: "dog", weight_kg: 12 }, { headers });
const parameters = { "filter[name][contains]": "Orv", "filter[species][in]": ["cat" as const, "dog" as const], order_by: ["-name" as const] };
const listed = await listAnimals(parameters, { headers });
assert(listed.status === 200);
assert.deepEqual(listed.data.data.map((animal) => animal.name), ["Orvette", "Orval"]);

// The method QUERY, with conditions that a URL cannot express.
const queried = await queryAnimals({ filter: { any: [{ name: { eq: "Orval" } }, { name: { eq: "Orvette" } }] }, order_by: ["name"] }, { headers });
assert(queried.status === 200);
assert.deepEqual(queried.data.data.map((animal) => animal.name), ["Orval", "Orvette"]);

const changed = await updateAnimal(id, { born_on: null }, { headers });
assert(changed.status === 200);
assert.equal(changed.data.data.born_on, null);
const rejected = await createAnimal({ name: "", species: "cat" }, { headers });
assert(rejected.status === 422);
assert.equal(rejected.data.errors?.[0]?.pointer, "/name");

// axios adds brackets to the names of lists.
axios.defaults.baseURL = process.env["API_URL"];
axios.defaults.validateStatus = () => true;
const brackets = await withAxios.listAnimals({ order_by: ["-name"] }, { headers });
assert.equal(brackets.status, 422);
assert.match(brackets.request.path, /order_by(\[\]|%5B%5D)=-name/);
// The setting of the guide.
axios.defaults.paramsSerializer = { indexes: null };
const repeated = await withAxios.listAnimals({ order_by: ["-name", "id"] }, { headers });
assert.equal(repeated.status, 200);
assert.match(repeated.request.path, /order_by=-name&order_by=id/);
