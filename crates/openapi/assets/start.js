"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");
const colour = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", colour);
colour();

// Everything is named relative to the page, so that it also works behind a proxy that adds a prefix.
const viewer = SwaggerUIBundle({
  url: new URL("openapi.json", document.baseURI).href,
  dom_id: "#documentation",
  oauth2RedirectUrl: new URL("docs/oauth2-redirect.html", document.baseURI).href,
  validatorUrl: null,
  displayRequestDuration: true,
  syntaxHighlight: { theme: "tomorrow-night" },
  tryItOutEnabled: true,
  plugins: [
    access,
    address,
    folding,
    { statePlugins: { auth: { wrapSelectors: { definitionsToAuthorize: withOpenIdConnect } } } },
  ],
  onComplete: () => {
    const system = viewer.getSystem();
    followAddress(system);
    window.addEventListener("popstate", () => followAddress(system));
    const heading = document.querySelector("#documentation .info .title");
    if (heading && heading.firstChild) {
      document.title = heading.firstChild.textContent.trim();
    }
  },
});
viewer.initOAuth({
  clientId: document.getElementById("documentation").dataset.clientId,
  usePkceWithAuthorizationCodeGrant: true,
});

// Swagger UI shows a form for every grant of an OpenID Connect provider, with the scopes that the provider lists. A page is to use
// authorization codes, and needs the scopes that operations require.
function withOpenIdConnect(original, system) {
  let requirements;
  return (...state) =>
    original(...state)
      .map((form) => form.filter((grant) => !discovered(grant) || grant.get("flow") === "authorization_code"))
      .filter((form) => form.size)
      .map((form) =>
        form.map((grant, scheme) => {
          if (!discovered(grant)) return grant;
          requirements ??= Object.values(system.specSelectors.specJson().get("paths").toJS())
            .flatMap((path) => Object.values(path))
            .flatMap((operation) => operation.security ?? []);
          const scopes = requirements.flatMap((requirement) => requirement[scheme] ?? []);
          const listed = grant.get("scopes") ?? grant.clear();
          return grant.set("scopes", scopes.reduce((all, scope) => all.set(scope, ""), listed));
        }),
      );
}

function discovered(grant) {
  return Boolean(grant.get("openIdConnectUrl") && grant.get("flow"));
}
