/** One connection to the upstream: reads requests and responses each with the script of its model. */
import type { Socket } from 'bun';
import { MessageReader } from '../http/message-reader.ts';
import { SocketWriter } from '../http/socket-writer.ts';
import type { Pacer } from './pacer.ts';
import { notFound, type Script, scripts } from './scripts.ts';

/** At any position: a gateway that changes a body may append the changed members. */
const modelName = /"model": ?"(?:[^"/]*\/)?([^"]*)"/;
const modelMember = Buffer.from('"model"');
/** Longer than the member, which the network may split anywhere. */
const memberBytesMax = 128;

export class Session {
  readonly #writer: SocketWriter;
  readonly #pacer: Pacer;
  readonly #reader: MessageReader;
  #model: string | undefined;
  #tail = Buffer.alloc(0);
  #isOpen = true;

  constructor(socket: Socket<Session | undefined>, pacer: Pacer) {
    this.#writer = new SocketWriter(socket);
    this.#pacer = pacer;
    this.#reader = new MessageReader({
      head: () => {
        this.#model = undefined;
        this.#tail = Buffer.alloc(0);
      },
      body: (bytes) => {
        if (this.#model === undefined) this.#lookForModel(bytes);
      },
      end: () => this.#response(scripts[this.#model ?? '']),
    });
  }

  read(data: Buffer): void {
    this.#reader.feed(data);
  }

  drain(): void {
    this.#writer.drain();
  }

  close(): void {
    this.#isOpen = false;
  }

  #lookForModel(bytes: Buffer): void {
    const seen = this.#tail.length === 0 ? bytes : Buffer.concat([this.#tail, bytes]);
    const at = seen.indexOf(modelMember);
    if (at !== -1) this.#model = modelName.exec(seen.toString('latin1', at, at + memberBytesMax))?.[1];
    this.#tail = Buffer.from(seen.subarray(-memberBytesMax));
  }

  #response(script: Script | undefined): void {
    if (script === undefined) this.#writer.write(notFound);
    else if (script.kind === 'whole') this.#writer.write(script.response);
    else this.#stream(script);
  }

  #stream(script: Script & { kind: 'stream' }): void {
    this.#writer.write(script.head);
    let sent = 0;
    const next = () => {
      if (!this.#isOpen) return false;
      sent += 1;
      this.#writer.write(script.chunk);
      if (sent < script.chunks) return true;
      this.#writer.write(script.end);
      return false;
    };
    this.#pacer.add({ everyMs: script.everyMs, next });
  }
}
