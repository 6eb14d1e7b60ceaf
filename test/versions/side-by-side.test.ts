/**
 * A rolling upgrade and rollback: the last release and this version run side by side under load, in every combination
 * of proxies and admins. Nothing is refused, rejected or charged twice.
 */
import { afterAll, expect, test } from 'bun:test';
import { parseUsd } from '../../shared/money.ts';
import { violationsAtRest } from '../harness/books.ts';
import { chat } from '../harness/clients/chat.ts';
import type { Program } from '../harness/programs.ts';
import { startScriptedProvider, streamedResponse, wholeResponse } from '../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../harness/providers/test-catalogue.ts';
import { startHarness } from '../harness.ts';
import { checkOut, findLastRelease, hasHistory } from './last-release.ts';

const release = await findLastRelease();
const isHere = await hasHistory(release);
if (!isHere) console.log(`skipped: the history of this copy has no commit ${release.commit} (${release.version})`);

const checkout = isHere ? await checkOut(release) : undefined;
afterAll(() => checkout?.remove());

const requestsAPhase = 60;
const atOnce = 6;

test.skipIf(!isHere)(
  `this version next to release ${release.version} loses nothing, whichever of the two stops`,
  async () => {
    const source = checkout?.directory;
    const harness = await startHarness();
    await harness.database.sql`UPDATE ledger_settings SET compact = false`;
    const provider = startScriptedProvider();
    try {
      provider.on('upstream-chat', (truth, request) =>
        truth.body.stream === true
          ? streamedResponse({ tokens: 5, promptTokens: 9, usage: true })(truth, request)
          : wholeResponse({ usage: { promptTokens: 9, completionTokens: 5 } })(truth, request),
      );
      await harness.applyCatalogue(testCatalogue(provider.baseUrl));
      const customers = await Promise.all([1, 2, 3].map(() => harness.createCustomer({ usd: '5' })));
      let spent = 0n;
      const ask = async (proxy: Program, index: number) => {
        const stream = index % 2 === 0;
        const customer = customers[index % customers.length];
        const response = await chat(proxy, customer?.proxyKey ?? '', { model: 'test/chat', max_tokens: 20, stream });
        const text = await response.text();
        expect([response.status, text]).toEqual([200, expect.any(String)]);
        const cost = response.headers.get('x-cost-usd');
        if (cost !== null) spent += parseUsd(cost);
        else expect(text).toEndWith('data: [DONE]\n\n');
      };
      /** Load on all of these proxies. */
      const load = async (...proxies: Program[]) => {
        const indexes = Array.from({ length: requestsAPhase }, (_, index) => index);
        const work = async () => {
          for (let index = indexes.pop(); index !== undefined; index = indexes.pop()) {
            const proxy = proxies[index % proxies.length];
            if (proxy !== undefined) await ask(proxy, index);
          }
        };
        await Promise.all(Array.from({ length: atOnce }, work));
      };

      const formerAdmin = await harness.startAdmin({}, source);
      const formerProxy = await harness.startProxy({}, source);
      await load(formerProxy);
      const proxy = await harness.startProxy();
      await load(formerProxy, proxy);
      const admin = await harness.startAdmin();
      await load(formerProxy, proxy);
      await formerAdmin.stop();
      await load(formerProxy, proxy);
      await formerProxy.stop();
      await load(proxy);
      // And back.
      const formerAgain = await harness.startAdmin({}, source);
      await admin.stop();
      await load(proxy);
      const formerProxyAgain = await harness.startProxy({}, source);
      await load(proxy, formerProxyAgain);
      await proxy.stop();
      await load(formerProxyAgain);
      await formerProxyAgain.stop();

      const accountIds = customers.map(({ accountId }) => accountId);
      expect(await violationsAtRest(harness, accountIds)).toEqual([]);
      const { sql } = harness.database;
      const [books] = await sql`
      SELECT (SELECT count(*) FROM usage_rejects) AS rejects, (SELECT count(*) FROM charged_requests) AS requests,
        (SELECT count(*) FROM usage_events WHERE estimated) AS estimated`;
      expect(books).toEqual({ rejects: '0', requests: String(8 * requestsAPhase), estimated: '0' });
      // All requests cost the same, and half of them return it in a header.
      const [sum] = await sql<{ spent: string }[]>`SELECT sum(spent_nano) AS spent FROM accounts`;
      expect(BigInt(sum?.spent ?? '0')).toBe(2n * spent);
      expect(spent).toBeGreaterThan(0n);
      await formerAgain.stop();
    } finally {
      await provider.stop();
      await harness.stop();
    }
  },
);
