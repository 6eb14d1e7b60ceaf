/**
 * Speech of an OpenAI-compatible provider. It comes as plain audio or as server-sent events with audio in base64, and leaves
 * as the client wants it, chunk by chunk. Plain audio has no end mark and no usage: it is paid by the characters of the text.
 * Events report the tokens of a model that is paid by them.
 */
import { createParser } from 'eventsource-parser';
import { readJson } from '../../../../shared/read-json.ts';
import type { SpeechCall } from '../../../nouns/call.ts';
import type { Framing } from '../../../nouns/framing/framing.ts';
import { asRecord } from '../../../nouns/json/record.ts';
import { eventMaxCharacters } from '../../../nouns/limits.ts';
import { speechTypes } from '../../../nouns/speech-formats.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { noUsage, type RenderedCharge, readCount, type Usage } from '../../../nouns/usage.ts';
import type { ResponseStream, StreamOpening } from '../../adapter.ts';
import { failureMessageOf } from '../response/failure-message.ts';

/** What OpenAI's models take for a character of English at the usual speed; for a provider that reports no usage. */
const tokensPerCharacter = 1.5;

const plain: Framing = { take: (chunk) => chunk };
const encoder = new TextEncoder();

export class SpeechStream implements ResponseStream {
  readonly mediaType: string | undefined;
  readonly framing: Framing | undefined;
  failure: UpstreamFailure | undefined;
  readonly #call: SpeechCall;
  /** The most output tokens; 0 where the model is paid by characters. */
  readonly #outputCap: number;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: eventMaxCharacters,
    onEvent: ({ data }) => this.#takeEvent(data),
    onError: ({ type }) => {
      if (type !== 'max-buffer-size-exceeded') return;
      this.failure = new UpstreamFailure('malformed', 'The provider sent an event that is too large.');
    },
  });
  #audio: Uint8Array[] = [];
  #hasBegun = false;
  #isDone = false;
  #reported: Usage | null = null;

  constructor(call: SpeechCall, { contentType = '', outputCap = 0 }: StreamOpening = {}) {
    this.#call = call;
    this.#outputCap = outputCap;
    const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (type !== 'text/event-stream') this.framing = plain;
    if (this.framing !== undefined && type.startsWith('text/')) {
      this.failure = new UpstreamFailure('malformed', 'The provider returned a text instead of audio.');
    }
    if (!call.wantsEvents) this.mediaType = type.startsWith('audio/') ? type : speechTypes[call.format];
  }

  push(bytes: Uint8Array): Uint8Array | undefined {
    if (this.framing !== undefined) this.#takePlain(bytes);
    else this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    const audio = this.#audio;
    this.#audio = [];
    // Audio before the failure in the same chunk is delivered.
    if (audio.length === 0 && this.failure !== undefined) throw this.failure;
    if (audio.length === 0) return undefined;
    return this.#call.wantsEvents ? encoder.encode(audio.map(renderDelta).join('')) : Buffer.concat(audio);
  }

  get complete(): boolean {
    if (this.failure !== undefined) return false;
    return this.framing === undefined ? this.#isDone : this.#hasBegun;
  }

  get ended(): boolean {
    return this.#isDone;
  }

  get usage(): Usage | null {
    if (!this.#hasBegun) return null;
    const { characters } = this.#call;
    if (this.#outputCap === 0) return { ...noUsage, characters };
    return this.#reported;
  }

  /** Only its provider can tell. */
  get deliveredTokens(): number {
    if (!this.#hasBegun) return 0;
    return Math.min(Math.ceil(this.#call.characters * tokensPerCharacter), this.#outputCap);
  }

  get deliveredTokensMax(): number {
    return this.deliveredTokens;
  }

  cutShort(): string {
    return '';
  }

  close({ usage, costUsd }: RenderedCharge): string {
    if (!this.#call.wantsEvents) return '';
    const { promptTokens: input, completionTokens: output } = usage;
    const counts = `"input_tokens":${input},"output_tokens":${output},"total_tokens":${input + output},"cost":${costUsd}`;
    return `data: {"type":"speech.audio.done","usage":{${counts}}}\n\n`;
  }

  #takePlain(audio: Uint8Array): void {
    if (this.failure === undefined) this.#take(audio);
  }

  #take(audio: Uint8Array): void {
    if (audio.byteLength === 0) return;
    this.#hasBegun = true;
    this.#audio.push(audio);
  }

  #takeEvent(data: string): void {
    if (this.#isDone || this.failure !== undefined || data === '[DONE]') return;
    const event = asRecord(readJson(data));
    if (event.type === 'speech.audio.done') {
      this.#isDone = true;
      this.#reported = readSpeechUsage(event.usage);
    } else if (event.type === 'speech.audio.delta' && typeof event.audio === 'string') {
      this.#take(Buffer.from(event.audio, 'base64'));
    } else if (event.type === 'error' || event.error !== undefined) {
      this.failure = new UpstreamFailure('refused', failureMessageOf(event) ?? 'The provider reported an error.');
    }
  }
}

function renderDelta(audio: Uint8Array): string {
  const base64 = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength).toString('base64');
  return `data: {"type":"speech.audio.delta","audio":"${base64}"}\n\n`;
}

/** Null if it is missing or absurd. */
function readSpeechUsage(value: unknown): Usage | null {
  const { input_tokens: input, output_tokens: output } = asRecord(value);
  const [promptTokens, completionTokens] = [readCount(input), readCount(output)];
  if (promptTokens === undefined || completionTokens === undefined) return null;
  return { ...noUsage, promptTokens, completionTokens };
}
