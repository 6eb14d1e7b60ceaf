/** The requests of a job, rendered before the first one is sent; keys take turns. */
import type { LoadJob } from './job.ts';

export class Requests {
  readonly #rendered: readonly Buffer[];
  #next = 0;

  constructor({ port, keys, headers, body }: Pick<LoadJob, 'port' | 'keys' | 'headers' | 'body'>) {
    this.#rendered = keys.map((key) => {
      const lines = [
        'POST /v1/chat/completions HTTP/1.1',
        `Host: 127.0.0.1:${port}`,
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        'Accept: application/json',
        'User-Agent: gateway-bench',
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        `Content-Length: ${Buffer.byteLength(body)}`,
      ];
      return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
    });
  }

  next(): Buffer {
    const request = this.#rendered[this.#next % this.#rendered.length];
    if (request === undefined) throw new Error('a job needs a key');
    this.#next += 1;
    return request;
  }
}
