/** The machine of the measurement, without which the figures mean nothing. */
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { contenderCore, otherCores, whyNotPinned } from '../measure/pin.ts';

export function describeMachine(): string[] {
  const notPinned = whyNotPinned();
  return [
    ...describeHost(),
    notPinned === undefined
      ? `the contender alone on core ${contenderCore}; upstream, load generator, Redis, admin and Postgres on core ${otherCores}`
      : `nothing pinned: ${notPinned}`,
    describeLoad(),
  ];
}

/** For benchmarks that pin nothing. */
export function describeHost(): string[] {
  return [
    `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 1024 ** 3)} GiB`,
    `${distribution()}, Linux ${release()}, Bun ${Bun.version}`,
  ];
}

/** How busy the machine is now: call it before the measurement. */
export function describeLoad(): string {
  const [load = 0] = loadavg();
  return `load average before the start: ${load.toFixed(2)}${load > 0.5 ? ', so **the machine was not idle**' : ''}`;
}

function distribution(): string {
  try {
    return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'Linux';
  } catch {
    return 'Linux';
  }
}
