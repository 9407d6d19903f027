// Sends a form in several ways. Each line of the output is the name of the way, a tab, and the body of the response.
import * as undici from "undici";

const url = `${process.env.API_URL}/forms`;
const texts = [
    ["text", 'Zoë "7"\r\n{x} & y=z+1%'],
    ["json_text", '{"a":1}'],
    ["empty_text", ""],
    ["integer", "42"],
    ["number", "1.5"],
    ["flag", "on"],
    ["kind", "second"],
    ["day", "2024-02-29"],
    ["at", "2024-07-18T11:00"],
    ["start", "12:30"],
    ["instant", "2024-07-18T11:00:00Z"],
    ["nothing", ""],
    ["tags", "a"],
    ["tags", '["b"]'],
    ["numbers[]", "1"],
    ["numbers[]", "2"],
    ["empty_list", ""],
    ["pair[0]", "1"],
    ["pair[1]", "x"],
];
const address = { city: "Zürich", zip: 8000 };
const lines = [{ article: "a", count: 1 }, { article: "b", count: 2 }];
const others = [["labels", { x: 1, "y z": 2 }], ["payment", { card: "7" }]];
const onePart = [["address", address], ["lines", lines], ...others];
const partPerItem = [["address", address], ...lines.map((line) => ["lines", line]), ...others];
const files = [
    ["file", 'ä "7".png', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 45, 45, 13, 10, 0]), "image/png"],
    ["files", "a.json", '{"a":1}', "application/json"],
    ["files", "b.txt", "", "text/plain"],
];

function form(FormData, fields) {
    const form = new FormData();
    [...texts, ...fields].forEach(([name, value]) => form.append(name, value));
    files.forEach(([name, fileName, content, type]) => form.append(name, new File([content], fileName, { type })));
    return form;
}

const blobs = (objects) => objects.map(([name, value]) => [name, new Blob([JSON.stringify(value)], { type: "application/json" })]);
const written = (objects) => objects.map(([name, value]) => [name, JSON.stringify(value)]);

async function show(way, response) {
    console.log(`${way}\t${await response.text()}`);
}

for (const [name, { fetch, FormData }] of [["undici", undici], ["Node's fetch", globalThis]]) {
    const post = (body) => fetch(url, { method: "POST", body });
    await show(`${name}, a Blob for each item`, await post(form(FormData, blobs(partPerItem))));
    await show(`${name}, one Blob`, await post(form(FormData, blobs(onePart))));
    await show(`${name}, text parts`, await post(form(FormData, written(onePart))));
    await show(`urlencoded ${name}, JSON`, await post(new URLSearchParams([...texts, ...written(partPerItem)])));
}
