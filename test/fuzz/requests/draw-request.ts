/** A random request of an operation: about half of them valid, the others mutated in one or several places. */
import type { SeededRandom } from '../../harness/seeded-random.ts';
import { sample } from './arbitrary-of-schema.ts';
import { drawBody } from './draw-body.ts';
import { drawHeaders } from './draw-headers.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import { oddValue } from './mutate.ts';
import { dates, texts } from './odd-values.ts';
import type { FuzzedOperation } from './operations.ts';

const otherMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'];
const idNames: Readonly<Record<string, string>> = {
  '/api/keys': 'proxyKeyId',
  '/api/proxy-keys': 'proxyKeyId',
  '/api/billing-keys': 'billingKeyId',
  '/api/operator/accounts': 'accountId',
  '/api/operator/mails': 'mailId',
};

export function drawRequest(operation: FuzzedOperation, random: SeededRandom): FuzzRequest {
  const { program } = operation;
  const method = random.chance(0.02) ? random.pick(otherMethods) : operation.method;
  const body = drawBody(operation, random);
  return {
    program,
    method,
    target: `${drawPath(operation.path, random)}${drawQuery(operation, random)}`,
    headers: drawHeaders(operation, random),
    // No client sends a body with these methods; raw bytes do.
    body: method === 'GET' || method === 'HEAD' ? undefined : body,
  };
}

function drawPath(path: string, random: SeededRandom): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (random.chance(0.35)) return encode(String(textOf(oddValue(random))));
    if (name === 'requestId') return '{{requestId}}';
    const [collection = ''] = path.split('/{');
    return collection === '/v1/models' ? 'demo/chat' : `{{${idNames[collection] ?? 'scheduledId'}}}`;
  });
  return random.chance(0.03)
    ? `${filled}${random.pick(['/', '/..', '//', '%2f', ';a', '/%', '/%ff', '%00', '.json'])}`
    : filled;
}

function drawQuery({ query }: FuzzedOperation, random: SeededRandom): string {
  const drawn = query
    .filter(() => random.chance(0.5))
    .flatMap(({ name, values }) => {
      const value = random.chance(0.4) ? textOf(oddValue(random)) : valid(name, sample(values, random), random);
      const pair = `${name}=${encode(String(value))}`;
      return random.chance(0.05) ? [pair, `${name}=${encode(random.pick(texts))}`] : [pair];
    });
  if (random.chance(0.04))
    drawn.push(random.pick(['x=1', '=', '&&', '%=%', 'limit', 'limit[]=1', '__proto__=1', '+=+', '%00=a']));
  return drawn.length === 0 ? '' : `?${drawn.join('&')}`;
}

/** Values that the schema alone does not describe. */
function valid(name: string, value: unknown, random: SeededRandom): unknown {
  if (name === 'from' || name === 'to') return random.pick(dates);
  if (name === 'cursor') return '{{cursor}}';
  return name === 'accountId' || name === 'keyId' ? random.pick([value, '{{accountId}}', '{{proxyKeyId}}']) : value;
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Placeholders stay unchanged. */
function encode(text: string): string {
  return text.startsWith('{{') ? text : encodeURIComponent(text.toWellFormed());
}
