/**
 * A large body is bytes as long as its request may be sent again. Its text and its value exist only while something is
 * made of them, on the workbench.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { parseJsonObject } from '../../../shared/http/check-value.ts';
import type { Body } from '../../../shared/http/intake/body.ts';
import { waitingMemory, workMemory } from '../../../shared/http/intake/body-memory.ts';
import { nextTurn } from '../../../shared/next-turn.ts';
import { withUniqueNames } from './unique-names.ts';
import type { Workbench } from './workbench.ts';

export interface ParsedBody {
  /** JSON in which no object has the same name twice, so that every reader understands it the same way. */
  readonly text: string;
  /** The text, parsed. */
  readonly value: object;
}

const decoder = new TextDecoder();

export class LargeBody {
  readonly #body: Body;
  readonly #workbench: Workbench;
  #bytes: Buffer<ArrayBuffer> | undefined;
  #kept = 0;

  constructor(body: Body, workbench: Workbench) {
    this.#body = body;
    this.#workbench = workbench;
  }

  /** In UTF-8, what was parsed. */
  get bytes(): Buffer<ArrayBuffer> {
    if (this.#bytes === undefined) throw new Error('the body was dropped');
    return this.#bytes;
  }

  /** Reads it for the first time. Rejects with GatewayError: 400, and 503 if there is no memory for it. */
  read<Result>(use: (parsed: ParsedBody) => Result | Promise<Result>): Promise<Result> {
    return this.#workbench.run('read', async () => {
      const { members } = this.#body;
      const sent = this.#body.takeBytes();
      // Every decoder replaces what is not UTF-8; a provider's may do so differently.
      this.#bytes = isUtf8(sent) ? sent : Buffer.from(decoder.decode(sent));
      await nextTurn();
      const { text, value } = await this.parse();
      const unique = withUniqueNames(text, { value, members });
      if (unique !== text) this.#bytes = Buffer.from(unique);
      const result = use({ text: unique, value });
      this.#body.count(waitingMemory(this.bytes.length, isAscii(this.bytes)));
      return result;
    });
  }

  /** `make` returns what is sent of it; it may parse it again. `besides` is the memory of what else is kept. */
  send(make: () => Promise<Blob>, besides: number): Promise<Blob> {
    return this.#workbench.run('send', async () => {
      const sent = await make();
      this.#kept = sent.size + besides;
      this.#body.count(this.bytes.length + this.#kept);
      return sent;
    });
  }

  /** To be called by `make`. */
  async parse(): Promise<ParsedBody> {
    const { bytes } = this;
    this.#body.count(workMemory(bytes.length, isAscii(bytes)));
    const text = decoder.decode(bytes);
    await nextTurn();
    const value = parseJsonObject(text);
    await nextTurn();
    return { text, value };
  }

  /** It is not sent again. */
  close(): void {
    this.#bytes = undefined;
    this.#body.count(this.#kept);
  }
}
