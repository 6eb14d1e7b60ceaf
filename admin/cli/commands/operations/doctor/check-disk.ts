/** Free space for the data of a server that runs on this machine; of any other machine nothing can be seen from here. */
import { statfsSync } from 'node:fs';
import type { Finding } from './finding.ts';

const warnShare = 0.15;
const failShare = 0.05;
const gibibyte = 1024 ** 3;

/** None if the server is elsewhere, or its folder cannot be seen. */
export function checkDisk(check: string, { host, folder }: { host: string; folder: string }): Finding[] {
  if (!['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost'].includes(host)) return [];
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return [diskFinding(check, { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize })];
  } catch {
    return [];
  }
}

interface Disk {
  readonly folder: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export function diskFinding(check: string, { folder, freeBytes, totalBytes }: Disk): Finding {
  const share = totalBytes === 0 ? 0 : freeBytes / totalBytes;
  const detail = `${(freeBytes / gibibyte).toFixed(1)} GiB (${Math.round(share * 100)} %) are free at ${folder}`;
  if (share >= warnShare) return { check, status: 'ok', detail };
  const advice =
    'Free space or enlarge the disk. `gateway archive` moves the charges of past months to files elsewhere.';
  return { check, status: share >= failShare ? 'warn' : 'fail', detail, advice };
}
