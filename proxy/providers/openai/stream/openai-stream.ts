/**
 * A streamed response of an OpenAI-compatible provider, chat or text. Bytes that need no change are passed through. A
 * chunk that differs from an earlier one only in its generated text is not even parsed (see event-templates.ts); all
 * others are parsed and normalized. The usage and `[DONE]` are held back, so that the charge can be settled before the
 * client sees the end.
 */
import type { CompletionCall } from '../../../nouns/call.ts';
import { dataOfEvent, endOfEvent } from '../../../nouns/framing/event-text.ts';
import { patchBetween } from '../../../nouns/json/patch-between.ts';
import { patchObject } from '../../../nouns/json/patch-object.ts';
import { asArray, type JsonRecord } from '../../../nouns/json/record.ts';
import { eventMaxCharacters } from '../../../nouns/limits.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { type Delivered, nothingDelivered, type RenderedCharge, type Usage, usageSince } from '../../../nouns/usage.ts';
import { AudioScale } from '../../../pricing/audio-scale.ts';
import { renderUsage } from '../../../pricing/render-usage.ts';
import { TextScale } from '../../../pricing/text-scale.ts';
import type { ResponseStream } from '../../adapter.ts';
import {
  type CompletionHead,
  type CompletionObject,
  findUsage,
  makeHead,
  readHead,
  withHead,
} from '../response/completion-head.ts';
import { readResponseObject } from '../response/read-response-object.ts';
import { TextChoices } from '../response/text-choices.ts';
import { ChatChoices } from './chat-choices.ts';
import type { ChoiceReader, GeneratedText, ReadChoices } from './choice-reader.ts';
import { EventTemplates, type Translation } from './event-templates.ts';
import { isPlainAscii } from './plain-chunk.ts';
import { textInside } from './string-inside.ts';

export interface StreamOptions {
  readonly includeUsage: boolean;
  /** The model's id in the catalogue, not its name at the provider. */
  readonly model: string;
  readonly cachedTokensField?: string | undefined;
  /** Weighs the output. */
  readonly scale?: TextScale | undefined;
  /** Weighs the audio in the output. */
  readonly audioScale?: AudioScale;
}

interface OpenaiStreamOptions extends StreamOptions {
  readonly object: CompletionObject;
  readonly choices: ChoiceReader;
}

interface ReadEvent extends Translation, Pick<ReadChoices, 'audio'> {
  /** Whether it reports the usage so far. */
  readonly reports?: boolean;
  readonly repeatable: boolean;
}

const encoder = new TextEncoder();
/** Stateless between strings. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const nothing: ReadEvent = { output: '', generated: [], repeatable: false };

class OpenaiStream implements ResponseStream {
  /** Read for each chunk of bytes, but changed only by events that are parsed. */
  complete = false;
  ended = false;
  failure: UpstreamFailure | undefined;
  readonly #options: OpenaiStreamOptions;
  readonly #scale: TextScale;
  readonly #audioScale: AudioScale;
  readonly #decoder = new TextDecoder();
  readonly #templates = new EventTemplates();
  #unread = '';
  #head: CompletionHead;
  #begun = false;
  #usage: Usage | null = null;
  /** When the usage was reported. */
  #deliveredBefore: Delivered = nothingDelivered;

  constructor(options: OpenaiStreamOptions) {
    this.#options = options;
    this.#scale = options.scale ?? new TextScale();
    this.#audioScale = options.audioScale ?? new AudioScale();
    this.#head = makeHead(options.object, options.model);
  }

  get deliveredTokens(): number {
    return this.#scale.tokens + this.deliveredAudioTokens;
  }

  get deliveredTokensMax(): number {
    return this.#scale.tokensMax + this.deliveredAudioTokens;
  }

  get deliveredAudioTokens(): number {
    return this.#audioScale.tokens;
  }

  /** If the response was interrupted after its usage was reported, the output since then is added. */
  get usage(): Usage | null {
    if (this.#usage === null || this.complete) return this.#usage;
    return usageSince(this.#usage, { before: this.#deliveredBefore, now: this.#delivered });
  }

  get #delivered(): Delivered {
    return { tokens: this.deliveredTokens, audioTokens: this.deliveredAudioTokens };
  }

  push(bytes: Uint8Array): Uint8Array | undefined {
    const chunk = this.#unread === '' ? this.#templates.matchChunk(bytes) : undefined;
    if (chunk === undefined) return this.#pushText(bytes);
    const { generated } = chunk;
    for (let at = 0; at < generated.length; at += 3) {
      this.#weighString(bytes, generated[at] ?? 0, generated[at + 1] ?? 0, generated[at + 2]);
    }
    return chunk.output;
  }

  #pushText(bytes: Uint8Array): Uint8Array | undefined {
    const text = this.#unread + this.#decoder.decode(bytes, { stream: true });
    let unchanged = this.#unread === '';
    let output = '';
    let start = 0;
    try {
      while (!this.ended && start < text.length) {
        const { end, translated } = this.#next(text, start);
        if (end === 0) break;
        if (translated === undefined) output += text.slice(start, end);
        else {
          output += translated;
          unchanged = false;
        }
        start = end;
      }
      if (text.length - start > eventMaxCharacters && !this.ended) {
        throw new UpstreamFailure('malformed', 'The provider sent an event that is too large.');
      }
    } catch (error) {
      // Output before the error in the same chunk is charged, so it is delivered; a complete response is not lost.
      if (!(error instanceof UpstreamFailure) || (output === '' && !this.complete)) throw error;
      this.failure = error;
      this.ended = true;
    }
    this.#unread = this.ended ? '' : text.slice(start);
    if (output === '') return undefined;
    return unchanged && start === text.length ? bytes : encoder.encode(output);
  }

  cutShort(): string {
    this.#usage = this.usage;
    const choices = this.#options.choices.cutShort();
    this.complete = this.#options.choices.complete;
    this.ended = true;
    return `data: ${JSON.stringify({ ...this.#head, choices })}\n\n`;
  }

  close(charge: RenderedCharge): string {
    if (!this.#options.includeUsage) return 'data: [DONE]\n\n';
    const chunk = JSON.stringify({ ...this.#head, choices: [] });
    return `data: ${chunk.slice(0, -1)},"usage":${renderUsage(charge)}}\n\ndata: [DONE]\n\n`;
  }

  /** The end of the event at `start`, 0 if it is incomplete; `translated` is undefined if it is passed on unchanged. */
  #next(text: string, start: number): { end: number; translated?: string | undefined } {
    const match = this.#templates.match(text, start);
    if (match !== undefined) {
      this.#weigh(match.generated);
      return { end: match.end, translated: match.output };
    }
    const end = endOfEvent(text, start);
    if (end === 0) return { end };
    const event = text.slice(start, end);
    const read = this.#read(event);
    this.#weigh(read.generated);
    for (const part of read.audio ?? []) this.#audioScale.add(part);
    if (read.reports) this.#deliveredBefore = this.#delivered;
    if (read.repeatable) this.#templates.learn(event, (marked) => this.#read(marked));
    else if (read.output !== '') this.#templates.clear();
    return { end, translated: read.output === event ? undefined : read.output };
  }

  #weighString(bytes: Uint8Array, start: number, end: number, choice?: number): void {
    if (isPlainAscii(bytes, start, end)) this.#scale.addAscii(bytes, start, end, choice);
    else this.#scale.add(textInside(utf8.decode(bytes.subarray(start, end))), choice);
  }

  #weigh(generated: readonly GeneratedText[]): void {
    for (const { text, choice } of generated) this.#scale.add(text, choice);
  }

  #read(event: string): ReadEvent {
    const data = dataOfEvent(event);
    if (data === undefined || data === '') return nothing;
    if (data === '[DONE]') {
      this.ended = true;
      return nothing;
    }
    const chunk = readResponseObject(data);
    const head = readHead(chunk, this.#head);
    if (!this.#begun) this.#head = head;
    const usage = findUsage(chunk, this.#options);
    if (usage !== null) this.#usage = usage;
    const { chunks, generated, audio = [], repeatable } = this.#options.choices.read(asArray(chunk.choices));
    this.complete = this.#options.choices.complete;
    const reports = usage !== null;
    if (chunks.length === 0) return { ...nothing, reports };
    this.#begun = true;
    const rest = { ...chunk, ...this.#withoutUsage(chunk) };
    let unchanged = chunks.length === 1 && event.startsWith('data:');
    let output = '';
    for (const choices of chunks) {
      const patch = patchBetween(chunk, withHead(rest, head, choices));
      if (patch !== undefined) unchanged = false;
      output += `data: ${onOneLine(patch ? patchObject(data, patch) : data)}\n\n`;
    }
    return { output: unchanged ? event : output, generated, audio, repeatable: repeatable && !reports, reports };
  }

  /** If the client wants the usage, it is null in all chunks but the last; otherwise it is missing. */
  #withoutUsage({ usage }: JsonRecord): JsonRecord {
    return { usage: this.#options.includeUsage || usage === null ? null : undefined };
  }
}

/** JSON may have line breaks between members, but not inside strings. */
function onOneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replaceAll(/[\r\n]+/g, ' ') : json;
}

export class ChatStream extends OpenaiStream {
  constructor(options: StreamOptions) {
    super({ ...options, object: 'chat.completion.chunk', choices: new ChatChoices() });
  }
}

export class TextStream extends OpenaiStream {
  constructor(call: CompletionCall, options: StreamOptions) {
    super({ ...options, object: 'text_completion', choices: new TextChoices(call) });
  }
}
