/**
 * The OpenAPI document of /v1, which both programs serve: the proxy beside what it describes, admin in its Swagger UI.
 * The file is made from the proxy's own schemas; a test fails where it is not what they say.
 */
import document from './inference.json' with { type: 'json' };

/** JSON text. `proxyUrl` is where /v1 is found: an address, or `/` for where the document was read. */
export function inferenceDocument(proxyUrl: string): string {
  return JSON.stringify({ ...document, servers: [{ url: proxyUrl }] });
}
