/** Draws documents in threads of their own. */
import { GatewayError } from '../../../shared/errors.ts';
import { Threads, type ThreadsOptions } from '../../heavy-work/threads.ts';
import type { DocumentData } from '../document-data.ts';
import type { Look } from '../render/forms/signature-fields.ts';
import type { Drawing } from './pdf-worker.ts';

const retryAfterSeconds = 30;
const script = new URL('./pdf-worker.ts', import.meta.url);

export class PdfWorkers {
  readonly #threads: Threads<Drawing, Uint8Array>;

  /** A thousand lines are drawn in about a second. */
  constructor(options: ThreadsOptions = { threads: 2, timeoutMs: 30_000, idleMs: 60_000 }) {
    this.#threads = new Threads({ script, tooSlow }, options);
  }

  /** Throws GatewayError `overloaded` if it takes too long, and what drawing throws. */
  draw(data: DocumentData, look: Look): Promise<Uint8Array> {
    return this.#threads.run({ data, look });
  }

  /** Idle threads end now. */
  stop(): void {
    this.#threads.stop();
  }
}

export function tooSlow(): GatewayError {
  return new GatewayError('overloaded', 'The document could not be drawn in time. Try again later.', {
    retryAfterSeconds,
  });
}
