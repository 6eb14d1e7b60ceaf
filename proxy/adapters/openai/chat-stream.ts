/**
 * A streamed chat completion of an OpenAI-compatible provider. Its bytes pass through as they are; an event is parsed
 * only where something in it has to change: the first one, and those that carry usage or an error. The usage and
 * `[DONE]` are kept back, so that the charge can be settled before the client sees the end.
 */
import { patchObject } from '../../json/patch-object.ts';
import { estimatePieceTokens } from '../../metering/estimate-tokens.ts';
import { renderUsage } from '../../metering/render-usage.ts';
import { readUsage, type Usage } from '../../metering/usage.ts';
import { dataOfEvent, endOfEvent } from '../../sse/event-text.ts';
import { eventMaxCharacters } from '../../upstream/limits.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import type { AnswerStream, RenderedCharge } from '../adapter.ts';
import { type CompletionObject, readCompletionObject } from './completion-object.ts';

/** Inside a JSON string these quotes would be escaped, so a match is a member's name. */
const needsReading = /"(?:usage|error)":\s*[^\sn]/;
const finishReason = /"finish_reason":\s*"/;
const generatedText = /"(?:content|reasoning_content|reasoning|refusal|arguments|text)":\s*"((?:[^"\\]|\\.)*)"/g;

export class ChatStream implements AnswerStream {
  usage: Usage | null = null;
  deliveredTokens = 0;
  complete = false;
  ended = false;
  readonly #includeUsage: boolean;
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  #unread = '';
  #first: CompletionObject | undefined;

  constructor(options: { includeUsage: boolean }) {
    this.#includeUsage = options.includeUsage;
  }

  push(bytes: Uint8Array): Uint8Array | undefined {
    const text = this.#unread + this.#decoder.decode(bytes, { stream: true });
    let unchanged = this.#unread === '';
    let output = '';
    let start = 0;
    for (let end = endOfEvent(text, start); end > 0; end = endOfEvent(text, start)) {
      const event = text.slice(start, end);
      const translated = this.#translate(event);
      if (translated !== event) unchanged = false;
      output += translated;
      start = end;
    }
    this.#unread = text.slice(start);
    if (this.#unread.length > eventMaxCharacters) {
      throw new UpstreamFailure('malformed', 'The provider sent an event larger than can be taken.');
    }
    if (output === '') return undefined;
    return unchanged && this.#unread === '' ? bytes : this.#encoder.encode(output);
  }

  cutShort(): string {
    this.complete = true;
    this.ended = true;
    const choice = { index: 0, delta: {}, finish_reason: 'length' };
    return `data: ${JSON.stringify({ ...this.#head(), choices: [choice] })}\n\n`;
  }

  close(charge: RenderedCharge): string {
    const usage = this.#includeUsage ? `data: ${this.#usageChunk(charge)}\n\n` : '';
    return `${usage}data: [DONE]\n\n`;
  }

  #translate(event: string): string {
    const data = dataOfEvent(event);
    if (data === undefined) return '';
    if (data === '[DONE]') {
      this.ended = true;
      return '';
    }
    if (finishReason.test(data)) this.complete = true;
    for (const [, generated = ''] of data.matchAll(generatedText)) {
      this.deliveredTokens += estimatePieceTokens(generated.length);
    }
    if (this.#first !== undefined && !needsReading.test(data)) return event;
    return this.#rewrite(data);
  }

  #rewrite(data: string): string {
    const chunk = readCompletionObject(data);
    const isFirst = this.#first === undefined;
    this.#first ??= chunk;
    const usage = readUsage(chunk.usage);
    if (usage !== null) this.usage = usage;
    const choices = chunk.choices ?? [];
    if (usage !== null && choices.length === 0) return '';
    const missesRole = isFirst && choices.some(({ delta }) => delta && typeof delta.role !== 'string');
    const patched = patchObject(data, {
      ...((chunk.usage ?? null) === null ? {} : { usage: this.#includeUsage ? 'null' : undefined }),
      ...(missesRole ? { choices: JSON.stringify(choices.map(withRole)) } : {}),
    });
    return `data: ${patched}\n\n`;
  }

  #usageChunk(charge: RenderedCharge): string {
    const chunk = JSON.stringify({ ...this.#head(), choices: [] });
    return `${chunk.slice(0, -1)},"usage":${renderUsage(charge)}}`;
  }

  #head() {
    return {
      id: this.#first?.id ?? '',
      object: 'chat.completion.chunk',
      created: this.#first?.created ?? 0,
      model: this.#first?.model ?? '',
    };
  }
}

type Choice = NonNullable<CompletionObject['choices']>[number];

/** openai-node's stream helper throws where the first delta has no role. */
function withRole(choice: Choice): Choice {
  return { ...choice, delta: { ...choice.delta, role: 'assistant' } };
}
