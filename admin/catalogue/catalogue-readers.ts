/** Reads the catalogue files of operators in a thread of its own. */
import type { ListedKeys } from '../../shared/config/provider-keys.ts';
import { GatewayError } from '../../shared/errors.ts';
import { Threads, type ThreadsOptions } from '../heavy-work/threads.ts';
import type { CatalogueText } from './catalogue-worker.ts';
import type { LocatedReading } from './locate-problems.ts';

/** Ten thousand models, which take some ten seconds to read. */
export const catalogueMaxBytes = 4 * 1024 * 1024;
const retryAfterSeconds = 30;
const script = new URL('./catalogue-worker.ts', import.meta.url);

export class CatalogueReaders {
  readonly #threads: Threads<CatalogueText, LocatedReading>;

  constructor(options: ThreadsOptions = { threads: 1, timeoutMs: 40_000, idleMs: 60_000 }) {
    this.#threads = new Threads({ script, tooSlow: catalogueTooSlow }, options);
  }

  /** Throws GatewayError `body_too_large`, and `overloaded` if it takes too long. */
  async read(yaml: string, listedKeys: ListedKeys): Promise<LocatedReading> {
    if (Buffer.byteLength(yaml) > catalogueMaxBytes) throw catalogueTooLarge();
    return this.#threads.run({ yaml, listedKeys });
  }

  /** Idle threads end now. */
  stop(): void {
    this.#threads.stop();
  }
}

export function catalogueTooLarge(): GatewayError {
  return new GatewayError('body_too_large', `The catalogue is larger than ${catalogueMaxBytes} bytes.`, {
    param: 'catalogue',
  });
}

export function catalogueTooSlow(): GatewayError {
  return new GatewayError('overloaded', 'The catalogue could not be read in time. Try again later.', {
    retryAfterSeconds,
  });
}
