/** The kinds of models that each protocol serves: what the catalogue allows, and what the adapters can do. */
import { expect, test } from 'bun:test';
import { adapterOf } from '../../../proxy/providers/adapters.ts';
import { modelKinds, protocols, servedKinds } from '../../../shared/catalogue/published-catalogue.ts';

test('an adapter has an operation for each kind of model that its protocol serves, and no other', () => {
  for (const protocol of protocols) {
    const { operations } = adapterOf(protocol);
    expect(modelKinds.filter((kind) => operations[kind] !== undefined)).toEqual([...servedKinds[protocol]]);
  }
});
