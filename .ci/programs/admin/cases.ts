// Sends what react-admin and refine request to examples/tracker. The last line of the output has the number of cases of each provider.
import assert from "node:assert/strict";
import type { DataProvider as ReactAdminProvider } from "ra-core";
import type { DataProvider as RefineProvider, HttpError } from "@refinedev/core";
import { dataProvider as forReactAdmin } from "./provider/react-admin.js";
import { dataProvider as forRefine } from "./provider/refine.js";
import { ApiError, mergePatch } from "./provider/restwright.js";

const url = process.env.API_URL!;
const key = { "X-Api-Key": process.env.API_KEY! };
const settings = { url, headers: () => key, batches: ["tickets"] };
const admin: ReactAdminProvider = forReactAdmin(settings);
const refine: RefineProvider = forRefine(settings);
const number = { "react-admin": 0, refine: 0 };

async function check(program: keyof typeof number, name: string, run: () => Promise<void>) {
  number[program] += 1;
  await run().catch((error) => {
    throw new Error(`${program}, ${name}`, { cause: error });
  });
}

// A change by another program.
async function change(path: string, body: unknown) {
  const headers = { ...key, "Content-Type": "application/json" };
  const response = await fetch(`${url}/${path}`, { method: "PATCH", headers, body: JSON.stringify(body) });
  assert.equal(response.status, 200);
}

async function rejected(request: Promise<unknown>): Promise<ApiError> {
  const error = await request.then(() => assert.fail("the request succeeded"), (error) => error);
  assert.ok(error instanceof ApiError, `${error}`);
  return error;
}

const sort = { field: "name", order: "ASC" as const };
const page = (page: number, perPage: number) => ({ pagination: { page, perPage }, sort, filter: {} });

const projects: any[] = [];
for (const [place, name] of ["Roof, new", "Door", "Wall"].entries()) {
  projects.push((await admin.create("projects", { data: { key: `P${"ABC"[place]}`, name } })).data);
}
const [project] = projects;
const tickets: any[] = [];
for (const title of ["One", "Two", "Three"]) {
  tickets.push((await admin.create("tickets", { data: { project_id: project.id, title, labels: ["a"] } })).data);
}
const ids = tickets.map((ticket) => ticket.id);

await check("react-admin", "a list with its total, in both orders", async () => {
  const first = await admin.getList("projects", page(1, 2));
  assert.deepEqual([first.data.map((found) => found.name), first.total], [["Door", "Roof, new"], 3]);
  const last = await admin.getList("projects", { ...page(2, 2), sort: { field: "name", order: "DESC" } });
  assert.deepEqual([last.data.map((found) => found.name), last.pageInfo], [["Door"], { hasNextPage: false, hasPreviousPage: true }]);
});
await check("react-admin", "a list without a total", async () => {
  const found = await admin.getList("tickets", { ...page(1, 2), sort: { field: "created_at", order: "DESC" } });
  assert.deepEqual(found.data.map((ticket) => ticket.title), ["Three", "Two"]);
  assert.deepEqual([found.total, found.pageInfo?.hasNextPage], [undefined, true]);
});
await check("react-admin", "filters", async () => {
  const names = async (filter: object) => (await admin.getList("projects", { ...page(1, 10), filter })).data.map((found) => found.name);
  assert.deepEqual(await names({ name: "Roof, new" }), ["Roof, new"]);
  assert.deepEqual(await names({ name: { contains: "o" } }), ["Door", "Roof, new"]);
  const listed = async (filter: object) => (await admin.getList("tickets", { ...page(1, 10), sort: { field: "title", order: "ASC" }, filter })).data;
  assert.equal((await listed({ project_id: [project.id, projects[1].id], state: "open", title: "" })).length, 3);
  assert.deepEqual((await listed({ q: "three" })).map((found) => found.title), ["Three"]);
  assert.equal((await listed({ assignee: { is_null: false } })).length, 0);
  assert.match((await rejected(listed({ titel: "One" }))).message, /titel/);
});
await check("react-admin", "references", async () => {
  const missing = "00000000-0000-7000-8000-000000000000";
  assert.deepEqual((await admin.getMany("projects", { ids: [project.id, missing] })).data.map((found) => found.id), [project.id]);
  const referring = await admin.getManyReference("tickets", { ...page(1, 10), sort: { field: "title", order: "ASC" }, target: "project_id", id: project.id });
  assert.equal(referring.data.length, 3);
});
await check("react-admin", "a form with its unchanged fields", async () => {
  const { data: before } = await admin.getOne("tickets", { id: ids[0] });
  const { data: after } = await admin.update("tickets", { id: ids[0], data: { ...before, title: "Uno", text: "" }, previousData: before });
  assert.deepEqual([after.title, after.text, after.labels, after.author], ["Uno", "", ["a"], before.author]);
  // The tag of the change permits the next one.
  await admin.update("tickets", { id: ids[0], data: { ...after, title: "One", text: null }, previousData: after });
});
await check("react-admin", "a concurrent change", async () => {
  const { data: before } = await admin.getOne("tickets", { id: ids[0] });
  await change(`tickets/${ids[0]}`, { labels: ["b"] });
  const update = { id: ids[0], data: { ...before, title: "Late" }, previousData: before };
  assert.equal((await rejected(admin.update("tickets", update))).status, 412);
  assert.equal((await rejected(admin.delete("tickets", { id: ids[0], previousData: before }))).status, 412);
  const { data: now } = await admin.getOne("tickets", { id: ids[0] });
  assert.deepEqual([now.title, now.labels], ["One", ["b"]]);
});
await check("react-admin", "messages next to fields", async () => {
  const error = await rejected(admin.create("tickets", { data: { project_id: project.id, title: "", labels: ["x".repeat(41)] } }));
  assert.deepEqual([error.status, Object.keys(error.body.errors).sort()], [422, ["labels.0", "title"]]);
  assert.match(error.body.errors.title!, /at least 1/);
  const taken = await rejected(admin.create("projects", { data: { key: "PA", name: "Again" } }));
  assert.deepEqual([taken.status, Object.keys(taken.body.errors)], [409, ["key"]]);
});
await check("react-admin", "bulk changes as one batch", async () => {
  await admin.updateMany("tickets", { ids, data: { assignee: "max" } });
  const read = async () => Promise.all(ids.map(async (id) => (await admin.getOne("tickets", { id })).data.assignee));
  assert.deepEqual(await read(), ["max", "max", "max"]);
  const error = await rejected(admin.updateMany("tickets", { ids, data: { assignee: "" } }));
  assert.deepEqual([error.status, Object.keys(error.errors).length], [422, 3]);
  const gone = "00000000-0000-7000-8000-000000000000";
  await rejected(admin.updateMany("tickets", { ids: [...ids, gone], data: { assignee: "ada" } }));
  assert.deepEqual(await read(), ["max", "max", "max"]);
  // The tag from before the batch is forgotten.
  const { data: before } = await admin.getOne("tickets", { id: ids[0] });
  await admin.updateMany("tickets", { ids, data: { assignee: null } });
  await admin.update("tickets", { id: ids[0], data: { ...before, title: "One" }, previousData: { ...before, title: "" } });
});
await check("react-admin", "bulk changes without batches", async () => {
  const both = projects.slice(1).map((found) => found.id);
  await admin.updateMany("projects", { ids: both, data: { name: "Old" } });
  assert.equal((await admin.getList("projects", { ...page(1, 10), filter: { name: "Old" } })).total, 2);
});
await check("react-admin", "a wrong key", async () => {
  const guest = forReactAdmin({ url, headers: () => ({ "X-Api-Key": "ada.wrong" }) });
  assert.equal((await rejected(guest.getList("projects", page(1, 10)))).status, 401);
});
await check("react-admin", "merge patches", async () => {
  const patch = mergePatch({ a: 1, b: { c: 1, d: [1] }, e: 1 }, { a: 1, b: { d: [2] }, e: undefined, f: null });
  assert.deepEqual(patch, { b: { c: null, d: [2] }, e: null, f: null });
});

const resource = "projects";
await check("refine", "a list with its total, and filters", async () => {
  const pagination = { currentPage: 2, pageSize: 2 };
  const found = await refine.getList({ resource, pagination, sorters: [{ field: "name", order: "desc" }, { field: "id", order: "asc" }].slice(0, 1) as any });
  assert.deepEqual([found.data.length, found.total], [1, 3]);
  const filtered = await refine.getList({ resource, filters: [{ field: "name", operator: "contains", value: "OLD" }, { field: "key", operator: "eq", value: "PB" }] });
  assert.equal(filtered.total, 1);
  const empty = await refine.getList({ resource: "tickets", filters: [{ field: "assignee", operator: "nnull", value: true }] });
  assert.equal(empty.total, 0);
});
await check("refine", "a list without a total", async () => {
  const found = await refine.getList({ resource: "tickets", pagination: { currentPage: 1, pageSize: 2 } });
  assert.deepEqual([found.data.length, found.total], [2, 3]);
});
await check("refine", "a concurrent change", async () => {
  const id = ids[0];
  const { data: viewed } = await refine.getOne({ resource: "tickets", id });
  await change(`tickets/${id}`, { labels: ["c"] });
  const error: HttpError = await rejected(refine.update({ resource: "tickets", id, variables: { title: `${viewed.title}!` } }));
  assert.equal(error.statusCode, 412);
  await refine.getOne({ resource: "tickets", id });
  const { data } = await refine.update({ resource: "tickets", id, variables: { title: "One!" } });
  assert.deepEqual([data.title, data.labels], ["One!", ["c"]]);
});
await check("refine", "messages next to fields", async () => {
  const error: HttpError = await rejected(refine.create({ resource, variables: { key: "lower", name: "" } }));
  assert.deepEqual([error.statusCode, Object.keys(error.errors!).sort()], [422, ["key", "name"]]);
});
await check("refine", "bulk changes", async () => {
  await refine.updateMany!({ resource: "tickets", ids, variables: { labels: ["d"] } });
  const labelled = await refine.getList({ resource: "tickets", filters: [{ field: "labels", operator: "has" as any, value: "d" }] });
  assert.equal(labelled.data.length, 3);
});

await check("react-admin", "a deleted entity", async () => {
  const { data } = await admin.delete("tickets", { id: ids[2], previousData: tickets[2] });
  assert.deepEqual([data.id, (await rejected(admin.getOne("tickets", { id: ids[2] }))).status], [ids[2], 404]);
});
await check("refine", "deleted entities", async () => {
  await refine.deleteMany!({ resource: "tickets", ids: ids.slice(1, 2) });
  await refine.deleteOne({ resource: "tickets", id: ids[0] });
  assert.equal((await refine.getList({ resource: "tickets" })).total, 0);
});
await check("react-admin", "bulk deletes", async () => {
  await admin.deleteMany("projects", { ids: projects.map((found) => found.id) });
  assert.equal((await admin.getList("projects", page(1, 10))).total, 0);
});
console.log(JSON.stringify(number));
