/** What the parser makes of bytes that arrive in pieces, as one value that can be compared. */
import { ProtocolError, ResponseParser } from '../../../../../proxy/request/upstream/http/response-parser.ts';

export interface ReadMessage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  body: string;
  /** Undefined until the end. */
  isReusable: boolean | undefined;
}

export interface ReadOutcome {
  readonly messages: readonly ReadMessage[];
  readonly problem: string | undefined;
}

/** Each response is expected only once the one before has ended, as a connection does. */
export function readResponses(
  pieces: readonly Buffer[],
  { method = 'POST', responses = 1, closes = false } = {},
): ReadOutcome {
  const messages: ReadMessage[] = [];
  let asked = 1;
  const last = () => {
    const message = messages.at(-1);
    if (message === undefined) throw new Error('a body without a head');
    return message;
  };
  const parser: ResponseParser = new ResponseParser({
    head: ({ status, headers }) =>
      messages.push({ status, headers: Object.fromEntries(headers), body: '', isReusable: undefined }),
    data: (bytes) => {
      last().body += Buffer.from(bytes).toString('latin1');
    },
    end: (isReusable) => {
      last().isReusable = isReusable;
      if (!isReusable || asked === responses) return;
      asked += 1;
      parser.expect(method);
    },
  });
  parser.expect(method);
  try {
    for (const piece of pieces) parser.push(piece);
    if (closes) parser.close();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { messages, problem: error.message };
  }
  return { messages, problem: undefined };
}

export function splitAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const borders = [0, ...places, bytes.length];
  return borders.slice(1).map((border, index) => bytes.subarray(borders[index], border));
}
