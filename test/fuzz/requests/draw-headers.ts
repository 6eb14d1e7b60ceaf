/** The headers of a request: the credentials of its operation, and others that clients send, valid or not. */
import type { SeededRandom } from '../../harness/seeded-random.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import type { FuzzedOperation } from './operations.ts';

type Header = FuzzRequest['headers'][number];

const contentTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/yaml',
  ';;;',
];
const credentials = [
  'Bearer {{proxyKey}}',
  'Bearer {{billingKey}}',
  'Bearer {{token}}',
  'Bearer {{operatorToken}}',
  'bearer {{proxyKey}}',
  'Bearer  {{token}}',
  'Bearer',
  'Bearer ',
  'Basic YTpi',
  'Bearer {{proxyKey}}x',
  'Bearer ms-00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.',
  `Bearer ms-${'a'.repeat(8_000)}`,
  'Bearer mk-99-é',
];
/** Each with its own probability. */
const others: readonly { readonly name: string; readonly chance: number; readonly values: readonly string[] }[] = [
  { name: 'idempotency-key', chance: 0.2, values: ['again', 'again', '{{newEmail}}', '', 'a b', 'é', 'a'.repeat(256)] },
  { name: 'accept-language', chance: 0.1, values: ['ru', 'ru-RU,ru;q=0.9', '*', ';q=', 'xx-'.repeat(500)] },
  { name: 'accept', chance: 0.05, values: ['text/event-stream', 'text/html', '*/*', 'a/b;q=x'] },
  { name: 'if-none-match', chance: 0.05, values: ['*', 'W/"a"', '"', '""'] },
  {
    name: 'cookie',
    chance: 0.08,
    values: ['refresh_token={{refreshToken}}', 'refresh_token=', '=;=;', 'a=%', 'a'.repeat(4_000)],
  },
  { name: 'origin', chance: 0.08, values: ['null', 'http://nobody.invalid', 'é'] },
  { name: 'x-request-id', chance: 0.05, values: ['mine', 'a'.repeat(2_000)] },
  { name: 'content-encoding', chance: 0.03, values: ['gzip', 'br', 'identity', 'x, gzip'] },
  { name: 'anthropic-version', chance: 0.1, values: ['2023-06-01', 'x'] },
  { name: 'x-forwarded-proto', chance: 0.03, values: ['https', 'é'] },
  { name: 'x-http-method-override', chance: 0.02, values: ['DELETE'] },
];

export function drawHeaders(operation: FuzzedOperation, random: SeededRandom): readonly Header[] {
  return [
    ...drawCredential(operation, random),
    ...(random.chance(0.9) ? [['x-forwarded-for', drawAddress(random)] as const] : []),
    ...(operation.bodies === undefined
      ? []
      : [['content-type', random.chance(0.9) ? 'application/json' : random.pick(contentTypes)] as const]),
    ...(operation.needsIdempotencyKey && random.chance(0.8) ? [['idempotency-key', '{{newEmail}}'] as const] : []),
    ...others.flatMap(({ name, chance, values }) =>
      random.chance(chance) ? [[name, random.pick(values)] as const] : [],
    ),
  ];
}

function drawCredential({ path, schemes }: FuzzedOperation, random: SeededRandom): readonly Header[] {
  if (random.chance(0.08)) return random.chance(0.3) ? [] : [['authorization', random.pick(credentials)]];
  switch (random.pickIfAny(schemes)) {
    case 'accessToken':
      return [['authorization', path.startsWith('/api/operator') ? 'Bearer {{operatorToken}}' : 'Bearer {{token}}']];
    case 'billingKey':
      return [['authorization', 'Bearer {{billingKey}}']];
    case 'proxyKey':
      return [['authorization', 'Bearer {{proxyKey}}']];
    case 'apiKeyHeader':
      return [['x-api-key', '{{proxyKey}}']];
    default:
      return [];
  }
}

/** A new address each time, so that endpoints limited by address are reached as well. */
function drawAddress(random: SeededRandom): string {
  if (random.chance(0.05))
    return random.pick(['', 'unknown', '::1', '1.2.3', '::ffff:1.2.3.4', ','.repeat(500), '127.0.0.1, é']);
  const byte = () => random.integer(0, 255);
  return `10.${byte()}.${byte()}.${byte()}`;
}
