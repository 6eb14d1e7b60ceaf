/** What the page of keys asks for, and what it changes. */
import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import type { Permission } from '../app/session/place.ts';
import type { paths } from '../generated/api.ts';

/** Proxy keys pay for requests; billing keys manage proxy keys. */
export const keyKinds = ['proxy', 'billing'] as const;
export type KeyKind = (typeof keyKinds)[number];

/** What each kind needs. */
export const keyPermissions = {
  proxy: { read: 'keys:read', manage: 'keys:manage' },
  billing: { read: 'billing-keys:read', manage: 'billing-keys:manage' },
} as const satisfies Record<KeyKind, Record<'read' | 'manage', Permission>>;

type Listed<Path extends '/api/proxy-keys' | '/api/billing-keys'> =
  paths[Path]['get']['responses'][200]['content']['application/json']['keys'][number];

export type ProxyKey = Listed<'/api/proxy-keys'>;
/** Only proxy keys have a spending and limits. */
export type Key = Listed<'/api/billing-keys'> & Partial<ProxyKey>;
export type NewKey = NonNullable<paths['/api/proxy-keys']['post']['requestBody']>['content']['application/json'];
export type KeyChange = NonNullable<paths['/api/proxy-keys/{id}']['put']['requestBody']>['content']['application/json'];

export const keysQuery = (kind: KeyKind) =>
  queryOptions({
    queryKey: [`${kind}-keys`],
    queryFn: async (): Promise<readonly Key[]> =>
      kind === 'proxy'
        ? (await call(api.GET('/api/proxy-keys'))).keys
        : (await call(api.GET('/api/billing-keys'))).keys,
  });

/** The ids of the models that a key can be limited to. */
export const modelIdsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: () => call(api.GET('/api/models')),
  select: ({ models }) => models.map(({ id }) => id),
});

/** The response is the only one that has the full key. Sent again under the same idempotency key, it makes no second key. */
export function createKey(kind: KeyKind, body: NewKey, idempotencyKey: string) {
  const params = { header: { 'Idempotency-Key': idempotencyKey } };
  return kind === 'proxy'
    ? call(api.POST('/api/proxy-keys', { body, params }))
    : call(api.POST('/api/billing-keys', { body, params }));
}

export function changeKey(kind: KeyKind, id: number, body: KeyChange) {
  const params = { path: { id } };
  return kind === 'proxy'
    ? call(api.PUT('/api/proxy-keys/{id}', { body, params }))
    : call(api.PUT('/api/billing-keys/{id}', { body, params }));
}

export function deleteKey(kind: KeyKind, id: number) {
  const params = { path: { id } };
  return kind === 'proxy'
    ? call(api.DELETE('/api/proxy-keys/{id}', { params }))
    : call(api.DELETE('/api/billing-keys/{id}', { params }));
}
