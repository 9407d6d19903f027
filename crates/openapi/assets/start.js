"use strict";

// Everything is named relative to the page, so that it also works behind a proxy that adds a prefix.
SwaggerUIBundle({
  url: new URL("openapi.json", document.baseURI).href,
  dom_id: "#documentation",
  oauth2RedirectUrl: new URL("docs/oauth2-redirect.html", document.baseURI).href,
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  onComplete: () => {
    const heading = document.querySelector("#documentation .info .title");
    if (heading && heading.firstChild) {
      document.title = heading.firstChild.textContent.trim();
    }
  },
});
