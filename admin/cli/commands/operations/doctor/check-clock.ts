/** Whether two machines agree on the time. Expiry, windows of limits and months of usage depend on it. */
import type { Finding } from './finding.ts';

const warnMs = 1_000;
/** Signatures of payment providers and of AWS are refused after minutes, tokens before that. */
const failMs = 30_000;

/** `readMs` asks the other machine for its time; half of the way is subtracted. */
export async function checkClock(check: string, readMs: () => Promise<number>): Promise<Finding> {
  const sentAtMs = Date.now();
  const theirsMs = await readMs();
  const oursMs = (sentAtMs + Date.now()) / 2;
  return clockFinding(check, theirsMs - oursMs);
}

export function clockFinding(check: string, aheadMs: number): Finding {
  const size = Math.abs(aheadMs);
  if (size < warnMs) return { check, status: 'ok', detail: 'its clock agrees with this machine’s' };
  const detail = `its clock is ${(size / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine’s`;
  const advice = 'Run chrony or systemd-timesyncd on both machines.';
  return { check, status: size < failMs ? 'warn' : 'fail', detail, advice };
}
