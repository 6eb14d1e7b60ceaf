/** One connection to the upstream: reads requests and answers each as the script of its model says. */
import type { Socket } from 'bun';
import { MessageReader } from '../http/message-reader.ts';
import { SocketWriter } from '../http/socket-writer.ts';
import type { Pacer } from './pacer.ts';
import { notFound, type Script, scripts } from './scripts.ts';

/** The model stands at the beginning of a body. */
const lookedThroughBytes = 4096;
const modelName = /"model": ?"(?:[^"/]*\/)?([^"]*)"/;

export class Session {
  readonly #writer: SocketWriter;
  readonly #pacer: Pacer;
  readonly #reader: MessageReader;
  #beginning = '';
  #isOpen = true;

  constructor(socket: Socket<Session | undefined>, pacer: Pacer) {
    this.#writer = new SocketWriter(socket);
    this.#pacer = pacer;
    this.#reader = new MessageReader({
      head: () => {
        this.#beginning = '';
      },
      body: (bytes) => {
        const wanted = lookedThroughBytes - this.#beginning.length;
        if (wanted > 0) this.#beginning += bytes.toString('latin1', 0, Math.min(wanted, bytes.length));
      },
      end: () => this.#answer(scripts[modelName.exec(this.#beginning)?.[1] ?? '']),
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

  #answer(script: Script | undefined): void {
    if (script === undefined) this.#writer.write(notFound);
    else if (script.kind === 'whole') this.#writer.write(script.answer);
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
