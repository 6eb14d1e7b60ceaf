/**
 * `bun run rehearse [--rounds 2] [--rate 200] [--streams 100] [--seed S] [--release]`: every program is replaced behind
 * the real load balancer, stores restart, a proxy is killed. `--release` runs the last release on the second side. Exit
 * code 1 if anything is not as promised.
 */
import { parseArgs } from 'node:util';
import { endChildrenAtExit } from '../../local/processes/child.ts';
import { haproxyPath } from '../harness/load-balancer.ts';
import { checkOut, findLastRelease } from '../versions/last-release.ts';
import { rehearse } from './rehearse.ts';
import { findBroken, renderRehearsal } from './report.ts';

const calmMs = 10_000;
/** The default, as in production; the streams are shorter. */
const graceSeconds = 20;

endChildrenAtExit();
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    rate: { type: 'string', default: '200' },
    streams: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    release: { type: 'boolean', default: false },
  },
});
const [rounds, requestsPerSecond, openStreams, seed] = [values.rounds, values.rate, values.streams, values.seed].map(
  Number,
);
if (!rounds || !requestsPerSecond || !openStreams || !seed) {
  console.error('bun run rehearse [--rounds 2] [--rate 200] [--streams 100] [--seed 1] [--release]: numbers above 0');
  process.exit(2);
}
// It has said how to install it.
if (haproxyPath === null) process.exit(2);

const startedAtMs = Date.now();
const onStep = (name: string) => {
  console.log(`${((Date.now() - startedAtMs) / 1_000).toFixed(1).padStart(6)} s  ${name}`);
};
const release = values.release ? await findLastRelease() : undefined;
const checkout = release && (await checkOut(release));
const beside = release === undefined ? '' : `, with release ${release.version} on the second side`;
console.log(`a rehearsal at ${requestsPerSecond} requests a second and ${openStreams} streams, seed ${seed}${beside}`);
try {
  const options = { rounds, requestsPerSecond, openStreams, seed, calmMs, graceSeconds, onStep };
  const rehearsal = await rehearse({ ...options, secondSource: checkout?.directory });
  console.log(`\n${renderRehearsal(rehearsal)}`);
  process.exitCode = findBroken(rehearsal).length === 0 ? 0 : 1;
} finally {
  await checkout?.remove();
}
