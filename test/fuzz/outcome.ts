/** The outcome of a run: how often each operation had which response, the slowest ones, and the findings. */
import type { Drawn } from './draw.ts';
import { whyKnown } from './find-faults.ts';
import type { RawResponse } from './read-responses.ts';
import type { ProgramName } from './requests/operations.ts';
import type { Exchange } from './send.ts';

export interface Finding {
  /** The request, or the first and the last one that may have caused it. */
  readonly numbers: readonly number[];
  readonly fault: string;
  readonly drawn?: Drawn;
  readonly responses?: readonly RawResponse[];
}

const slowestKept = 5;

export class Outcome {
  readonly findings: Finding[] = [];
  /** Why a fault is known, and how often it occurred. */
  readonly known = new Map<string, number>();
  /** Route, or kind of bytes, to status to count. */
  readonly responses = new Map<string, Map<string, number>>();
  slowest: { readonly what: string; readonly durationMs: number }[] = [];
  longestStopSeconds: Readonly<Record<ProgramName, number>> = { proxy: 0, admin: 0 };
  requests = 0;

  constructor(readonly seed: number) {}

  add(finding: Finding): void {
    const { drawn, fault } = finding;
    const why = whyKnown(drawn?.form === 'bytes' ? drawn.bytes.kind : undefined, fault);
    if (why === undefined) this.findings.push(finding);
    else this.known.set(why, (this.known.get(why) ?? 0) + 1);
  }

  count(drawn: Drawn, { responses, durationMs }: Exchange): void {
    this.requests += 1;
    const what = nameOf(drawn);
    const counts = this.responses.get(what) ?? new Map<string, number>();
    this.responses.set(what, counts);
    for (const status of responses.length === 0 ? ['none'] : responses.map(({ status }) => String(status))) {
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    if (drawn.form === 'bytes' && drawn.bytes.owed === undefined) return;
    this.slowest = [...this.slowest, { what, durationMs }]
      .sort((one, other) => other.durationMs - one.durationMs)
      .slice(0, slowestKept);
  }
}

function nameOf(drawn: Drawn): string {
  if (drawn.form === 'bytes') return `bytes: ${drawn.bytes.kind}`;
  return `${drawn.operation.method} ${drawn.operation.path}`;
}
