/**
 * The members of answers and chunks besides the choices. Of the head, missing ones are added, and invalid ones removed;
 * the usage is wherever an OpenAI-compatible provider puts it.
 */
import { isObject } from '../../../../shared/members.ts';
import { asArray, asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';
import { readUsage, type Usage, type UsageNames } from '../../../nouns/usage.ts';

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

/** The head of a response before anything of it is known. */
export function makeHead(object: AnswerObject, model: string): AnswerHead {
  return {
    id: `${idPrefixes[object]}${crypto.randomUUID()}`,
    object,
    created: Math.floor(Date.now() / 1_000),
    model,
  };
}

/**
 * The provider's own head, except for the model, which is the client's. Members that the provider leaves out are taken
 * from `fallback`: in Azure's first chunk, all of them are empty.
 */
export function readHead(answer: JsonRecord, fallback: AnswerHead): AnswerHead {
  const { created } = answer;
  return {
    id: asText(answer.id) ?? fallback.id,
    object: fallback.object,
    created: typeof created === 'number' && created >= 1 ? Math.floor(created) : fallback.created,
    model: fallback.model,
  };
}

/**
 * The response with this head and these choices, without members whose format does not fit our API, and without
 * those that name the supplier.
 */
export function withHead(answer: JsonRecord, head: AnswerHead, choices: readonly JsonRecord[]): JsonRecord {
  const normalized: Record<string, unknown> = { ...answer, ...head, choices };
  for (const [name, isValid] of checkedMembers) {
    if (Object.hasOwn(answer, name) && !isValid(answer[name])) normalized[name] = undefined;
  }
  return normalized;
}

/** The members whose format is checked. */
const checkedMembers = Object.entries<(value: unknown) => boolean>({
  system_fingerprint: (value) => typeof value === 'string',
  obfuscation: (value) => typeof value === 'string',
  service_tier: (value) => serviceTiers.has(value),
  moderation: (value) => value === null || isObject(value),
  metadata: (value) =>
    value === null || (isObject(value) && Object.values(value).every((each) => typeof each === 'string')),
  /** OpenRouter's name of the supplier. */
  provider: () => false,
  x_groq: () => false,
});

/** The usage. Null if it is missing or absurd. Groq also has it in `x_groq`, and Moonshot's streams in the choice. */
export function findUsage(answer: JsonRecord, names: UsageNames): Usage | null {
  return (
    readUsage(answer.usage, names) ??
    readUsage(asRecord(answer.x_groq).usage, names) ??
    readUsage(asRecord(asArray(answer.choices)[0]).usage, names)
  );
}
