/** What every answer and chunk has beside its choices; made or taken away where the provider's is missing or wrong. */
import { asText, isRecord, type JsonRecord } from '../../../json/record.ts';

export interface AnswerHead {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
}

export type AnswerObject = 'chat.completion' | 'chat.completion.chunk' | 'text_completion';

const idPrefixes: Record<AnswerObject, string> = {
  'chat.completion': 'chatcmpl-',
  'chat.completion.chunk': 'chatcmpl-',
  text_completion: 'cmpl-',
};
const serviceTiers: ReadonlySet<unknown> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast', null]);

/** The head of an answer of which no part is known yet. */
export function makeHead(object: AnswerObject, model: string): AnswerHead {
  return {
    id: `${idPrefixes[object]}${crypto.randomUUID()}`,
    object,
    created: Math.floor(Date.now() / 1_000),
    model,
  };
}

/**
 * The provider's own head, except for the model's name, which is the client's. What the provider leaves out is taken from
 * `otherwise`: Azure's first chunk has all of it empty.
 */
export function readHead(answer: JsonRecord, otherwise: AnswerHead): AnswerHead {
  const { created } = answer;
  return {
    id: asText(answer.id) ?? otherwise.id,
    object: otherwise.object,
    created: typeof created === 'number' && created >= 1 ? Math.floor(created) : otherwise.created,
    model: otherwise.model,
  };
}

/**
 * The answer with this head and these choices, without members of a form that our interface does not know, and without
 * those that name the supplier.
 */
export function withHead(answer: JsonRecord, head: AnswerHead, choices: readonly JsonRecord[]): JsonRecord {
  const mended: Record<string, unknown> = { ...answer, ...head, choices };
  for (const [name, hasForm] of formedMembers) {
    if (Object.hasOwn(answer, name) && !hasForm(answer[name])) mended[name] = undefined;
  }
  return mended;
}

/** The members that have a form of their own. */
const formedMembers = Object.entries<(value: unknown) => boolean>({
  system_fingerprint: (value) => typeof value === 'string',
  obfuscation: (value) => typeof value === 'string',
  service_tier: (value) => serviceTiers.has(value),
  moderation: (value) => value === null || isRecord(value),
  metadata: (value) =>
    value === null || (isRecord(value) && Object.values(value).every((each) => typeof each === 'string')),
  /** OpenRouter's word for who has answered. */
  provider: () => false,
  x_groq: () => false,
});
