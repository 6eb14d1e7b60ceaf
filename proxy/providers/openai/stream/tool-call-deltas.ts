/**
 * Normalizes the tool calls of one streamed choice. Clients assemble a call by its `index`, take its id and name from
 * its first delta, and parse its arguments. So every call gets its own index, from 0, with its id and name once, and
 * missing arguments become `{}`. Mistral leaves out `index`, Google's compatible endpoint has all calls at 0, and some
 * providers repeat the id in each delta or leave it empty.
 */
import { isObject } from '../../../../shared/members.ts';
import { asArray, asIndex, asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';
import { argumentsText } from '../response/plain-message.ts';

interface OpenCall {
  readonly id: string;
  readonly providerIndex: number | undefined;
  named: boolean;
  hasArguments: boolean;
}

export interface ReadCalls {
  readonly deltas: readonly JsonRecord[];
  /** Whether later deltas that differ only in their arguments would be read the same way. */
  readonly repeatable: boolean;
}

export class ToolCallDeltas {
  readonly #calls: OpenCall[] = [];

  get any(): boolean {
    return this.#calls.length > 0;
  }

  read(value: unknown): ReadCalls {
    const items = isObject(value) ? [value] : asArray(value).filter(isObject);
    let repeatable = true;
    const deltas = items.map((item) => {
      const { position, opened } = this.#find(item);
      const call = this.#calls[position];
      if (call === undefined) throw new Error('a delta of no call');
      const delta = opened ? openingDelta(item, call, position) : laterDelta(item, call, position);
      const sureOfCall = asText(item.id) !== undefined || asText(asRecord(item.function).name) === undefined;
      repeatable &&= !opened && call.hasArguments && sureOfCall;
      return delta;
    });
    return { deltas, repeatable };
  }

  /** Deltas with empty arguments, for the calls that have none. */
  fillMissing(): JsonRecord[] {
    return this.#calls.flatMap((call, index) => {
      if (call.hasArguments) return [];
      call.hasArguments = true;
      return [{ index, function: { arguments: '{}' } }];
    });
  }

  #find(item: JsonRecord): { position: number; opened: boolean } {
    const id = asText(item.id);
    const providerIndex = asIndex(item.index);
    const position = this.#positionOf(id, providerIndex, item);
    if (position >= 0) return { position, opened: false };
    this.#calls.push({
      id: id ?? `call_${crypto.randomUUID().replaceAll('-', '')}`,
      providerIndex,
      named: false,
      hasArguments: item.type === 'custom',
    });
    return { position: this.#calls.length - 1, opened: true };
  }

  /** -1 if the delta begins a call. */
  #positionOf(id: string | undefined, providerIndex: number | undefined, item: JsonRecord): number {
    const own = asRecord(item.function);
    const name = asText(own.name);
    const sameId = id === undefined ? -1 : this.#calls.findIndex((call) => call.id === id);
    if (sameId >= 0) return sameId;
    const sameIndex =
      providerIndex === undefined
        ? name === undefined
          ? this.#calls.length - 1
          : -1
        : this.#calls.findLastIndex((call) => call.providerIndex === providerIndex);
    const at = this.#calls[sameIndex];
    if (at === undefined || name === undefined || !at.named) return sameIndex;
    // Another call at the same index: it has its own id, or complete arguments.
    return id !== undefined || isWhole(own.arguments) ? -1 : sameIndex;
  }
}

function openingDelta(item: JsonRecord, call: OpenCall, index: number): JsonRecord {
  if (item.type === 'custom') return { ...item, index, id: call.id };
  const own = asRecord(item.function);
  const text = argumentsText(own.arguments) ?? '';
  const name = asText(own.name) ?? '';
  call.named = name !== '';
  call.hasArguments = text.trim() !== '';
  return { ...item, index, id: call.id, type: 'function', function: { ...own, name, arguments: text } };
}

function laterDelta(item: JsonRecord, call: OpenCall, index: number): JsonRecord {
  const own = item.function;
  const type = item.type === 'function' ? item.type : undefined;
  if (!isObject(own)) return { ...item, index, id: undefined, type, function: undefined };
  const text = argumentsText(own.arguments);
  const name = call.named ? undefined : asText(own.name);
  call.named ||= name !== undefined;
  call.hasArguments ||= (text ?? '').trim() !== '';
  return { ...item, index, id: undefined, type, function: { ...own, name, arguments: text } };
}

function isWhole(value: unknown): boolean {
  if (typeof value !== 'string') return isObject(value);
  try {
    return isObject(JSON.parse(value));
  } catch {
    return false;
  }
}
