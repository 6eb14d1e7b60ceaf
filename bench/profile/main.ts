/**
 * Where the gateway spends its CPU time, by JavaScript function:
 * `bun bench/profile/main.ts json|stream [SECONDS]`. Nothing is written to disk that stays.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatBody } from '../load/bodies.ts';
import { measure, warmUp } from '../measure/alternate.ts';
import { onStage } from '../on-stage.ts';
import type { Stage } from '../stage.ts';
import { startProfiledGateway } from './gateway.ts';
import { JitDump } from './jit-dump.ts';
import { shareOut } from './ownership.ts';
import { printSamples, readJitDump, recordWhile, whyNoPerf } from './perf.ts';
import { renderProfile } from './render-profile.ts';
import { readSamples } from './samples.ts';

const loads = {
  json: { body: chatBody('whole'), mode: { kind: 'closed', connections: 64 }, warmUpMs: 500 },
  stream: {
    body: chatBody('paced-10ms', { stream: true }),
    mode: { kind: 'closed', connections: 100 },
    warmUpMs: 1_500,
  },
} as const;

const [name = '', seconds = '5'] = process.argv.slice(2);
const whyNot = whyNoPerf() ?? (name in loads && Number(seconds) > 0 ? undefined : 'json or stream, and seconds');
if (whyNot !== undefined) {
  console.error(whyNot);
  process.exit(2);
}
const load = loads[name === 'stream' ? 'stream' : 'json'];
const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-profile-'));
const options = { rounds: 1, seconds: Number(seconds), quick: false, essential: true };
const exitCode = await onStage(options, async ({ stage }) => {
  console.log(await profile(stage));
  return 0;
}).finally(() => rm(directory, { recursive: true, force: true }));
process.exit(exitCode);

async function profile(stage: Stage): Promise<string> {
  const gateway = await startProfiledGateway(stage.stores, directory);
  const file = join(directory, 'perf.data');
  try {
    await warmUp(stage, gateway, load);
    const measured = { ...load, measureMs: stage.seconds * 1_000 };
    const result = await recordWhile(gateway.pid, file, () => measure(stage, gateway, measured));
    const samples = readSamples(await printSamples(file));
    return renderProfile(shareOut(samples, new JitDump(readJitDump(directory))), result);
  } finally {
    await gateway.stop();
  }
}
