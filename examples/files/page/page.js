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

// The changes of all pages, also of this one.
new EventSource("/changes").onmessage = show;
show();
