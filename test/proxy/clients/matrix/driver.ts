/** What every client of the matrix has to do. A driver does it with its client's API, without checking the results. */
import type { ZodType } from 'zod';

/** How a client reaches the gateway. */
export interface Session {
  /** Without `/v1`. */
  readonly url: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How often the client may retry. */
  readonly retries: number;
  readonly fetch: typeof fetch;
}

export interface Question {
  readonly model: string;
  readonly prompt: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
}

export interface ClientResponse {
  readonly text: string;
  /** What the client returns; `Places` say where to find values in it. */
  readonly given: unknown;
}

export interface ToolCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly input: unknown;
}

/** Two turns: the model's calls, and its text after each call got the result `of <name>`. */
export interface ToolTalk {
  readonly calls: readonly ToolCall[];
  readonly text: string;
}

/** A remark on a cell of the matrix. */
export class Remark {
  constructor(readonly text: string) {}
}

/** The client does not support it. */
export class Cannot extends Remark {}

/** Member names, from the outside in. */
export type Path = readonly string[];

/** Where a client exposes values of the gateway's response. */
export interface Places {
  readonly promptTokens: Path;
  readonly completionTokens: Path;
  readonly cost: Path;
  /** In an error. */
  readonly status: Path;
  readonly code: Path;
  readonly requestId: Path;
  /** The code of an error that occurs mid-stream. */
  readonly streamCode: Path;
}

/** `unsaid`: the client's default. */
export type EmbeddingFormat = 'unsaid' | 'float' | 'base64';

/** A vector for each text. */
export type Embed = (
  session: Session,
  request: { readonly model: string; readonly texts: string[] },
) => Promise<readonly (readonly number[])[]>;

export interface Found {
  readonly text: string;
  readonly urls: readonly string[];
}

export interface Driver {
  readonly title: string;
  readonly packages: readonly string[];
  readonly places: Places;
  whole(session: Session, question: Question): Promise<ClientResponse>;
  /** If `onText` returns false, the client leaves mid-stream. */
  stream(session: Session, question: Question, onText?: (text: string) => boolean): Promise<ClientResponse>;
  talkWithTools(session: Session, question: Question, options: { stream: boolean }): Promise<ToolTalk>;
  readObject(session: Session, question: Question, schema: ZodType): Promise<unknown>;
  /** Continues a text, with the older API format. */
  readonly complete:
    | Cannot
    | ((session: Session, question: Question, options: { readonly stream: boolean }) => Promise<string>);
  readonly embed: Readonly<Record<EmbeddingFormat, Cannot | Embed>>;
  /** Speaks a text, as a WAV file. */
  readonly speak: Cannot | ((session: Session, request: { model: string; text: string }) => Promise<Uint8Array>);
  /** Transcribes a WAV file. */
  readonly transcribe: Cannot | ((session: Session, request: { model: string; file: Uint8Array }) => Promise<string>);
  /** Whether each text is harmful. */
  readonly moderate: Cannot | ((session: Session, request: { model: string; texts: string[] }) => Promise<boolean[]>);
  /** The places of the best two texts, the best first. */
  readonly rerank:
    | Cannot
    | ((session: Session, request: { model: string; query: string; texts: string[] }) => Promise<number[]>);
  /** Asks a model that may search the web, and returns its text with the addresses of what it cites. */
  readonly searchWeb: Cannot | ((session: Session, question: Question) => Promise<Found>);
  /** Uploads an input of a batch, runs it, and returns the lines of its output. */
  readonly runBatch: Cannot | ((session: Session, input: string) => Promise<string>);
  readonly listModels: Cannot | ((session: Session) => Promise<readonly string[]>);
  /** How to leave a stream, if it takes more than leaving the loop or aborting the call. */
  readonly leaving?: Remark;
  /** Unwraps the gateway's error, if the client wraps it. */
  unwrap?(error: unknown): unknown;
}

export function at(value: unknown, path: Path): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}
