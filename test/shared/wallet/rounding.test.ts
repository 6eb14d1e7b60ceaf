/**
 * TypeScript and the wallet's scripts calculate the same amounts: TypeScript with integers of any size, Lua with
 * doubles, which are exact as long as a request costs less than 2^53 pico-dollars, $9,007.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Glob } from 'bun';
import { Redis } from 'ioredis';
import type { RunningServer } from '../../../local/servers/postgres.ts';
import { startRedis } from '../../../local/servers/redis.ts';
import { costOf, nanoUsd, picoUsdPerToken, tokensWithin } from '../../../shared/money.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { SeededRandom } from '../../harness/seeded-random.ts';

const cases = inCampaign(200_000, 1_000_000);
const casesAtOnce = 50_000;
const exactPicoMax = 2 ** 53;
const capMax = 4_000_000;
const priceMax = 600_000_000;
const common = join(import.meta.dir, '../../../shared/wallet/scripts/common');

let directory: string;
let server: RunningServer;
let redis: Redis;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-rounding-'));
  const path = join(directory, 'redis.sock');
  server = await startRedis({ dataDir: directory, extraArguments: ['--unixsocket', path] });
  redis = new Redis({ path });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

/** What is available, and the arguments of a reserve as `grant` reads it. */
type Case = readonly [
  available: number,
  amount: number,
  promptPart: number,
  price: number,
  cap: number,
  lowest: number,
];

/** The functions with which a script decides what to hold, as they are in the files. */
async function grantSource(): Promise<string> {
  const found: string[] = [];
  for await (const name of new Glob('*.lua').scan({ cwd: common })) {
    const text = await Bun.file(join(common, name)).text();
    found.push(...[...text.matchAll(/^local function (?:ceil_to_nano|grant)\(.*?^end$/gms)].map(([code]) => code));
  }
  return found.join('\n');
}

/** Takes the cases as one JSON list, and returns `cap amount` of each, or `-` where nothing is granted. */
async function luaSource(): Promise<string> {
  const grant = await grantSource();
  const names = [...grant.matchAll(/\breservation\.(\w+)/g)].map(([, name = '']) => name);
  const members = [/^amount$/, /prompt/, /price/i, /^(output)?cap$/i, /lowest/].map((meant, index) => {
    const name = names.find((candidate) => meant.test(candidate));
    if (name === undefined) throw new Error(`grant reads no member like ${meant}`);
    return `${name} = one[${index + 2}]`;
  });
  return `${grant}
    local granted = {}
    for index, one in ipairs(cjson.decode(ARGV[1])) do
      local cap, amount = grant(one[1], {${members.join(', ')}})
      granted[index] = cap and string.format('%d %d', cap, amount) or '-'
    end
    return table.concat(granted, ';')`;
}

function drawCase(random: SeededRandom): Case {
  const price = Math.ceil(priceMax ** random.next());
  const promptPart = Math.floor(10 ** (12 * random.next()));
  const cap = random.integer(1, Math.min(capMax, Math.floor((exactPicoMax - 1_000 * promptPart) / price) || 1));
  const amount = costIn(cap, { promptPart, price }) - random.integer(0, 1);
  // Around the cost of some lower cap, which is where rounding shows; or a sufficient amount.
  const affordable = random.integer(0, cap);
  const available = random.chance(0.2)
    ? amount + random.integer(-1, 1_000)
    : costIn(affordable, { promptPart, price }) + random.integer(-1, 1);
  return [available, amount, promptPart, price, cap, random.chance(0.1) ? 0 : Math.min(16, cap)];
}

function costIn(tokens: number, { promptPart, price }: { promptPart: number; price: number }): number {
  return promptPart + Number(costOf([{ count: tokens, price: picoUsdPerToken(BigInt(price)) }]));
}

/** What `grant` should return, by the money functions alone. */
function grantOf([available, amount, promptPart, price, cap, lowest]: Case): string {
  if (available <= 0) return '-';
  if (amount <= available) return `${cap} ${amount}`;
  const budget = nanoUsd(BigInt(available - promptPart));
  const affordable = tokensWithin(budget, { parts: [], price: picoUsdPerToken(BigInt(price)), tokensMax: cap });
  if (lowest === 0 || affordable === undefined || affordable < lowest) return '-';
  return `${affordable} ${costIn(affordable, { promptPart, price })}`;
}

test('TypeScript and Lua round random costs and grants alike (campaign)', async () => {
  const random = new SeededRandom(20_261_122);
  const source = await luaSource();
  const counts = { whole: 0, lowered: 0, refused: 0 };
  for (let done = 0; done < cases; done += casesAtOnce) {
    const batch = Array.from({ length: casesAtOnce }, () => drawCase(random));
    const granted = String(await redis.eval(source, 0, JSON.stringify(batch))).split(';');
    expect(granted).toHaveLength(batch.length);
    for (const [index, one] of batch.entries()) {
      const expected = grantOf(one);
      if (granted[index] !== expected) expect({ one, granted: granted[index] }).toEqual({ one, granted: expected });
      if (expected === '-') counts.refused += 1;
      else counts[one[1] <= one[0] ? 'whole' : 'lowered'] += 1;
    }
  }
  // Each of the three is met often.
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(cases / 20);
});
