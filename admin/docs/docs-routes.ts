/** Swagger UI at /api/docs, entirely from our own files: it works without a network and sends nobody anywhere. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnyElysia, Elysia } from 'elysia';
import { GatewayError } from '../../shared/errors.ts';
import { Asset } from './asset.ts';
import { buildDocument } from './document.ts';

const pageFolder = join(import.meta.dir, 'page');
const swaggerFolder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const hidden = { detail: { hide: true } };

const page = fileAsset('text/html; charset=utf-8', pageFolder, 'index.html');
const assets: ReadonlyMap<string, Asset> = new Map([
  ['start.js', fileAsset('text/javascript; charset=utf-8', pageFolder, 'start.js')],
  ['swagger-ui-bundle.js', fileAsset('text/javascript; charset=utf-8', swaggerFolder, 'swagger-ui-bundle.js')],
  ['swagger-ui.css', fileAsset('text/css; charset=utf-8', swaggerFolder, 'swagger-ui.css')],
  ['favicon-32x32.png', fileAsset('image/png', swaggerFolder, 'favicon-32x32.png')],
]);

export function docsRoutes(routes: AnyElysia) {
  const document = new Asset('application/json', async () => new TextEncoder().encode(await buildDocument(routes)));
  return new Elysia({ prefix: '/api/docs' })
    .get('', ({ headers }) => page.answer(headers), hidden)
    .get('/json', ({ headers }) => document.answer(headers), hidden)
    .get(
      '/assets/:name',
      ({ headers, params, path }) => {
        const asset = assets.get(params.name);
        if (asset === undefined) throw new GatewayError('not_found', `There is no GET ${path}.`);
        return asset.answer(headers);
      },
      hidden,
    );
}

function fileAsset(contentType: string, folder: string, name: string): Asset {
  return new Asset(contentType, () => Bun.file(join(folder, name)).bytes());
}
