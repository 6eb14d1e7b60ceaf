/** Swagger UI at /api/docs, entirely from our own files: it works offline and contacts no other server. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnyElysia, Elysia } from 'elysia';
import { GatewayError } from '../../../shared/errors.ts';
import { inferenceDocument } from '../../../shared/openapi/documents.ts';
import { Asset } from './asset.ts';
import { buildDocument } from './document.ts';

const pageFolder = join(import.meta.dir, 'page');
const swaggerFolder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const hidden = { detail: { hide: true } };
const javascript = 'text/javascript; charset=utf-8';

const assets: ReadonlyMap<string, Asset> = new Map([
  ['start.js', fileAsset(javascript, pageFolder, 'start.js')],
  ['page.css', fileAsset('text/css; charset=utf-8', pageFolder, 'page.css')],
  ['swagger-ui-bundle.js', fileAsset(javascript, swaggerFolder, 'swagger-ui-bundle.js')],
  ['swagger-ui-standalone-preset.js', fileAsset(javascript, swaggerFolder, 'swagger-ui-standalone-preset.js')],
  ['swagger-ui.css', fileAsset('text/css; charset=utf-8', swaggerFolder, 'swagger-ui.css')],
  ['favicon-32x32.png', fileAsset('image/png', swaggerFolder, 'favicon-32x32.png')],
]);

/** The page sends requests to /v1 to `proxyUrl`, which may be another origin. */
export function docsRoutes(routes: AnyElysia, { proxyUrl }: { proxyUrl: string }) {
  const page = new Asset({
    contentType: 'text/html; charset=utf-8',
    read: () => Bun.file(join(pageFolder, 'index.html')).bytes(),
    contentSecurityPolicy: pagePolicy(new URL(proxyUrl).origin),
  });
  const documents = {
    account: jsonAsset(() => buildDocument(routes)),
    inference: jsonAsset(async () => inferenceDocument(proxyUrl)),
  };
  return new Elysia({ prefix: '/api/docs' })
    .get('', ({ headers }) => page.handle(headers), hidden)
    .get('/json', ({ headers }) => documents.account.handle(headers), hidden)
    .get('/inference.json', ({ headers }) => documents.inference.handle(headers), hidden)
    .get(
      '/assets/:name',
      ({ headers, params, path }) => {
        const asset = assets.get(params.name);
        if (asset === undefined) throw new GatewayError('not_found', `There is no GET ${path}.`);
        return asset.handle(headers);
      },
      hidden,
    );
}

/** Only this page's own files run; Swagger UI's stylesheet draws its arrows with data: images. */
function pagePolicy(proxyOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${proxyOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function fileAsset(contentType: string, folder: string, name: string): Asset {
  return new Asset({ contentType, read: () => Bun.file(join(folder, name)).bytes() });
}

function jsonAsset(render: () => Promise<string>): Asset {
  return new Asset({ contentType: 'application/json', read: async () => new TextEncoder().encode(await render()) });
}
