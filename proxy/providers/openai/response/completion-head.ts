/**
 * The members of responses and chunks besides the choices. Of the head, missing ones are added, and invalid ones removed;
 * the usage is wherever an OpenAI-compatible provider puts it.
 */
import { isObject } from '../../../../shared/members.ts';
import { asArray, asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';
import { readUsage, type Usage, type UsageNames, withTier } from '../../../nouns/usage.ts';

export interface CompletionHead {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
}

export type CompletionObject = 'chat.completion' | 'chat.completion.chunk' | 'text_completion';

const idPrefixes: Record<CompletionObject, string> = {
  'chat.completion': 'chatcmpl-',
  'chat.completion.chunk': 'chatcmpl-',
  text_completion: 'cmpl-',
};
const serviceTiers: ReadonlySet<unknown> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast', null]);

/** The head of a response before anything of it is known. */
export function makeHead(object: CompletionObject, model: string): CompletionHead {
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
export function readHead(response: JsonRecord, fallback: CompletionHead): CompletionHead {
  const { created } = response;
  return {
    id: asText(response.id) ?? fallback.id,
    object: fallback.object,
    created: typeof created === 'number' && created >= 1 ? Math.floor(created) : fallback.created,
    model: fallback.model,
  };
}

/**
 * The response with this head and these choices, without members whose format does not fit our API, and without
 * those that name the supplier.
 */
export function withHead(response: JsonRecord, head: CompletionHead, choices: readonly JsonRecord[]): JsonRecord {
  const normalized: Record<string, unknown> = { ...response, ...head, choices };
  for (const [name, isValid] of checkedMembers) {
    if (Object.hasOwn(response, name) && !isValid(response[name])) normalized[name] = undefined;
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
export function findUsage(response: JsonRecord, names: UsageNames): Usage | null {
  const usage =
    readUsage(response.usage, names) ??
    readUsage(asRecord(response.x_groq).usage, names) ??
    readUsage(asRecord(asArray(response.choices)[0]).usage, names);
  return withTier(usage, response.service_tier);
}
