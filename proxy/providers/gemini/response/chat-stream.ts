/**
 * Translates a Gemini stream to chat completion chunks. The API has no end mark: it repeats the usage in every event
 * and closes. Some models report STOP in every event, so the finish reason is sent when the provider has closed the
 * stream.
 */
import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { ChatCall } from '../../../nouns/call.ts';
import type { FinishReason } from '../../../nouns/chat-completion.ts';
import type { JsonRecord } from '../../../nouns/json/record.ts';
import { eventMaxCharacters } from '../../../nouns/limits.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { type Delivered, nothingDelivered, type RenderedCharge, type Usage, usageSince } from '../../../nouns/usage.ts';
import { renderUsage } from '../../../pricing/render-usage.ts';
import { TextScale } from '../../../pricing/text-scale.ts';
import type { ResponseStream } from '../../adapter.ts';
import { finishOf, generatedTexts, imageOf, signed, toolCallOf } from './chat-parts.ts';
import type { ContentPart } from './content-part.ts';
import { type Candidate, type GeminiResponse, readResponse } from './read-response.ts';

interface Choice {
  hasRole: boolean;
  calls: number;
  finishReason: FinishReason | undefined;
}

interface ChatStreamOptions {
  readonly call: ChatCall;
  /** Weighs the output. */
  readonly scale?: TextScale | undefined;
}

export class ChatStream implements ResponseStream {
  ended = false;
  failure: UpstreamFailure | undefined;
  readonly #call: ChatCall;
  readonly #scale: TextScale;
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  readonly #parser: EventSourceParser;
  readonly #choices = new Map<number, Choice>();
  readonly #created = Math.floor(Date.now() / 1000);
  #id: string | undefined;
  #reported: Usage | null = null;
  /** When the usage was reported. */
  #deliveredBefore: Delivered = nothingDelivered;
  #cutShort = false;
  #output = '';

  constructor({ call, scale = new TextScale() }: ChatStreamOptions) {
    this.#call = call;
    this.#scale = scale;
    this.#parser = createParser({
      maxBufferSize: eventMaxCharacters,
      onEvent: ({ data }) => this.#take(data),
      onError: ({ type }) => {
        if (type !== 'max-buffer-size-exceeded') return;
        this.#fail(new UpstreamFailure('malformed', 'The provider sent an event that is too large.'));
      },
    });
  }

  push(bytes: Uint8Array): Uint8Array | undefined {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    const output = this.#output;
    this.#output = '';
    // Output before the failure in the same chunk is charged, so it is delivered.
    if (output === '' && this.failure !== undefined) throw this.failure;
    return output === '' ? undefined : this.#encoder.encode(output);
  }

  get deliveredTokens(): number {
    return this.#scale.tokens;
  }

  get deliveredTokensMax(): number {
    return this.#scale.tokensMax;
  }

  get complete(): boolean {
    return this.#cutShort || (this.failure === undefined && this.#hasFinished());
  }

  /** Before the last event, some models count only the prompt. */
  get usage(): Usage | null {
    const reported = this.#reported;
    if (reported === null || this.#hasFinished()) return reported;
    return usageSince(reported, { before: this.#deliveredBefore, now: { tokens: this.deliveredTokens } });
  }

  cutShort(): string {
    if (this.#choices.size === 0) this.#choiceAt(0);
    this.#cutShort = true;
    this.ended = true;
    return this.#finish('length');
  }

  close(charge: RenderedCharge): string {
    const finish = this.#cutShort ? '' : this.#finish('stop');
    const head = JSON.stringify({ ...this.#head(), choices: [] });
    const usage = this.#call.includeUsage ? `data: ${head.slice(0, -1)},"usage":${renderUsage(charge)}}\n\n` : '';
    return `${finish}${usage}data: [DONE]\n\n`;
  }

  #take(data: string): void {
    if (this.ended) return;
    if (data === '[DONE]') {
      this.ended = true;
      return;
    }
    const response = this.#read(data);
    if (response === undefined) return;
    this.#id ??= response.id;
    for (const candidate of response.candidates) this.#translate(candidate);
    if (response.usage !== null) {
      this.#reported = response.usage;
      this.#deliveredBefore = { tokens: this.deliveredTokens };
    }
    if (response.failure !== undefined) this.#fail(response.failure);
  }

  #read(data: string): GeminiResponse | undefined {
    try {
      return readResponse(data);
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      this.#fail(error);
      return undefined;
    }
  }

  #fail(failure: UpstreamFailure): void {
    this.failure ??= failure;
    this.ended = true;
  }

  #translate({ index, parts, finishReason, logprobs }: Candidate): void {
    const choice = this.#choiceAt(index);
    choice.finishReason = finishReason ?? choice.finishReason;
    for (const [position, part] of parts.entries()) {
      for (const text of generatedTexts(part)) this.#scale.add(text, index);
      const extra = position === 0 && logprobs !== null ? { logprobs } : {};
      this.#output += this.#chunk({
        index,
        delta: withRole(choice, deltaOf(part, choice)),
        finish_reason: null,
        ...extra,
      });
    }
  }

  #choiceAt(index: number): Choice {
    const choice = this.#choices.get(index) ?? { hasRole: false, calls: 0, finishReason: undefined };
    this.#choices.set(index, choice);
    return choice;
  }

  #hasFinished(): boolean {
    const choices = [...this.#choices.values()];
    return choices.length > 0 && choices.every(({ finishReason }) => finishReason !== undefined);
  }

  /** The last chunk of each choice. */
  #finish(defaultReason: FinishReason): string {
    let output = '';
    for (const [index, choice] of this.#choices) {
      const reason = finishOf(choice.finishReason ?? defaultReason, choice.calls);
      output += this.#chunk({ index, delta: withRole(choice, {}), finish_reason: reason });
    }
    return output;
  }

  #chunk(choice: JsonRecord): string {
    const usage = this.#call.includeUsage ? { usage: null } : {};
    return `data: ${JSON.stringify({ ...this.#head(), choices: [choice], ...usage })}\n\n`;
  }

  #head() {
    this.#id ??= `chatcmpl-${crypto.randomUUID()}`;
    return { id: this.#id, object: 'chat.completion.chunk', created: this.#created, model: this.#call.model };
  }
}

/** The first delta of a choice has the role. */
function withRole(choice: Choice, delta: JsonRecord): JsonRecord {
  if (choice.hasRole) return delta;
  choice.hasRole = true;
  return { role: 'assistant', ...('tool_calls' in delta ? { content: null } : { content: '' }), ...delta };
}

function deltaOf(part: ContentPart, choice: Choice): JsonRecord {
  switch (part.kind) {
    case 'text':
      return { content: part.text, ...signed(part.signature) };
    case 'thought':
      return { reasoning_content: part.text };
    case 'image':
      return { images: [imageOf(part.url)] };
    case 'call': {
      const index = choice.calls;
      choice.calls += 1;
      return { tool_calls: [{ index, ...toolCallOf(part) }] };
    }
  }
}
