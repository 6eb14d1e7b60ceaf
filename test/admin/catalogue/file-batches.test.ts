/** What catalogue files may say about batches: any combination of protocol, kind and retention, against a list written by hand. */
import { expect, test } from 'bun:test';
import { readCatalogueFile } from '../../../admin/catalogue/read-catalogue-file.ts';
import { adapterOf } from '../../../proxy/providers/adapters.ts';
import { protocols, servesBatches } from '../../../shared/catalogue/published-catalogue.ts';

const fileOf = ({ protocol = 'openai', kind = 'chat', provider = '', deployment = '', batches = 'batches: true' }) => `
providers:
  - { id: some, protocol: ${protocol}, baseUrl: "https://provider.test/v1"${provider} }
models:
  - id: test/model
    kind: ${kind}
    ownedBy: test
    contextTokens: 1000
    maxOutputTokens: 100
    price: { prompt: "1"${kind === 'chat' || kind === 'completion' ? ', completion: "2"' : ''} }
    deployments: [{ provider: some, model: upstream, ${batches}${deployment} }]
`;
const problemsOf = (file: Parameters<typeof fileOf>[0]) => {
  const reading = readCatalogueFile(fileOf(file));
  return reading.ok ? [] : reading.problems;
};

test('every protocol that has batches can have them in a file, and no other', () => {
  for (const protocol of protocols) {
    expect(servesBatches(protocol)).toBe(adapterOf(protocol).batches !== undefined);
    if (protocol === 'cohere') continue;
    const expected = servesBatches(protocol)
      ? []
      : [`model test/model: batches is not for some, which speaks ${protocol}`];
    expect(problemsOf({ protocol })).toEqual(expected);
    expect(problemsOf({ protocol, batches: 'batches: false' })).toEqual([]);
  }
});

test('only models of the endpoints of batches have them', () => {
  for (const kind of ['chat', 'completion', 'embedding', 'moderation']) expect(problemsOf({ kind })).toEqual([]);
  expect(problemsOf({ kind: 'rerank' })).toEqual([
    'model test/model: batches is for models of the kinds chat, completion, embedding, moderation, not rerank',
  ]);
});

test('a deployment that stores nothing cannot have them, because providers store lines until they are run', () => {
  const refused = ['model test/model: some has retentionDays 0, but stores what it runs as a batch'];
  expect(problemsOf({ provider: ', retentionDays: 0' })).toEqual(refused);
  expect(problemsOf({ deployment: ', retentionDays: 0' })).toEqual(refused);
  expect(problemsOf({ provider: ', retentionDays: 0', deployment: ', retentionDays: 30' })).toEqual([]);
  expect(problemsOf({ provider: ', retentionDays: 0', batches: 'batches: false' })).toEqual([]);
});

test('anything but a boolean is a mistake, with its place', () => {
  expect(problemsOf({ batches: 'batches: provider' })).toEqual([
    'models[0].deployments[0].batches: expected true or false',
  ]);
});
