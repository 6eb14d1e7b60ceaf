/** The kinds of models that each protocol serves: what the catalogue allows, and what the adapters can do. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { adapterOf } from '../../../proxy/providers/adapters.ts';
import { modelKinds } from '../../../shared/catalogue/model-kinds.ts';
import { protocols, servedKinds } from '../../../shared/catalogue/published-catalogue.ts';
import { hostileJson } from '../../harness/hostile-json.ts';

test('an adapter has an operation for each kind of model that its protocol serves, and no other', () => {
  for (const protocol of protocols) {
    const { operations } = adapterOf(protocol);
    expect(modelKinds.filter((kind) => operations[kind] !== undefined)).toEqual([...servedKinds[protocol]]);
  }
});

test.each(protocols)('the message of an error of %s is read, whatever the members beside it are', (protocol) => {
  const adapter = adapterOf(protocol);
  const detail = fc.record({ '@type': hostileJson, reason: hostileJson, retryDelay: hostileJson });
  const beside = fc.record({
    code: hostileJson,
    status: hostileJson,
    type: hostileJson,
    param: hostileJson,
    details: fc.oneof(hostileJson, fc.array(fc.oneof(detail, hostileJson), { maxLength: 3 })),
    metadata: hostileJson,
  });
  const property = fc.property(beside, (members) => {
    // Bedrock has it beside the error's members, the others in `error`.
    const body = { message: 'too long', ...members, error: { ...members, message: 'too long' } };
    expect(adapter.readFailure(JSON.stringify(body), new Headers()).message).toBe('too long');
  });
  fc.assert(property, { numRuns: 300 });
});

test.each(protocols)('an error of %s of any shape has a message that is text, or none', (protocol) => {
  const property = fc.property(hostileJson, (body) => {
    for (const shape of [body, { error: body }, [{ error: body }], { message: body }]) {
      const { message } = adapterOf(protocol).readFailure(JSON.stringify(shape), new Headers());
      expect(message === undefined || typeof message === 'string').toBe(true);
    }
  });
  fc.assert(property, { numRuns: 300 });
});
