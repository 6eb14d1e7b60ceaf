/**
 * A streamed choice of only text that needs no changes, as nearly all are, so that its parts need not be normalized.
 * All other choices take the general path, which would give the same result for this one.
 */
import { isObject } from '../../../../shared/members.ts';
import { asIndex, type JsonRecord } from '../../../nouns/json/record.ts';

interface PlainChoice extends JsonRecord {
  readonly index: number;
  readonly delta: JsonRecord;
  readonly finish_reason: 'stop' | 'length' | 'content_filter' | null;
}

/** If true, the choices can be passed on unchanged. */
export function isOnePlainChoice(choices: readonly unknown[]): choices is readonly [PlainChoice] {
  return choices.length === 1 && isPlainChoice(choices[0]);
}

function isPlainChoice(choice: unknown): choice is PlainChoice {
  return (
    isObject(choice) &&
    asIndex(choice.index) !== undefined &&
    isObject(choice.delta) &&
    isPlainDelta(choice.delta) &&
    (choice.logprobs === undefined || choice.logprobs === null) &&
    isPlainEnd(choice.finish_reason) &&
    choice.message === undefined &&
    !isObject(choice.error)
  );
}

function isPlainDelta(delta: JsonRecord): boolean {
  for (const name in delta) {
    const value = delta[name];
    if (name === 'role') {
      if (value !== 'assistant') return false;
    } else if (name === 'content' || name === 'refusal' || name === 'reasoning_content') {
      if (typeof value !== 'string' && value !== null) return false;
    } else return false;
  }
  return true;
}

function isPlainEnd(reason: unknown): boolean {
  return reason === null || reason === 'stop' || reason === 'length' || reason === 'content_filter';
}
