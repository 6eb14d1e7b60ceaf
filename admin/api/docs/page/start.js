/**
 * Starts Swagger UI, in a separate file because the page's policy forbids inline scripts. The document is chosen in the
 * bar above, or by `?document=` of the page's address; Swagger UI's own query parameters could name any document.
 */
const documents = [
  { id: 'account', name: 'Account API (/api)', url: '/api/docs/json' },
  { id: 'inference', name: 'Inference API (/v1)', url: '/api/docs/inference.json' },
];
const chosen = new URLSearchParams(window.location.search).get('document');
const { name } = documents.find(({ id }) => id === chosen) ?? documents[0];

/**
 * With `persistAuthorization`, credentials entered under "Authorize" survive a reload. Swagger UI would keep them in
 * the browser permanently, for its next user as well; here they are kept in the tab and end with it.
 */
const storageKey = 'authorized';
const keepAuthorizationInTab = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        persistAuthorizationIfNeeded:
          (_original, { authSelectors }) =>
          () =>
            sessionStorage.setItem(storageKey, JSON.stringify(authSelectors.authorized())),
      },
    },
    configs: {
      wrapActions: {
        loaded:
          (original, { authActions }) =>
          (...payload) => {
            original(...payload);
            const kept = sessionStorage.getItem(storageKey);
            if (kept !== null) authActions.restoreAuthorization({ authorized: JSON.parse(kept) });
          },
      },
    },
  },
});

window.SwaggerUIBundle({
  urls: documents,
  'urls.primaryName': name,
  dom_id: '#swagger-ui',
  // Swagger UI's own logo has a style element, which the page's policy forbids.
  plugins: [() => ({ components: { Logo: () => null } }), keepAuthorizationInTab],
  presets: [window.SwaggerUIBundle.presets.apis, window.SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  persistAuthorization: true,
  validatorUrl: null,
});
