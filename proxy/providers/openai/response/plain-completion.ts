/**
 * A chat completion that needs no changes, as nearly all are: only text, with no missing or additional members. Then its parts
 * need not be normalized. Written out, because a compiled schema makes lists of the members of each object it looks at.
 */
import { isObject } from '../../../../shared/members.ts';
import { hasOnly, type JsonRecord } from '../../../nouns/json/record.ts';

export interface PlainCompletion extends JsonRecord {
  readonly choices: readonly { readonly message: JsonRecord }[];
}

const members: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'choices', 'usage', 'system_fingerprint', 'service_tier'],
]);
const choiceMembers: ReadonlySet<string> = new Set(['index', 'message', 'logprobs', 'finish_reason']);
const messageMembers: ReadonlySet<string> = new Set(['role', 'content', 'refusal', 'annotations']);
const reasons: ReadonlySet<unknown> = new Set(['stop', 'length', 'content_filter']);
const tiers: ReadonlySet<unknown> = new Set([undefined, 'auto', 'default', 'flex', 'priority']);

export function isPlainCompletion(response: unknown): response is PlainCompletion {
  if (!isObject(response) || !hasOnly(response, members)) return false;
  const { id, object, created, model, choices, usage, system_fingerprint: fingerprint, service_tier: tier } = response;
  return (
    isName(id) &&
    object === 'chat.completion' &&
    isWholeFrom(1, created) &&
    isName(model) &&
    isObject(usage) &&
    (fingerprint === undefined || typeof fingerprint === 'string') &&
    tiers.has(tier) &&
    Array.isArray(choices) &&
    choices.length > 0 &&
    choices.every(isPlainChoice)
  );
}

function isPlainChoice(choice: unknown): boolean {
  if (!isObject(choice) || !hasOnly(choice, choiceMembers)) return false;
  const { index, message, logprobs, finish_reason: reason } = choice;
  return isWholeFrom(0, index) && logprobs === null && reasons.has(reason) && isPlainMessage(message);
}

function isPlainMessage(message: unknown): boolean {
  if (!isObject(message) || !hasOnly(message, messageMembers)) return false;
  const { role, content, refusal, annotations } = message;
  // Citations are checked one by one; models that cannot search have none.
  const hasCitations = annotations !== undefined && !(Array.isArray(annotations) && annotations.length === 0);
  const isRefusal = refusal === null || typeof refusal === 'string';
  return role === 'assistant' && typeof content === 'string' && isRefusal && !hasCitations;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isWholeFrom(least: number, value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= least;
}
