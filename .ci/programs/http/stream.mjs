// Creates an animal with a body that is a stream, and lists the animals with `query` and `QUERY`. Prints the statuses.
const headers = { "X-Api-Key": process.env.API_KEY, "Content-Type": "application/json" };
const url = `${process.env.API_URL}/animals`;
const body = new Blob(['{"name": "Ada", "species": "cat"}']).stream();
const created = await fetch(url, { method: "POST", headers, body, duplex: "half" });
const small = await fetch(url, { method: "query", headers, body: "{}" });
const capital = await fetch(url, { method: "QUERY", headers, body: "{}" });
console.log(JSON.stringify([created.status, small.status, capital.status]));
