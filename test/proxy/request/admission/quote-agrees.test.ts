/** Property tests on a real Redis: a reserve does exactly what the quote says, to the nano-dollar. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Model } from '../../../../proxy/pricing/catalogue.ts';
import { balanceFacts } from '../../../../proxy/request/admission/balance-facts.ts';
import { type Quote, quoteOf } from '../../../../proxy/request/planning/quote.ts';
import { nanoUsd, walletLimitNano } from '../../../../shared/money.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { pricesAt } from '../../../harness/prices.ts';
import {
  noRates,
  reserveRequestOf,
  startWalletBench,
  type TestAccount,
  type WalletBench,
  walletKeyOf,
} from '../../../harness/wallet/wallet-bench.ts';
import { parseChatCompletion } from '../../api/parse.ts';

let bench: WalletBench;
let account: TestAccount;

beforeAll(async () => {
  bench = await startWalletBench();
  account = await bench.openAccount(0n);
});

afterAll(() => bench.stop());

interface Body {
  readonly content: string;
  readonly n: number;
  readonly max_tokens?: number;
}

/** From a free model to 1,000 USD per million tokens. */
const price = fc.oneof(
  fc.constant(0n),
  fc.bigInt({ min: 1n, max: 3_000n }),
  fc.bigInt({ min: 0n, max: 1_000_000_000n }),
);
const model = fc
  .record({
    prompt: price,
    completion: price,
    contextTokens: fc.integer({ min: 1, max: 200_000 }),
    maxOutputTokens: fc.integer({ min: 1, max: 1_000_000 }),
  })
  .map(({ prompt, completion, ...limits }) => modelOf({ prompt, completion }, limits));
const body: fc.Arbitrary<Body> = fc.record(
  {
    content: fc.string({ maxLength: 300 }),
    n: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 128 })),
    max_tokens: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 2_000_000 })),
  },
  { requiredKeys: ['content', 'n'] },
);
const held = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 1_000_000_000n }));

function modelOf(
  prices: { prompt: bigint; completion: bigint },
  limits: { contextTokens: number; maxOutputTokens: number },
): Model {
  return {
    id: 'demo/chat',
    kind: 'chat',
    ownedBy: 'test',
    createdAt: 0,
    ...limits,
    prices: pricesAt(prices),
    deployments: [],
  };
}

function quoteFor(target: Model, { content, ...rest }: Body) {
  const messages = [{ role: 'user', content }];
  // Whole responses are also limited in size.
  return quoteOf(target, parseChatCompletion(JSON.stringify({ model: target.id, messages, stream: true, ...rest })));
}

/** Balances around every threshold of the decision, and arbitrary ones. */
function balances(quote: Quote): fc.Arbitrary<bigint> {
  const near = (amount: bigint) => fc.bigInt({ min: amount - 3n, max: amount + 3n });
  const { amountNano, promptPartNano, lowestCap, outputPrice } = quote;
  return fc
    .oneof(
      near(0n),
      near(promptPartNano),
      near(promptPartNano + (BigInt(lowestCap) * outputPrice) / 1_000n),
      near(amountNano),
      fc.bigInt({ min: 0n, max: amountNano }),
      fc.bigInt({ min: 0n, max: walletLimitNano }),
    )
    .filter((amount) => amount < walletLimitNano);
}

async function setWallet(availableNano: bigint, heldNano: bigint): Promise<void> {
  await bench.redis.hset(walletKeyOf(account), { available: String(availableNano), held: String(heldNano) });
}

/** Everything in the wallet except the request count, in which a quote is included. */
async function readMoney(): Promise<[string, string][]> {
  return Object.entries(await bench.redis.hgetall(walletKeyOf(account))).filter(([name]) => !name.startsWith('rate'));
}

const requestFor = ({ amountNano, promptPartNano, outputPrice, outputCap, lowestCap }: Quote) =>
  reserveRequestOf(account, { amountNano, promptPartNano, outputPrice, outputCap, lowestCap });

const situation = fc
  .record({ target: model, body, heldNano: held })
  .chain((given) => balances(quoteFor(given.target, given.body)).map((availableNano) => ({ ...given, availableNano })));

test('a quote is affordable exactly when a reserve succeeds, with the same cap and amount (campaign)', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async ({ target, body, availableNano, heldNano }) => {
      const quote = quoteFor(target, body);
      await setWallet(availableNano, heldNano);
      const before = await readMoney();
      const peeked = await bench.wallet.peek(requestFor(quote));
      expect(await readMoney()).toEqual(before);

      const reserved = await bench.wallet.reserve(requestFor(quote));
      expect(peeked.ok).toBe(reserved.ok);
      if (!peeked.ok || !reserved.ok) return expect(reserved).toMatchObject(peeked);
      const { outputCap, amountNano } = reserved;
      expect(peeked).toEqual({
        ok: true,
        outputCap,
        amountNano,
        availableNano: nanoUsd(availableNano),
        heldNano: nanoUsd(heldNano),
        rates: noRates,
      });
    }),
    { numRuns: inCampaign(250, 1_000) },
  );
});

test('the affordable max_tokens is accepted when a client sends it, and one more is not (campaign)', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async ({ target, body, availableNano, heldNano }) => {
      const quote = quoteFor(target, body);
      const wallet = { availableNano: nanoUsd(availableNano), heldNano: nanoUsd(heldNano) };
      const best = balanceFacts(wallet, quote.amountNano, quote).affordableMaxTokens;
      const reserveCapped = async (cap: number) => {
        await setWallet(availableNano, heldNano);
        return bench.wallet.reserve(requestFor(quoteFor(target, { ...body, max_tokens: cap })));
      };
      if (best > 0) expect(await reserveCapped(best)).toMatchObject({ ok: true, outputCap: best });
      // Without a cap, room is kept for the member that the client would have to add.
      const exact = body.max_tokens !== undefined;
      if (exact && best < target.maxOutputTokens) expect(await reserveCapped(best + 1)).toMatchObject({ ok: false });
    }),
    { numRuns: inCampaign(250, 1_000) },
  );
});
