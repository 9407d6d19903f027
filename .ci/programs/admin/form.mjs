// Renders a form of ra-core on examples/tracker, and submits it. The last line of the output has the number of cases.
import assert from "node:assert/strict";
import { createElement } from "react";
import { CoreAdminContext, EditBase, Form, TestMemoryRouter, useInput, useNotificationContext } from "ra-core";
import renderer, { act } from "react-test-renderer";
import { dataProvider } from "./out/provider/react-admin.js";

globalThis.IS_REACT_ACT_ENVIRONMENT = true;
// react-admin logs each error of the provider.
console.error = () => {};
const headers = { "X-Api-Key": process.env.API_KEY, "Content-Type": "application/json" };
const settings = { url: process.env.API_URL, headers: () => headers };
const admin = dataProvider(settings);
const { data: project } = await admin.create("projects", { data: { key: "FORM", name: "A form" } });
const { data: ticket } = await admin.create("tickets", { data: { project_id: project.id, title: "One" } });
// Another program, which has no tags of this page.
const ticketNow = async () => (await dataProvider(settings).getOne("tickets", { id: ticket.id })).data;

const shown = {};
function Title() {
  const { field, fieldState } = useInput({ source: "title" });
  Object.assign(shown, { field, error: fieldState.error?.message });
  return null;
}
function Notifications() {
  shown.notifications = useNotificationContext().notifications.map(({ message }) => message);
  return null;
}
const edit = { resource: "tickets", id: ticket.id, mutationMode: "pessimistic", redirect: false };
const form = createElement(EditBase, edit, createElement(Form, null, createElement(Title)));
const context = createElement(CoreAdminContext, { dataProvider: admin }, form, createElement(Notifications));
let page;
await act(async () => {
  page = renderer.create(createElement(TestMemoryRouter, null, context));
});

async function until(condition) {
  for (let tries = 0; !condition() && tries < 100; tries += 1) await act(() => new Promise((done) => setTimeout(done, 100)));
  assert.ok(condition(), `${condition}: ${JSON.stringify(shown)}`);
}
async function submit(title) {
  await act(async () => shown.field.onChange(title));
  await act(async () => page.root.findByType("form").props.onSubmit({ preventDefault() {}, persist() {}, stopPropagation() {} }));
}

await until(() => shown.field?.value === "One");
await submit("x".repeat(201));
await until(() => /at most 200/.test(shown.error));
await fetch(`${settings.url}/tickets/${ticket.id}`, { method: "PATCH", headers, body: '{"text": "Another program wrote this."}' });
await submit("Two");
await until(() => shown.notifications.some((message) => message.includes("If-Match")));
assert.equal((await ticketNow()).title, "One");
// The view that follows has the current tag.
await admin.getOne("tickets", { id: ticket.id });
await submit("Two");
await until(() => shown.notifications.includes("resources.tickets.notifications.updated"));
const now = await ticketNow();
assert.deepEqual([now.title, now.text], ["Two", "Another program wrote this."]);
console.log(JSON.stringify({ "react-admin": 3 }));
process.exit(0);
