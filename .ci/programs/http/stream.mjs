// Creates an animal with a body that is a stream, and sends `query`, `QUERY`, `patch` and `PATCH`. Prints the statuses.
const headers = { "X-Api-Key": process.env.API_KEY, "Content-Type": "application/json" };
const url = `${process.env.API_URL}/animals`;
const body = new Blob(['{"name": "Ada", "species": "cat"}']).stream();
const created = await fetch(url, { method: "POST", headers, body, duplex: "half" });
const view = url + "/" + (await created.json()).data.id;
const sent = [["query", url], ["QUERY", url], ["patch", view], ["PATCH", view]].map(([method, url]) => fetch(url, { method, headers, body: "{}" }));
const statuses = (await Promise.all(sent)).map((response) => response.status);
console.log(JSON.stringify([created.status, ...statuses]));
