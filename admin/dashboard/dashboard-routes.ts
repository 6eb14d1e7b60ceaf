/**
 * Serves the dashboard's build: assets by their hashed names, and the one page for every other address that is not the
 * API's. Which page of the dashboard it shows is decided in the browser.
 */
import { join } from 'node:path';
import { Elysia } from 'elysia';
import { GatewayError } from '../../shared/errors.ts';
import { matchesEtag } from '../../shared/http/request-headers.ts';
import { missingBuildPage } from './missing-build-page.ts';
import { SiteFiles } from './site-files.ts';

export interface DashboardOptions {
  /** The public address of admin. */
  readonly publicUrl: string;
  /** The playground sends requests there. */
  readonly proxyUrl: string;
  /** Where the build is. */
  readonly folder?: string;
}

const buildFolder = join(import.meta.dir, '../../dashboard/dist');
const hidden = { detail: { hide: true } };
const immutable = 'public, max-age=31536000, immutable';

/** `pages` serves addresses that no route has: use it before the errors. */
export function serveDashboard({ publicUrl, proxyUrl, folder = buildFolder }: DashboardOptions) {
  const files = new SiteFiles(folder);
  const pageHeaders = headersOfPage(publicUrl, proxyUrl);

  const handlePage = async ({ headers }: Request): Promise<Response> => {
    const file = await files.page(headers.get('accept-encoding') ?? undefined);
    if (file === undefined) return missingBuildPage(pageHeaders);
    const bytes = await file.body.bytes();
    const etag = `"${Bun.hash(bytes).toString(36)}"`;
    const responseHeaders = { ...pageHeaders, ...describe(file), 'cache-control': 'no-cache', etag };
    if (matchesEtag(headers.get('if-none-match') ?? undefined, etag)) {
      return new Response(null, { status: 304, headers: responseHeaders });
    }
    return new Response(bytes, { headers: responseHeaders });
  };

  const routes = new Elysia({ name: 'dashboard' })
    .get('/', ({ request }) => handlePage(request), hidden)
    .get(
      '/assets/:name',
      async ({ headers, params, path }) => {
        const file = await files.asset(params.name, headers['accept-encoding']);
        if (file === undefined) throw new GatewayError('not_found', `There is no GET ${path}.`);
        return new Response(file.body, { headers: { ...describe(file), 'cache-control': immutable } });
      },
      hidden,
    );
  const pages = new Elysia({ name: 'dashboard-pages' }).onError({ as: 'global' }, ({ code, request, path }) => {
    if (code === 'NOT_FOUND' && isPage(request.method, path)) return handlePage(request);
  });
  return { routes, pages };
}

/** Addresses of files and of the API are none, so that a wrong one is an error and not a page. */
function isPage(method: string, path: string): boolean {
  return (method === 'GET' || method === 'HEAD') && !/^\/(?:api|v1|assets)(?:\/|$)|[.%\\]/.test(path);
}

function describe({ contentType, encoding }: { contentType: string; encoding: string | undefined }) {
  return {
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  };
}

/** Only our own files run. Mantine writes its theme's variables into a style element, hence inline styles. */
function headersOfPage(publicUrl: string, proxyUrl: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${new URL(proxyUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Mailed links have their tokens in the address.
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  };
}
