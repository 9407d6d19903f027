// Sends requests with a setting of a guide, such as `new RetryAgent(new Agent())`, or with `fetch` of Node or undici, and prints how each of them ends:
// node retries.mjs SETTING '[["GET", "http://.."], ..]'
import * as undici from "undici";

const [setting, requests] = [process.argv[2], JSON.parse(process.argv[3])];
const send = {
    fetch: (url, method, body) => globalThis.fetch(url, { method, body }).then(async (response) => [response.status, await response.text()]),
    "undici.fetch": (url, method, body) => undici.fetch(url, { method, body }).then(async (response) => [response.status, await response.text()]),
}[setting] ?? withDispatcher(setting);

function withDispatcher(code) {
    const { default: _, ...names } = undici;
    const dispatcher = new Function(...Object.keys(names), `return ${code}`)(...Object.values(names));
    return async (url, method, body) => {
        const response = await undici.request(url, { method, body, dispatcher });
        return [response.statusCode, await response.body.text()];
    };
}

const ends = requests.map(async ([method, url]) => {
    const body = ["GET", "HEAD"].includes(method) ? undefined : "{}";
    return send(url, method, body).catch((error) => [error.code ?? error.name, JSON.stringify(error)]);
});
console.log(JSON.stringify(await Promise.all(ends)));
process.exit(0);
