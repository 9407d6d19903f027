"use strict";

// Keeps the address and the opened operation the same: `#listPets` opens and shows that operation, opening it changes the address,
// and back returns to the operation before.

const address = {
  statePlugins: {
    layout: {
      wrapActions: {
        show: (original, system) => (key, shown) => {
          const result = original(key, shown);
          if (Array.isArray(key) && key[0] === "operations" && key.length === 3) moved(system, key[2], shown);
          return result;
        },
      },
    },
  },
};

// The operation that the address names.
let current = "";
let following = false;

function moved(system, id, shown) {
  if (following || (shown ? id === current : id !== current)) return;
  current = shown ? id : "";
  history.pushState(null, "", shown ? `#${encodeURIComponent(id)}` : location.pathname + location.search);
}

// Opens the operation that the address names, and closes the one that it named before.
function followAddress(system) {
  const id = decoded(location.hash.slice(1));
  following = true;
  const [before, key] = [current, id].map((id) => id && keyOf(system, id));
  if (before) system.layoutActions.show(before, false);
  current = key ? id : "";
  if (key) {
    system.layoutActions.show(["operations-tag", key[1]], true);
    system.layoutActions.show(key, true);
  }
  following = false;
  if (key) bringToTop(key, Date.now() + 5000);
}

function keyOf(system, id) {
  for (const [tag, group] of system.specSelectors.taggedOperations().entries()) {
    const operations = group.get("operations").map((each) => each.get("operation"));
    // Swagger UI changes ids that contain other characters than letters and digits.
    if (operations.some((each) => (each.get("__originalOperationId") ?? each.get("operationId")) === id)) return ["operations", tag, id];
  }
  return null;
}

// Scrolls again until the operation is complete, because it may be too short to be at the top before.
function bringToTop(key, end) {
  const block = document.getElementById(CSS.escape(key.join("-").trim().replace(/\s/g, "_")));
  block?.scrollIntoView();
  if (block?.querySelector(".responses-wrapper")) {
    block.querySelector(".opblock-summary-control").focus({ preventScroll: true });
  } else if (Date.now() < end) {
    requestAnimationFrame(() => bringToTop(key, end));
  }
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
