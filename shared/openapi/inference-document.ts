/**
 * The OpenAPI document of /v1, which both programs serve: the proxy next to what it describes, admin in its Swagger UI.
 * The file is generated from the proxy's schemas; a test fails if it is out of date.
 */
import document from './inference.json' with { type: 'json' };

/** JSON text. `proxyUrl` is the base of /v1: an address, or `/` for the origin that serves the document. */
export function inferenceDocument(proxyUrl: string): string {
  return JSON.stringify({ ...document, servers: [{ url: proxyUrl }] });
}
