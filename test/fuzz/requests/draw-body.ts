/** The body of a request, from an example in the document or generated from its schema, and then mutated. */
import type { SeededRandom } from '../../harness/seeded-random.ts';
import { sample } from './arbitrary-of-schema.ts';
import type { BodyEncoding, FuzzRequest } from './fuzz-request.ts';
import { jsonText, Literal } from './json-text.ts';
import { mutate } from './mutate.ts';
import { dates, texts } from './odd-values.ts';
import type { FuzzedOperation } from './operations.ts';

const datesOfRequests = [...dates, ...Array<string>(dates.length).fill('2099-01-01T00:00:00Z')];

/** Members whose valid values the document cannot know. */
const known: Readonly<Record<string, readonly unknown[]>> = {
  model: ['demo/chat', 'demo/chat', 'demo/claude', 'demo/gemini', 'demo/bedrock', 'demo/completion', 'demo/embedding'],
  email: ['{{email}}', '{{newEmail}}', '{{newEmail}}'],
  password: ['{{password}}'],
  current_password: ['{{password}}', 'not the password'],
  refreshToken: ['{{refreshToken}}'],
  accountId: [new Literal('{{accountId}}')],
  catalogue: ['{{catalogue}}', '{{catalogue}} # changed', '{{catalogue}}\nmodels: []'],
  effectiveFrom: datesOfRequests,
  expires_at: datesOfRequests,
  max_tokens: [16, 100],
};
const encodings = {
  'utf-8': 92,
  'utf-8 with a mark': 2,
  'utf-16': 1,
  'latin-1': 1,
  gzip: 2,
  'cut inside of a character': 2,
} satisfies Record<BodyEncoding, number>;

export function drawBody({ examples, bodies }: FuzzedOperation, random: SeededRandom): FuzzRequest['body'] {
  if (bodies === undefined) return random.chance(0.05) ? { text: random.pick(texts), encoding: 'utf-8' } : undefined;
  const isExample = examples.length > 0 && random.chance(0.8);
  const base = withKnown(isExample ? random.pick(examples) : sample(bodies, random), random);
  const times = Number(random.weighted({ '0': 40, '1': 40, '2': 14, '4': 6 }));
  const text = jsonText(mutate(base, random, times));
  return {
    text: random.chance(0.05) ? changeText(text, random) : text,
    encoding: random.weighted(encodings),
  };
}

/** A copy with the members that must be valid for the request to reach anything. */
function withKnown(value: unknown, random: SeededRandom): unknown {
  if (Array.isArray(value)) return value.map((item) => withKnown(item, random));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const values = Object.hasOwn(known, name) && random.chance(0.9) ? known[name] : undefined;
      return [name, values === undefined ? withKnown(member, random) : random.pick(values)];
    }),
  );
}

function changeText(text: string, random: SeededRandom): string {
  const at = Math.floor(random.next() * text.length);
  return random.pick([
    text.slice(0, at),
    `${text.slice(0, at)}\u0000${text.slice(at)}`,
    `${text}${text}`,
    `${text},`,
    `${' '.repeat(16_384)}${text}`,
    `${text}${'\n'.repeat(100_000)}`,
    `[${text}]`,
    JSON.stringify(text),
    text.replaceAll('"', "'"),
    `/* a comment */${text}`,
    '',
    'a=b&c=d',
  ]);
}
