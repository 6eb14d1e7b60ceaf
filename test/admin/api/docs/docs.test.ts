/** The documentation is complete, valid, and served without third parties. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Session } from '../../../../admin/api/auth/session.ts';
import { errorRegistry } from '../../../../shared/errors.ts';
import { type OpenApiDocument, type Operation, operationsOf } from '../../../harness/openapi/operations-of.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey } from '../response-types.ts';
import { type Api, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let document: OpenApiDocument;
let operations: Operation[];
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  document = (await api.call<OpenApiDocument>('GET', '/api/docs/json')).body;
  operations = operationsOf(document);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

test('the document describes every endpoint of the API and nothing else', () => {
  expect(operations.map(({ route }) => route).sort()).toEqual(
    [
      'DELETE /api/account',
      'DELETE /api/billing-keys/{id}',
      'DELETE /api/budgets/{id}',
      'DELETE /api/invitations/{id}',
      'DELETE /api/keys/{id}',
      'DELETE /api/members/{id}',
      'DELETE /api/operator/accounts/{id}',
      'DELETE /api/operator/catalogue/scheduled/{id}',
      'DELETE /api/organization/sign-in/oidc',
      'DELETE /api/payments/auto-top-up',
      'DELETE /api/profile/passkeys/{id}',
      'DELETE /api/profile/second-factor/app',
      'DELETE /api/profile/sessions',
      'DELETE /api/profile/sessions/{sessionId}',
      'DELETE /api/proxy-keys/{id}',
      'DELETE /api/settings/notifications/addresses/{id}',
      'DELETE /api/webhooks/{endpointId}',
      'GET /api/account/export',
      'GET /api/alert-addresses/confirm',
      'GET /api/alert-addresses/unsubscribe',
      'GET /api/auth/oidc/callback',
      'GET /api/balance',
      'GET /api/billing-keys',
      'GET /api/budgets',
      'GET /api/documents',
      'GET /api/documents/{documentId}/pdf',
      'GET /api/errors',
      'GET /api/events',
      'GET /api/first-steps',
      'GET /api/invitations',
      'GET /api/invitations/preview',
      'GET /api/keys',
      'GET /api/members',
      'GET /api/models',
      'GET /api/operator/accounts',
      'GET /api/operator/accounts/{id}',
      'GET /api/operator/accounts/{id}/documents',
      'GET /api/operator/accounts/{id}/requests',
      'GET /api/operator/accounts/{id}/transactions',
      'GET /api/operator/audit',
      'GET /api/operator/bank-statements/lines',
      'GET /api/operator/catalogue',
      'GET /api/operator/catalogue/price-list',
      'GET /api/operator/catalogue/prices',
      'GET /api/operator/documents/{documentId}/pdf',
      'GET /api/operator/health',
      'GET /api/operator/lag',
      'GET /api/operator/mails',
      'GET /api/operator/payments',
      'GET /api/operator/payments/{paymentId}',
      'GET /api/operator/payments/{paymentId}/events',
      'GET /api/operator/reconciliation',
      'GET /api/operator/requests/{requestId}',
      'GET /api/operator/seals',
      'GET /api/organization',
      'GET /api/organization/audit',
      'GET /api/organization/audit/export',
      'GET /api/organization/data-policy',
      'GET /api/organization/dimensions',
      'GET /api/organization/ip-allow-list',
      'GET /api/organization/sign-in',
      'GET /api/organizations',
      'GET /api/payments',
      'GET /api/payments/auto-top-up',
      'GET /api/payments/methods',
      'GET /api/payments/{paymentId}',
      'GET /api/profile',
      'GET /api/profile/second-factor',
      'GET /api/profile/sessions',
      'GET /api/projects',
      'GET /api/proxy-keys',
      'GET /api/requests',
      'GET /api/requests/{requestId}',
      'GET /api/settings/notifications',
      'GET /api/settings/notifications/addresses',
      'GET /api/site',
      'GET /api/transactions',
      'GET /api/transactions/export',
      'GET /api/usage',
      'GET /api/usage/export',
      'GET /api/webhooks',
      'GET /api/webhooks/{endpointId}/deliveries',
      'POST /api/alert-addresses/confirm',
      'POST /api/alert-addresses/unsubscribe',
      'POST /api/auth/forgot-password',
      'POST /api/auth/login',
      'POST /api/auth/login/passkey',
      'POST /api/auth/login/second-factor',
      'POST /api/auth/logout',
      'POST /api/auth/oidc',
      'POST /api/auth/oidc/test',
      'POST /api/auth/refresh',
      'POST /api/auth/register',
      'POST /api/auth/resend-verification',
      'POST /api/auth/reset-password',
      'POST /api/auth/switch',
      'POST /api/auth/verify-email',
      'POST /api/billing-keys',
      'POST /api/billing-keys/{id}/rotate',
      'POST /api/budgets',
      'POST /api/documents',
      'POST /api/invitations',
      'POST /api/invitations/accept',
      'POST /api/invitations/{id}/resend',
      'POST /api/keys',
      'POST /api/keys/{id}/rotate',
      'POST /api/operator/accounts/{id}/block',
      'POST /api/operator/accounts/{id}/unblock',
      'POST /api/operator/bank-statements',
      'POST /api/operator/bank-statements/lines/book',
      'POST /api/operator/catalogue/preview',
      'POST /api/operator/catalogue/price-list/compare',
      'POST /api/operator/catalogue/price-list/take-over',
      'POST /api/operator/catalogue/scheduled',
      'POST /api/operator/documents/{documentId}/correct',
      'POST /api/operator/mails/{id}/resend',
      'POST /api/operator/payments',
      'POST /api/operator/payments/{paymentId}/cancel',
      'POST /api/operator/payments/{paymentId}/confirm',
      'POST /api/operator/payments/{paymentId}/refund',
      'POST /api/operator/reconciliation',
      'POST /api/operator/refunds',
      'POST /api/organization/sign-in/domains/{domain}/prove',
      'POST /api/organizations',
      'POST /api/payments',
      'POST /api/playground-key',
      'POST /api/profile/confirm',
      'POST /api/profile/confirm/passkey',
      'POST /api/profile/passkeys',
      'POST /api/profile/passkeys/options',
      'POST /api/profile/password',
      'POST /api/profile/second-factor/app',
      'POST /api/profile/second-factor/app/confirm',
      'POST /api/profile/second-factor/recovery-codes',
      'POST /api/projects',
      'POST /api/proxy-keys',
      'POST /api/proxy-keys/{id}/rotate',
      'POST /api/settings/notifications/addresses',
      'POST /api/settings/notifications/test',
      'POST /api/webhooks',
      'POST /api/webhooks/stripe',
      'POST /api/webhooks/yookassa',
      'POST /api/webhooks/{endpointId}/deliveries/{deliveryId}/replay',
      'POST /api/webhooks/{endpointId}/rotate',
      'POST /api/webhooks/{endpointId}/test',
      'PUT /api/billing-keys/{id}',
      'PUT /api/budgets/{id}',
      'PUT /api/keys/{id}',
      'PUT /api/members/{id}',
      'PUT /api/operator/accounts/{id}/limits',
      'PUT /api/operator/catalogue',
      'PUT /api/organization',
      'PUT /api/organization/data-policy',
      'PUT /api/organization/dimensions',
      'PUT /api/organization/ip-allow-list',
      'PUT /api/organization/sign-in',
      'PUT /api/organization/sign-in/oidc',
      'PUT /api/payments/auto-top-up',
      'PUT /api/profile',
      'PUT /api/profile/details',
      'PUT /api/profile/passkeys/{id}',
      'PUT /api/projects/{id}',
      'PUT /api/proxy-keys/{id}',
      'PUT /api/settings/notifications',
      'PUT /api/webhooks/{endpointId}',
    ].sort(),
  );
});

test('the document follows the rules of OpenAPI 3.0 that generators stumble over', () => {
  expect(document.openapi).toStartWith('3.0');
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  const tags = new Set(document.tags.map(({ name }) => name));
  for (const operation of operations) {
    expect(operation.summary).toBeTruthy();
    for (const list of [operation.tags, operation.security]) expect(list).toBeArray();
    for (const tag of operation.tags ?? []) expect(tags).toContain(tag);
    for (const name of (operation.security ?? []).flatMap(Object.keys)) {
      expect(document.components.securitySchemes).toHaveProperty(name);
    }
    for (const { description } of Object.values(operation.responses)) expect(description).toBeTruthy();
    for (const { description, schema } of operation.parameters ?? []) {
      expect(description).toBeTruthy();
      expect(schema).toHaveProperty('type');
    }
    expect(Object.keys(operation.requestBody?.content ?? { 'application/json': {} })).toEqual(['application/json']);
  }
  const text = JSON.stringify(document);
  for (const foreign of ['"const":', '"type":"null"', '"type":"Date"', '"anyOf"']) expect(text).not.toContain(foreign);
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    expect(document.components.schemas).toHaveProperty(name);
  }
});

test('every error code in the document is in the registry, under its status', () => {
  for (const { responses } of operations) {
    for (const [status, { content }] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      const examples = Object.keys(Object(content?.['application/json'])?.examples);
      expect(examples.length).toBeGreaterThan(0);
      for (const code of examples) expect(errorRegistry).toHaveProperty([code, 'status'], Number(status));
    }
  }
});

test('the examples of request bodies are accepted', async () => {
  const exampleOf = (id: string) => {
    const { content } = operations.find(({ operationId }) => operationId === id)?.requestBody ?? {};
    return Object(content?.['application/json']?.example);
  };
  const send = async <Body>(id: string, token: string | undefined, status: number) => {
    const [method = '', path = ''] = operations.find(({ operationId }) => operationId === id)?.route.split(' ') ?? [];
    const response = await api.call<Body>(method, path, { body: exampleOf(id), ...(token !== undefined && { token }) });
    expect({ id, status: response.status, error: response.error }).toEqual({ id, status, error: undefined });
    return response.body;
  };
  const { accessToken } = await send<Session>('register', undefined, 201);
  await send('login', undefined, 200);
  await send('forgotPassword', undefined, 202);
  await send('changeProfile', accessToken, 200);
  await send('changeDetails', accessToken, 200);
  await send('createProxyKey', accessToken, 201);
  const { key } = await send<CreatedKey>('createBillingKey', accessToken, 201);
  await send('createKey', key, 201);
  await send('changePassword', accessToken, 204);
});

describe('Swagger UI', () => {
  test('loads only our own files and runs no inline script', async () => {
    const { status, headers, body } = await api.call('GET', '/api/docs');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toStartWith('text/html');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(body).not.toMatch(/https?:\/\//);
    expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/);
    const files = [...String(body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(files.length).toBe(6);
    for (const path of files) expect((await api.call('GET', path)).status).toBe(200);
  });

  test.each([
    ['swagger-ui-bundle.js', 'text/javascript'],
    ['swagger-ui.css', 'text/css'],
    ['start.js', 'text/javascript'],
    ['favicon-32x32.png', 'image/png'],
  ])('serves %s as %s, compressed, and revalidated by caches', async (name, type) => {
    const path = `/api/docs/assets/${name}`;
    const first = await api.call('GET', path, { headers: { 'accept-encoding': 'gzip' } });
    expect(first.headers.get('content-type')).toStartWith(type);
    expect(first.headers.get('content-encoding')).toBe('gzip');
    expect(first.headers.get('x-content-type-options')).toBe('nosniff');
    const plain = await api.call('GET', path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.body).toBe(first.body);
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await api.call('GET', path, { headers })).status).toBe(304);
  });

  test.each(['package.json', '..%2f..%2fpackage.json', '__proto__', 'swagger-ui-bundle.js.map'])(
    'returns 404 for any other file: %s',
    async (name) => {
      expect((await api.call('GET', `/api/docs/assets/${name}`)).status).toBe(404);
    },
  );
});
