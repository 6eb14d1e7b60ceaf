/** Reserve and settle alone: the ceiling that one Redis sets for all proxies together. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../../local/servers/redis.ts';
import { contenderCore, pin } from '../../measure/pin.ts';
import { withSpread } from '../../report/format.ts';
import type { Section } from '../../report/section.ts';
import type { Stage } from '../../stage/stage.ts';

const entry = join(import.meta.dir, '../../wallet/main.ts');

interface Pairs {
  readonly pairsPerSecond: number;
  readonly clientMicroseconds: number;
  readonly scriptMicroseconds: number;
  /** For the commands alone, run in sequence. */
  readonly commandMicroseconds: number;
}

export async function walletPairs(stage: Stage): Promise<Section> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-wallet-'));
  const redis = await startRedis({ dataDir: directory, appendOnly: true });
  const rounds: Pairs[] = [];
  try {
    for (let round = 1; round <= stage.rounds; round += 1) rounds.push(await runOnce(redis.url, stage.seconds));
  } finally {
    await redis.stop();
    await rm(directory, { recursive: true, force: true });
  }
  return {
    id: 'wallet',
    title: 'The wallet alone',
    method:
      'The real scripts on a Redis with its append-only file, 64 callers in one process, 400 accounts, limits on. ' +
      'The client has one core, Redis the other. The time in scripts is what Redis itself reports. “The commands ' +
      'alone” are the commands that the scripts call, with values of the same size, in a Lua loop that computes ' +
      'nothing and writes no append-only file: a lower bound for any script that stores the same data.',
    tables: [
      {
        columns: ['', 'pairs/s', 'client CPU µs per pair', 'µs in scripts per pair', 'the commands alone'],
        rows: [
          [
            'reserve + settle',
            withSpread(rounds.map(({ pairsPerSecond }) => pairsPerSecond)),
            withSpread(rounds.map(({ clientMicroseconds }) => clientMicroseconds)),
            withSpread(rounds.map(({ scriptMicroseconds }) => scriptMicroseconds)),
            withSpread(rounds.map(({ commandMicroseconds }) => commandMicroseconds)),
          ],
        ],
      },
    ],
    notices: [],
    figures: rounds,
  };
}

async function runOnce(url: string, seconds: number): Promise<Pairs> {
  const child = Bun.spawn([process.execPath, entry, url, String(seconds)], { stdio: ['ignore', 'pipe', 'inherit'] });
  pin(child.pid, contenderCore);
  const printed = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error('bench/wallet/main.ts failed');
  return JSON.parse(printed);
}
