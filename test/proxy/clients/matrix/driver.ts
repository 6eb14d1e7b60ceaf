/** What every client of the matrix is asked to do. A driver says it in the words of its client, and judges nothing. */
import type { ZodType } from 'zod';

/** How a client reaches the gateway. */
export interface Session {
  /** Without `/v1`. */
  readonly url: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How often the client may try again. */
  readonly retries: number;
  readonly fetch: typeof fetch;
}

export interface Question {
  readonly model: string;
  readonly prompt: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
}

export interface Answer {
  readonly text: string;
  /** What the client hands out, where `Places` say what is found in it. */
  readonly given: unknown;
}

export interface ToolCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly input: unknown;
}

/** Two turns: the model's calls, and what it said when each was answered with `of <name>`. */
export interface ToolTalk {
  readonly calls: readonly ToolCall[];
  readonly text: string;
}

/** What there is to say of a cell. */
export class Remark {
  constructor(readonly text: string) {}
}

/** The client has no such thing. */
export class Cannot extends Remark {}

/** Names of members, from the outside in. */
export type Path = readonly string[];

/** Where a client shows what the gateway tells. */
export interface Places {
  readonly promptTokens: Path;
  readonly completionTokens: Path;
  readonly cost: Path;
  /** Of an error. */
  readonly status: Path;
  readonly code: Path;
  readonly requestId: Path;
  /** The code of an error that comes in mid-stream. */
  readonly streamCode: Path;
}

/** `unsaid`: the client asks as it does by itself. */
export type EmbeddingFormat = 'unsaid' | 'float' | 'base64';

/** A vector for each text. */
export type Embed = (
  session: Session,
  order: { readonly model: string; readonly texts: string[] },
) => Promise<readonly (readonly number[])[]>;

export interface Driver {
  readonly title: string;
  readonly packages: readonly string[];
  readonly places: Places;
  whole(session: Session, question: Question): Promise<Answer>;
  /** Where `onText` returns false, the client leaves in mid-stream. */
  stream(session: Session, question: Question, onText?: (text: string) => boolean): Promise<Answer>;
  talkWithTools(session: Session, question: Question, options: { stream: boolean }): Promise<ToolTalk>;
  readObject(session: Session, question: Question, schema: ZodType): Promise<unknown>;
  /** Continues a text, by the older interface. */
  readonly complete:
    | Cannot
    | ((session: Session, question: Question, options: { readonly stream: boolean }) => Promise<string>);
  readonly embed: Readonly<Record<EmbeddingFormat, Cannot | Embed>>;
  readonly listModels: Cannot | ((session: Session) => Promise<readonly string[]>);
  /** How a stream is left, where it takes more than to leave the loop or to abort the call. */
  readonly leaving?: Remark;
  /** The error that the gateway has caused, where the client wraps it. */
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
