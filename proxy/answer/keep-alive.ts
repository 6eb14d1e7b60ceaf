/**
 * Comments in a stream that has fallen silent, so that neither a client nor anything on the way takes it for dead.
 *
 * While a piece is awaited the reader's read is pending, and a comment can be given to it in place of the piece. One
 * timer at a time belongs to a stream. A piece only notes when it came; the timer finds that out when it fires, and is
 * set again for the rest. So a busy stream costs one timer in 15 seconds, and none for each piece.
 */

const ping = new TextEncoder().encode(': ping\n\n');

export interface PulledSource {
  /** Gives a piece to the controller; resolves to false where it has closed it instead. */
  pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<boolean>;
  cancel(): void;
}

/** `silentMs`: so long has it been silent already. */
export function withPings(
  source: PulledSource,
  { intervalMs, silentMs = 0 }: { intervalMs: number; silentMs?: number },
) {
  let lastSentAtMs = performance.now() - silentMs;
  let waiting: ReadableStreamDefaultController<Uint8Array> | undefined;
  let timer: Timer | undefined;

  const arm = (ms: number) => {
    timer = setTimeout(onTimer, ms);
  };
  const onTimer = () => {
    timer = undefined;
    // Nobody is waiting: the client reads slowly, and there is more for him than he takes.
    if (waiting === undefined) return;
    const waitMs = lastSentAtMs + intervalMs - performance.now();
    if (waitMs > 0) return arm(waitMs);
    // Below 0 there is an earlier comment that has not been taken yet.
    if (waiting.desiredSize === 0) waiting.enqueue(ping);
    lastSentAtMs = performance.now();
    arm(intervalMs);
  };

  return {
    pull: async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      waiting = controller;
      if (timer === undefined) arm(lastSentAtMs + intervalMs - performance.now());
      const goesOn = await source.pull(controller);
      waiting = undefined;
      lastSentAtMs = performance.now();
      if (!goesOn) clearTimeout(timer);
    },
    cancel: () => {
      waiting = undefined;
      clearTimeout(timer);
      source.cancel();
    },
  };
}
