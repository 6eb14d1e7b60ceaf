/**
 * A run: requests are sent and their responses checked, and at intervals, and at the end, their effects on the
 * programs.
 */
import { type Drawn, draw } from './draw.ts';
import { faultsOf, faultsOfAny } from './find-faults.ts';
import { Outcome } from './outcome.ts';
import type { Names } from './requests/fuzz-request.ts';
import { fillTarget } from './requests/message.ts';
import { violationsInTheEnd } from './rest.ts';
import { type Exchange, sendBytes, sendRequest } from './send.ts';
import { Vitals } from './vitals.ts';
import { createWorld, type World } from './world.ts';

export interface RunOptions {
  readonly seed: number;
  readonly requests: number;
  /** Sends only the request with this number. */
  readonly only?: number | undefined;
  /** A response that takes longer, even if the request is repeated alone, is a finding. */
  readonly slowMs: number;
  /** Ends the run early, gracefully. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (sent: number, outcome: Outcome) => void;
}

const concurrency = 8;
/** After this many, the programs are examined and the users replaced. */
const stretch = 250;
const spinMs = 200;

export async function runFuzz(options: RunOptions): Promise<Outcome> {
  const world = await createWorld();
  try {
    const outcome = new Outcome(options.seed);
    const vitals = new Vitals(world);
    const last = options.only ?? options.requests;
    for (let next = options.only ?? 1; next <= last && options.signal?.aborted !== true; next += stretch) {
      const names = await world.renew();
      const numbers = Array.from({ length: Math.min(stretch, last - next + 1) }, (_, index) => next + index);
      await sendAll(numbers, { world, names, outcome, options });
      for (const fault of await vitals.examine()) outcome.add({ numbers: [next, numbers.at(-1) ?? next], fault });
      options.onProgress?.(numbers.at(-1) ?? 0, outcome);
    }
    for (const fault of await violationsInTheEnd(world)) outcome.add({ numbers: [1, last], fault });
    outcome.longestStopSeconds = vitals.longestStopSeconds;
    return outcome;
  } finally {
    await world.stop();
  }
}

interface Sending {
  readonly world: World;
  readonly names: Names;
  readonly outcome: Outcome;
  readonly options: RunOptions;
}

async function sendAll(numbers: readonly number[], sending: Sending): Promise<void> {
  const { outcome, options } = sending;
  const waiting = [...numbers];
  const slow: number[] = [];
  const work = async () => {
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
      const { drawn, names, exchange } = await sendOne(number, sending);
      outcome.count(drawn, exchange);
      for (const fault of faultsIn(exchange, drawn, names)) {
        outcome.add({ numbers: [number], fault, drawn, responses: exchange.responses });
      }
      if (exchange.durationMs > options.slowMs) slow.push(number);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  // Requests that were slow because of others, or of a busy machine, are fast when repeated alone.
  for (const number of slow) {
    const { drawn, exchange } = await sendOne(number, sending);
    const again = await sendOne(number, sending);
    const fastestMs = Math.round(Math.min(exchange.durationMs, again.exchange.durationMs));
    if (fastestMs > options.slowMs * slowness())
      outcome.add({ numbers: [number], fault: `takes ${fastestMs} ms alone`, drawn });
  }
}

/** How much slower than usual everything is because others use this machine: wall-clock time per CPU time. */
function slowness(): number {
  const [before, until] = [process.cpuUsage(), performance.now() + spinMs];
  while (performance.now() < until);
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, (spinMs * 1_000) / (user + system));
}

async function sendOne(number: number, { world, names: known, options }: Sending) {
  const names: Names = { ...known, newEmail: `new-${options.seed}-${number}@example.com` };
  const drawn = draw(options.seed, number, names);
  return { drawn, names, exchange: await send(drawn, world, names) };
}

function send(drawn: Drawn, { programs }: World, names: Names): Promise<Exchange> {
  if (drawn.form === 'request') return sendRequest(programs[drawn.request.program].url, drawn.request, names);
  const methods = drawn.requests.map(({ method }) => method);
  return sendBytes(programs[drawn.program].url, drawn.bytes, { program: drawn.program, methods });
}

function faultsIn({ responses, silence }: Exchange, drawn: Drawn, names: Names): ReadonlySet<string> {
  // If the bytes are not HTTP, there is no operation.
  const requests = drawn.form === 'request' ? [drawn.request] : drawn.bytes.owed === undefined ? [] : drawn.requests;
  const faults = responses.flatMap((response, index) => {
    const request = requests[index];
    if (request === undefined) return faultsOfAny(response);
    return faultsOf({ ...request, target: fillTarget(request, names) }, response);
  });
  return new Set(silence === undefined ? faults : [silence, ...faults]);
}
