/** The choices of a streamed chat completion. */
import { isObject, withoutUndefined } from '../../../../shared/members.ts';
import { asArray, asIndex, asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import { readFinishReason } from '../response/finish-reason.ts';
import { chatLogProbabilities } from '../response/log-probabilities.ts';
import { generatedAudio, generatedTexts, plainMessage } from '../response/plain-message.ts';
import { reportedFailure } from '../response/read-response-object.ts';
import type { ChoiceReader, GeneratedText, ReadChoices } from './choice-reader.ts';
import { isOnePlainChoice } from './plain-delta.ts';
import { ToolCallDeltas } from './tool-call-deltas.ts';

interface ChoiceState {
  finished: boolean;
  readonly calls: ToolCallDeltas;
}

interface ReadChoice {
  readonly parts: readonly JsonRecord[];
  readonly generated: readonly GeneratedText[];
  readonly audio: string | undefined;
  readonly repeatable: boolean;
}

const roles: ReadonlySet<unknown> = new Set(['developer', 'system', 'user', 'assistant', 'tool']);

export class ChatChoices implements ChoiceReader {
  readonly #states = new Map<number, ChoiceState>();

  get complete(): boolean {
    for (const { finished } of this.#states.values()) {
      if (!finished) return false;
    }
    return this.#states.size > 0;
  }

  read(choices: readonly unknown[]): ReadChoices {
    return this.#readPlain(choices) ?? this.#readAny(choices);
  }

  /** Undefined unless there is exactly one choice, with only text. */
  #readPlain(choices: readonly unknown[]): ReadChoices | undefined {
    if (!isOnePlainChoice(choices)) return undefined;
    const [choice] = choices;
    const state = this.#states.get(choice.index);
    const ends = choice.finish_reason !== null;
    // The first delta needs the role; before the last one, missing arguments may have to be added.
    if (state === undefined ? choice.delta.role === undefined : ends && state.calls.any) return undefined;
    if (state === undefined) this.#states.set(choice.index, { finished: ends, calls: new ToolCallDeltas() });
    else state.finished ||= ends;
    return {
      chunks: [choices],
      generated: ofChoice(choice.index, generatedTexts(choice.delta)),
      repeatable: state !== undefined && !ends,
    };
  }

  #readAny(choices: readonly unknown[]): ReadChoices {
    const read = choices.filter(isObject).map((choice, position) => this.#readChoice(choice, position));
    const divided = read.some(({ parts }) => parts.length > 1);
    const parts = read.flatMap((choice) => choice.parts);
    return {
      chunks: divided ? parts.map((part) => [part]) : parts.length > 0 ? [parts] : [],
      generated: read.flatMap(({ generated }) => generated),
      audio: read.flatMap(({ audio }) => audio ?? []),
      repeatable: !divided && read.every(({ repeatable }) => repeatable),
    };
  }

  cutShort(): JsonRecord[] {
    const open = this.#states.size === 0 ? [0] : this.#openIndices();
    return open.map((index) => {
      this.#states.set(index, { finished: true, calls: new ToolCallDeltas() });
      return { index, delta: {}, finish_reason: 'length' };
    });
  }

  #openIndices(): number[] {
    return [...this.#states].filter(([, { finished }]) => !finished).map(([index]) => index);
  }

  #readChoice(choice: JsonRecord, position: number): ReadChoice {
    if (isObject(choice.error)) throw reportedFailure(choice.error);
    const index = asIndex(choice.index) ?? position;
    const known = this.#states.get(index);
    const state = known ?? { finished: false, calls: new ToolCallDeltas() };
    this.#states.set(index, state);
    const finishReason = readFinishReason(choice.finish_reason);
    const own = isObject(choice.delta) ? choice.delta : asRecord(choice.message);
    const { deltas: calls, repeatable } = state.calls.read(own.tool_calls);
    const [firstCall, ...otherCalls] = calls;
    const delta = withoutUndefined({
      ...plainMessage(own),
      role: known === undefined ? 'assistant' : roles.has(own.role) ? own.role : undefined,
      tool_calls: firstCall === undefined ? emptyListOf(own.tool_calls) : [firstCall],
    });
    const filled = finishReason === null || state.finished ? [] : state.calls.fillMissing();
    state.finished ||= finishReason !== null;
    const deltas = [delta, ...[...otherCalls, ...filled].map((call) => ({ tool_calls: [call] }))];
    // The end comes in a delta of its own after the added arguments, so that no client reads it before them.
    if (filled.length > 0) deltas.push({});
    const audio = generatedAudio(delta);
    return {
      parts: partsOf({ ...choice, index, message: undefined }, deltas, finishReason),
      generated: ofChoice(index, [
        ...generatedTexts(delta),
        ...otherCalls.flatMap((call) => generatedTexts({ tool_calls: [call] })),
      ]),
      audio,
      // A chunk with the same audio counts again.
      repeatable: repeatable && audio === undefined && known !== undefined && finishReason === null,
    };
  }
}

function ofChoice(choice: number, texts: readonly string[]): GeneratedText[] {
  return texts.map((text) => ({ choice, text }));
}

/** One part per delta; the last one has the finish reason. */
function partsOf(choice: JsonRecord, deltas: readonly JsonRecord[], finishReason: string | null): JsonRecord[] {
  return deltas.map((delta, position) => {
    const finish = position === deltas.length - 1 ? finishReason : null;
    if (position > 0) return { index: choice.index, delta, finish_reason: finish };
    const logprobs = choice.logprobs === undefined ? undefined : chatLogProbabilities(choice.logprobs);
    return { ...choice, delta, logprobs, finish_reason: finish };
  });
}

function emptyListOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && asArray(value).length === 0 ? [] : undefined;
}
