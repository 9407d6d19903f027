"use strict";

// Folds what makes an operation long: optional parameters, all responses but the first of success, and headers.

const folding = (system) => {
  const { createContext, createElement: h, Fragment, useContext, useState } = system.React;
  const Parameters = createContext(null);

  const toggle = (open, setOpen, label) =>
    h("button", { type: "button", className: "fold", "aria-expanded": open, onClick: () => setOpen(!open) }, label);

  return {
    wrapComponents: {
      parameters: (Original) => (props) => {
        const [open, setOpen] = useState(false);
        const [required, optional] = [true, false].map((wanted) =>
          props.parameters.filter((parameter) => Boolean(parameter.get("required")) === wanted),
        );
        if (optional.size < 2) return h(Original, props);
        const parameters = required.concat(open ? optional : optional.take(1));
        const folded = { open, setOpen, first: optional.first(), count: optional.size };
        return h(Parameters.Provider, { value: folded }, h(Original, { ...props, parameters }));
      },
      // The row of the first optional parameter starts with the button for all of them.
      parameterRow: (Original) => (props) => {
        const folded = useContext(Parameters);
        if (folded?.first !== props.rawParam) return h(Original, props);
        const button = toggle(folded.open, folded.setOpen, `${folded.count} optional parameters`);
        const row = h("tr", null, h("td", { colSpan: 2 }, button));
        return h(Fragment, null, row, folded.open && h(Original, props));
      },
      response: (Original) => (props) => {
        const [open, setOpen] = useState(isFirstSuccess(props));
        const label = summary(props.response);
        const row = h(
          "tr",
          { className: "response-fold" },
          h("td", { className: "response-col_status" }, props.code),
          h("td", null, toggle(open, setOpen, label)),
        );
        const isSaid = props.response.get("description") === label;
        const response = isSaid ? props.response.delete("description") : props.response;
        return h(Fragment, null, row, open && h(Original, { ...props, response }));
      },
      headers: (Original) => (props) => {
        const [open, setOpen] = useState(false);
        const count = props.headers?.size ?? 0;
        if (count === 0) return null;
        const label = count === 1 ? "1 header" : `${count} headers`;
        return h("div", { className: "headers-fold" }, toggle(open, setOpen, label), open && h(Original, props));
      },
    },
  };
};

function isFirstSuccess({ code, path, method, specSelectors }) {
  const responses = specSelectors.specResolvedSubtree(["paths", path, method, "responses"]);
  return responses?.keySeq().find((status) => status.startsWith("2")) === code;
}

// The titles of the problems, or the first line of the description.
function summary(response) {
  const contents = response.get("content")?.valueSeq() ?? [];
  const examples = contents.flatMap?.((content) => content.get("examples")?.valueSeq() ?? []) ?? [];
  const titles = [...new Set(examples.map((example) => example.getIn?.(["value", "title"])).filter(Boolean))];
  return titles.join(", ") || response.get("description")?.split("\n")[0] || "Response";
}
