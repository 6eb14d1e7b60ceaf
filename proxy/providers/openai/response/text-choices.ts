/** The choices of a text completion, streamed or whole. */
import { isObject } from '../../../../shared/members.ts';
import type { CompletionCall } from '../../../nouns/call.ts';
import { asIndex, asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import type { ChoiceReader, ReadChoices } from '../stream/choice-reader.ts';
import { readTextFinishReason } from './finish-reason.ts';
import { textLogProbabilities } from './log-probabilities.ts';
import { reportedFailure } from './read-response-object.ts';

export class TextChoices implements ChoiceReader {
  /** Index → ended. */
  readonly #choices = new Map<number, boolean>();
  readonly #echo: EchoedPrompts;

  constructor(call: CompletionCall) {
    this.#echo = new EchoedPrompts(call);
  }

  get complete(): boolean {
    return this.#choices.size > 0 && this.#openIndices().length === 0;
  }

  read(choices: readonly unknown[]): ReadChoices {
    const read = choices.filter(isObject).map(textChoice);
    for (const { index, finish_reason: reason } of read) {
      this.#choices.set(index, reason !== null || this.#choices.get(index) === true);
    }
    return {
      chunks: read.length === 0 ? [] : [read],
      generated: read
        .map(({ index, text }) => ({ choice: index, text: this.#echo.withoutPrompt(index, text) }))
        .filter(({ text }) => text !== ''),
      repeatable: !this.#echo.expected && read.every((choice) => choice.finish_reason === null),
    };
  }

  cutShort(): JsonRecord[] {
    const open = this.#choices.size === 0 ? [0] : this.#openIndices();
    return open.map((index) => {
      this.#choices.set(index, true);
      return { index, text: '', logprobs: null, finish_reason: 'length' };
    });
  }

  #openIndices(): number[] {
    return [...this.#choices].filter(([, ended]) => !ended).map(([index]) => index);
  }
}

/** Throws UpstreamFailure if the choice failed. */
export function textChoice(choice: JsonRecord, position: number) {
  if (isObject(choice.error)) throw reportedFailure(choice.error);
  const text = choice.text ?? asRecord(choice.delta).content ?? asRecord(choice.message).content;
  return {
    ...choice,
    text: typeof text === 'string' ? text : '',
    index: asIndex(choice.index) ?? position,
    logprobs: textLogProbabilities(choice.logprobs),
    finish_reason: readTextFinishReason(choice.finish_reason),
  };
}

/** With `echo`, a response begins with its prompt, which the model did not generate. */
export class EchoedPrompts {
  readonly expected: boolean;
  readonly #call: CompletionCall;
  /** Index → characters of the prompt that are still expected. */
  readonly #left = new Map<number, number>();

  constructor(call: CompletionCall) {
    this.#call = call;
    this.expected = call.body.echo === true;
  }

  /** The next part of a choice, without the part that belongs to the prompt. */
  withoutPrompt(index: number, text: string): string {
    if (!this.expected) return text;
    const left = this.#left.get(index) ?? this.#lengthOf(index);
    this.#left.set(index, Math.max(0, left - text.length));
    return text.slice(left);
  }

  /**
   * Choices are in the order of the prompts, `n` for each. How long a prompt of token ids is, only the provider knows: of each id
   * one character is sure, so that no output is taken for the prompt.
   */
  #lengthOf(index: number): number {
    const { promptTexts, promptTokenIds, prompts, n } = this.#call;
    return promptTexts[Math.floor(index / n)]?.length ?? Math.floor(promptTokenIds / prompts);
  }
}
