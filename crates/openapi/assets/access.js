"use strict";

// Shows the access of each operation in words, under its summary: "Needs a token with the scope pets:read"

const access = {
  wrapComponents: {
    OperationSummary: (Original, system) => (props) => {
      const h = system.React.createElement;
      if (!props.isShown) return h(Original, props);
      const schemes = system.specSelectors.securityDefinitions()?.toJS() ?? {};
      const words = accessInWords(props.operationProps.get("security")?.toJS() ?? [], schemes);
      return h(system.React.Fragment, null, h(Original, props), h("p", { className: "access" }, words));
    },
  },
};

function accessInWords(alternatives, schemes) {
  const needed = alternatives.filter((alternative) => Object.keys(alternative).length > 0);
  if (needed.length === 0) return "Public";
  const together = (alternative) =>
    Object.entries(alternative).map(([name, scopes]) => credential(name, schemes) + scopesInWords(scopes));
  const scopes = needed.map((alternative) => String(Object.values(alternative)));
  const isAlike = needed.every((one, index) => Object.keys(one).length === 1 && scopes[index] === scopes[0]);
  const words = isAlike
    ? listed(needed.map((one) => credential(Object.keys(one)[0], schemes)), "or") + scopesInWords(Object.values(needed[0])[0])
    : listed(needed.map((one) => listed(together(one), "and")), "or");
  return needed.length < alternatives.length ? `Public; ${words} is optional` : `Needs ${words}`;
}

function credential(name, schemes) {
  const noun = (scheme) => {
    if (scheme?.type === "apiKey") return scheme.in === "cookie" ? "a cookie" : "an API key";
    if (scheme?.type === "http" && scheme.scheme?.toLowerCase() === "basic") return "a user name and password";
    return scheme?.type === "mutualTLS" ? "a client certificate" : "a token";
  };
  const alike = Object.values(schemes).filter((scheme) => noun(scheme) === noun(schemes[name]));
  return alike.length > 1 ? `${noun(schemes[name])} (${name})` : noun(schemes[name]);
}

function scopesInWords(scopes) {
  if (scopes.length === 0) return "";
  return ` with the ${scopes.length === 1 ? "scope" : "scopes"} ${listed(scopes, "and")}`;
}

function listed(words, conjunction) {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${conjunction} ${words.at(-1)}`;
}
