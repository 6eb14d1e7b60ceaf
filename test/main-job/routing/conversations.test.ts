/** Conversations stay where their prompt is cached. */
import { afterAll, describe, expect, test } from 'bun:test';
import { failWith } from '../../harness/providers/scripted-provider.ts';
import { answers, startRoutedGateway } from './routed-gateway.ts';

const { harness, provider, stop, ask } = await startRoutedGateway();
afterAll(stop);

describe('a conversation', () => {
  const turnsOf = (opening: string) => [
    [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: opening },
    ],
    [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: opening }] },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'Really?' },
    ],
  ];

  test('stays with its deployment, goes elsewhere while that is broken, and others are spread', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const names = ['one', 'two', 'three'];
    for (const name of names) provider.on(name, answers);
    const servedBy = async (messages: object[]) =>
      (await ask(customer, { model: 'test/sticky', messages })).served ?? '';
    const used = new Set<string>();
    for (let index = 0; index < 24; index += 1) {
      const [first = [], second = []] = turnsOf(`Question ${index}`);
      const served = await servedBy(first);
      used.add(served);
      expect(await servedBy(second)).toBe(served);
    }
    expect([...used].sort()).toEqual([...names].sort());
    const [messages = []] = turnsOf('Where?');
    const home = await servedBy(messages);
    provider.on(home, failWith(503, 'broken'));
    const other = await servedBy(messages);
    expect(other).not.toBe(home);
    expect(await servedBy(messages)).toBe(other);
    provider.on(home, answers);
    expect(await servedBy(messages)).toBe(home);
  });
});
