const form = document.querySelector("form");
const list = document.querySelector("ul");

async function show() {
  const { data } = await (await fetch("/documents")).json();
  list.replaceChildren(...data.map((entry) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `/documents/${entry.id}/file`;
    link.textContent = `${entry.title} (${entry.file_name}, ${entry.size} bytes)`;
    item.append(link);
    return item;
  }));
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const response = await fetch("/documents", { method: "POST", body: new FormData(form) });
  const problem = response.ok ? null : await response.json();
  form.querySelector("output").textContent = problem ? (problem.errors ?? [{ message: problem.detail }]).map((error) => `${error.pointer ?? ""} ${error.message}`).join("; ") : "sent";
});

const remark = document.querySelector("#remark");
const state = remark.querySelector("output");
const socket = new WebSocket(location.origin.replace("http", "ws") + "/discussion");
socket.onopen = () => { state.textContent = "open"; };
socket.onclose = ({ code, reason }) => { state.textContent = `closed: ${code} ${reason}`; };
socket.onmessage = ({ data }) => {
  const item = document.createElement("li");
  item.textContent = JSON.parse(data).text;
  document.querySelector("ol").append(item);
};
remark.addEventListener("submit", (event) => {
  event.preventDefault();
  socket.send(JSON.stringify({ text: remark.elements.text.value }));
});

// The changes of all pages, also of this one.
new EventSource("/changes").onmessage = show;
show();
