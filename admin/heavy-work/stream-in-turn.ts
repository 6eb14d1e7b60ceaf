/** A response that is streamed in a turn of heavy work: the turn ends when the stream has, however that comes. */
import { findOutage } from '../database/unavailable.ts';
import type { HeavyTask, HeavyWork } from './heavy-work.ts';

/** Millions of rows take some minutes; a reader who takes longer holds up others. */
const timeoutMs = 15 * 60_000;

/** For how long a caller can read on after their session or role has ended. */
const reauthorizeMs = 1_000;

export interface StreamTask extends HeavyTask {
  /** Throws once the caller may no longer read the response. */
  readonly reauthorize: () => Promise<unknown>;
}

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * `open` gets a signal that is aborted when the client disconnects, may no longer read the response, or the time is up; what it
 * opens is then canceled, and the response is interrupted. Throws as `HeavyWork.begin` and `open` do.
 */
export async function streamInTurn(
  work: HeavyWork,
  task: StreamTask,
  open: (signal: AbortSignal) => Promise<Bytes>,
): Promise<Bytes> {
  const endTurn = await work.begin(task);
  const refused = new AbortController();
  const signal = AbortSignal.any([task.signal, AbortSignal.timeout(timeoutMs), refused.signal]);
  const stopWatching = watch(task, (refusal) => refused.abort(refusal));
  const end = () => {
    stopWatching();
    endTurn();
  };
  try {
    return endingWith(await open(signal), signal, end);
  } catch (error) {
    end();
    throw error;
  }
}

/** Returns what stops it. */
function watch({ reauthorize }: StreamTask, refuse: (refusal: unknown) => void): () => void {
  let isStopped = false;
  let timer: Timer | undefined;
  const wait = () => {
    if (!isStopped) timer = setTimeout(() => reauthorize().then(wait, refuseOrWait), reauthorizeMs);
  };
  // While Postgres cannot be asked, nobody has been refused.
  const refuseOrWait = (error: unknown) => (findOutage(error) === undefined ? refuse(error) : wait());
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

function endingWith(source: Bytes, signal: AbortSignal, end: () => void): Bytes {
  const reader = source.getReader();
  const cut = () => {
    end();
    // The source may have failed already.
    reader.cancel(signal.reason).catch(() => {});
  };
  signal.addEventListener('abort', cut, { once: true });
  if (signal.aborted) cut();
  const finish = () => {
    signal.removeEventListener('abort', cut);
    end();
  };
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        // A reader that was cut says that it is done.
        signal.throwIfAborted();
        if (!done) return controller.enqueue(value);
        finish();
        controller.close();
      } catch (error) {
        finish();
        throw error;
      }
    },
    cancel: async (reason) => {
      finish();
      await reader.cancel(reason);
    },
  });
}
