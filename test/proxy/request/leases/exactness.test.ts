/**
 * What a customer sees at the end of a balance: of requests at once over several proxies, with leases and without, exactly
 * as many succeed as it covers.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { chat, errorCodeOf } from '../../../harness/clients/chat.ts';
import { type Gateway, startProxyProgram } from '../../../harness/gateway.ts';
import type { Served } from '../../../harness/programs.ts';
import { streamedResponse, wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import { readLeased } from '../../../harness/read-metric.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';

const tokens = 10;
/** Of a request with so many output tokens, which are also the most that it may have. */
const costNano = 100_000n;
const refusals = ['insufficient_balance', 'balance_reserved'];

let gateway: Gateway;
let proxies: Served[];
beforeAll(async () => {
  // In this process they would wait for each other: it makes no more than 256 requests at once.
  gateway = await startProxyProgram();
  const { harness, provider } = gateway;
  proxies = [gateway.proxy, ...(await Promise.all([harness.startProxy(), harness.startProxy()]))];
  provider.on('upstream-priced', (truth, request) =>
    truth.body.stream === true
      ? streamedResponse({ tokens, promptTokens: 9, usage: true })(truth, request)
      : wholeResponse({ usage: { promptTokens: 9, completionTokens: tokens } })(truth, request),
  );
});
afterAll(() => gateway.stop());

const random = new SeededRandom(31);
/** A lease has at most a 64th of what is available: with less than this, it is not enough for a request. */
const leasableMin = 64;
const balances = inCampaign(
  [40, 100],
  Array.from({ length: 100 }, () => random.integer(1, 160)),
);

test.each(balances.map((covered, round) => [round + 1, covered] as const))(
  'round %d: a balance for %d requests covers so many (campaign)',
  async (_round, covered) => {
    const { harness } = gateway;
    const usd = formatUsd(nanoUsd(BigInt(covered) * costNano));
    const { accountId, proxyKey } = await harness.createCustomer({ usd });
    let succeeded = 0;
    const ask = async (proxy: Served | undefined, stream = false): Promise<string> => {
      const response = await chat(proxy, proxyKey, { model: 'test/priced-output', max_tokens: tokens, stream });
      if (response.status !== 200) return errorCodeOf(response);
      await response.text();
      succeeded += 1;
      return '';
    };
    const proxyOf = (index: number) => proxies[index % proxies.length];
    // Each proxy gets a lease.
    for (const proxy of proxies) {
      const before = await readLeased(proxy);
      while (covered - succeeded > leasableMin && (await readLeased(proxy)) === before)
        expect(await ask(proxy)).toBe('');
    }
    const outcomes = await Promise.all(
      Array.from({ length: 5 * covered }, (_, index) => ask(proxyOf(index), index % 4 === 0)),
    );
    expect(outcomes.filter((code) => code !== '' && !refusals.includes(code))).toEqual([]);
    expect(succeeded).toBeLessThanOrEqual(covered);
    // One that came while a proxy was too busy to return its lease was refused, but what it has left is not lost.
    let index = 0;
    await waitFor('the balance to be used up', guardTimeoutMs, async () => {
      index += 1;
      return (await ask(proxyOf(index))) === 'insufficient_balance';
    });
    expect(succeeded).toBe(covered);
    expect(await violationsAtRest(harness, [accountId])).toEqual([]);
    expect(await harness.keeper.readWallet(accountId)).toEqual({ availableNano: nanoUsd(0n), heldNano: nanoUsd(0n) });
  },
);
