// Runs the body of an async function, as a page does, with the EventSource and WebSocket of a package, and prints its result: node page.mjs PACKAGE SCRIPT
const { EventSource, WebSocket } = await import(process.argv[2]);
const result = await new Function("EventSource", "WebSocket", `return (async () => { ${process.argv[3]} })()`)(EventSource, WebSocket);
console.log(JSON.stringify(result));
process.exit(0);
