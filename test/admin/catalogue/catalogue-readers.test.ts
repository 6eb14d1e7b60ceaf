/**
 * Operators' catalogues are read in a thread: the main thread keeps running, and a file that is too large is refused by
 * name.
 */
import { afterAll, expect, test } from 'bun:test';
import { CatalogueReaders, catalogueMaxBytes } from '../../../admin/catalogue/catalogue-readers.ts';
import { readLocated } from '../../../admin/catalogue/locate-problems.ts';

const readers = new CatalogueReaders();
afterAll(() => readers.stop());

const noKeys = new Set<string>();
const catalogueOf = (models: number, price = '"1"') => `providers:
  - { id: one, protocol: openai, baseUrl: "http://127.0.0.1:9/v1" }
models:
${Array.from(
  { length: models },
  (_, index) => `  - id: model-${index}
    kind: chat
    ownedBy: test
    contextTokens: 8000
    maxOutputTokens: 1000
    price: { prompt: ${price}, completion: "2" }
    deployments: [{ provider: one, model: model-${index} }]
`,
).join('')}`;

test.each([
  ['a valid one', catalogueOf(3)],
  ['one with mistakes', catalogueOf(3, '1')],
  ['one that is not YAML', 'models: [}'],
])('%s is read in a thread as in the main thread', async (_, yaml) => {
  expect(await readers.read(yaml, noKeys)).toEqual(readLocated(yaml, noKeys));
});

test('variables that an operator lists as keys count in the thread, too', async () => {
  const yaml = catalogueOf(1).replace('/v1"', '/v1", apiKeyEnv: SECRET_OF_ONE');
  expect(await readers.read(yaml, noKeys)).toMatchObject({ ok: false });
  expect(await readers.read(yaml, new Set(['SECRET_OF_ONE']))).toMatchObject({ ok: true });
});

test('the main thread keeps running while a large catalogue is read', async () => {
  let isRead = false;
  const reading = readers.read(catalogueOf(1_000), noKeys).finally(() => {
    isRead = true;
  });
  let turns = 0;
  while (!isRead) {
    await new Promise(setImmediate);
    turns += 1;
  }
  expect(await reading).toMatchObject({ ok: true });
  expect(turns).toBeGreaterThan(100);
});

test('a catalogue above the limit is refused with the limit, and one that takes too long with 503', async () => {
  const huge = `${catalogueOf(1)}${'#'.repeat(catalogueMaxBytes)}`;
  await expect(readers.read(huge, noKeys)).rejects.toMatchObject({
    code: 'body_too_large',
    message: `The catalogue is larger than ${catalogueMaxBytes} bytes.`,
    param: 'catalogue',
  });
  const hasty = new CatalogueReaders({ threads: 1, timeoutMs: 1, idleMs: 1 });
  await expect(hasty.read(catalogueOf(500), noKeys)).rejects.toMatchObject({ code: 'overloaded' });
  hasty.stop();
});
