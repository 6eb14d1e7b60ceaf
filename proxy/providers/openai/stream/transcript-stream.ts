/** A streamed transcript, event by event. Its last event waits for the charge, whose cost it says. */
import { createParser } from 'eventsource-parser';
import { readJson } from '../../../../shared/read-json.ts';
import type { TranscriptionCall } from '../../../nouns/call.ts';
import { asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import { eventMaxCharacters } from '../../../nouns/limits.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import type { RenderedCharge, Usage } from '../../../nouns/usage.ts';
import { TextScale } from '../../../pricing/text-scale.ts';
import type { ResponseStream, StreamOpening } from '../../adapter.ts';
import { failureMessageOf } from '../response/failure-message.ts';
import { renderTranscriptUsage, usedFor } from '../response/transcript.ts';

const encoder = new TextEncoder();

export class TranscriptStream implements ResponseStream {
  failure: UpstreamFailure | undefined;
  readonly #call: TranscriptionCall;
  readonly #scale: TextScale;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: eventMaxCharacters,
    onEvent: ({ data }) => this.#take(data),
    onError: ({ type }) => {
      if (type !== 'max-buffer-size-exceeded') return;
      this.failure = new UpstreamFailure('malformed', 'The provider sent an event that is too large.');
    },
  });
  #output = '';
  #text = '';
  #done: JsonRecord | undefined;

  constructor(call: TranscriptionCall, { scale = new TextScale() }: StreamOpening = {}) {
    this.#call = call;
    this.#scale = scale;
  }

  push(bytes: Uint8Array): Uint8Array | undefined {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    const output = this.#output;
    this.#output = '';
    // Output before the failure in the same chunk is delivered.
    if (output === '' && this.failure !== undefined) throw this.failure;
    return output === '' ? undefined : encoder.encode(output);
  }

  get complete(): boolean {
    return this.#done !== undefined && this.failure === undefined;
  }

  get ended(): boolean {
    return this.#done !== undefined;
  }

  get usage(): Usage | null {
    return this.#done === undefined ? null : usedFor(this.#done, this.#call).units;
  }

  get isUsageEstimated(): boolean {
    return this.#done !== undefined && usedFor(this.#done, this.#call).estimated?.includes('promptTokens') === true;
  }

  get deliveredTokens(): number {
    return this.#scale.tokens;
  }

  get deliveredTokensMax(): number {
    return this.#scale.tokensMax;
  }

  cutShort(): string {
    this.#done = { type: 'transcript.text.done', text: this.#text };
    return '';
  }

  close(charge: RenderedCharge): string {
    const { usage: reported, ...event } = this.#done ?? {};
    const text = JSON.stringify(event);
    return `data: ${text.slice(0, -1)},"usage":${renderTranscriptUsage(reported, charge)}}\n\n`;
  }

  #take(data: string): void {
    if (this.#done !== undefined || this.failure !== undefined || data === '[DONE]') return;
    const event = asRecord(readJson(data));
    if (event.type === 'error' || event.error !== undefined) {
      this.failure = new UpstreamFailure('refused', failureMessageOf(event) ?? 'The provider reported an error.');
      return;
    }
    if (typeof event.type !== 'string' || !event.type.startsWith('transcript.')) return;
    if (event.type === 'transcript.text.done') {
      this.#done = event;
      return;
    }
    if (event.type === 'transcript.text.delta' && typeof event.delta === 'string') {
      this.#text += event.delta;
      this.#scale.add(event.delta);
    }
    this.#output += `data: ${JSON.stringify(event)}\n\n`;
  }
}
