/** Starts Swagger UI. A file of its own, because the page's policy forbids inline scripts. */
window.SwaggerUIBundle({
  url: '/api/docs/json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
});
