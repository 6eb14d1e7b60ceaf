/** A request as the bytes of HTTP/1.1. */
import { type FuzzRequest, fill, insideJson, type Names } from './fuzz-request.ts';

export interface Message {
  /** `GET /v1/models HTTP/1.1`. */
  readonly line: string;
  /** Whole lines: `Host: a`. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

export function messageOf(request: FuzzRequest, names: Names): Message {
  const { pathname, search } = new URL(fillTarget(request, names), 'http://gateway.test');
  const body = bodyOf(request, names);
  return {
    line: `${request.method} ${pathname}${search} HTTP/1.1`,
    headers: [
      'Host: gateway.test',
      ...headersOf(request, names).map(([name, value]) => `${name}: ${value}`),
      ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
    ],
    body: body ?? new Uint8Array(),
  };
}

export function renderMessage({ line, headers, body }: Message): Uint8Array {
  return Buffer.concat([Buffer.from(`${[line, ...headers].join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

export function fillTarget({ target }: FuzzRequest, names: Names): string {
  return fill(target, names, encodeURIComponent);
}

export function headersOf({ headers }: FuzzRequest, names: Names): [name: string, value: string][] {
  return headers.map(([name, value]) => [name, fill(value, names)]);
}

export function bodyOf({ body }: FuzzRequest, names: Names): Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined) return undefined;
  const text = fill(body.text, names, insideJson);
  switch (body.encoding) {
    case 'utf-8':
      return bytes(text);
    case 'utf-8 with a mark':
      return bytes(`\ufeff${text}`);
    case 'utf-16':
      return new Uint8Array(Buffer.from(text, 'utf16le'));
    case 'latin-1':
      return new Uint8Array(Buffer.from(`${text.slice(0, -1)}é${text.slice(-1)}`, 'latin1'));
    case 'gzip':
      return Bun.gzipSync(bytes(text));
    case 'cut inside of a character':
      return bytes(text.replace('}', ',"cut":"€').replace(/€.*$/s, '€')).slice(0, -1);
  }
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
