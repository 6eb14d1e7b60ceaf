/**
 * A streamed response, passed on event by event. Only the model's name, `metadata` and the usage are changed. The events that open
 * a response wait for the first one after them, so that another deployment can be tried if this one fails immediately.
 */
import { createParser, type ParseError } from 'eventsource-parser';
import { errorBody, type GatewayError } from '../../../../shared/errors.ts';
import { isObject } from '../../../../shared/members.ts';
import { patchObject } from '../../../nouns/json/patch-object.ts';
import { asIndex, asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';
import { eventMaxCharacters } from '../../../nouns/limits.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import type { RenderedCharge, Usage } from '../../../nouns/usage.ts';
import { renderResponseUsage } from '../../../pricing/render-usage.ts';
import { TextScale } from '../../../pricing/text-scale.ts';
import type { ResponseStream } from '../../adapter.ts';
import { reportedFailure } from '../../openai/response/read-response-object.ts';
import type { Echo } from './echo.ts';
import { GrowingOutput } from './growing-output.ts';
import { isWebSearch, readResponseUsage, textsOfItem } from './response-usage.ts';

const opening: ReadonlySet<string> = new Set(['response.created', 'response.queued', 'response.in_progress']);
const ending: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);

interface Last {
  readonly type: string;
  readonly sequenceNumber: number;
  readonly response: JsonRecord;
}

export class PassedResponse implements ResponseStream {
  complete = false;
  ended = false;
  failure: UpstreamFailure | undefined;
  usage: Usage | null = null;
  webSearches = 0;
  readonly #echo: Echo;
  readonly #scale: TextScale;
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  readonly #parser = createParser({
    maxBufferSize: eventMaxCharacters,
    onEvent: ({ data }) => this.#take(data),
    onError: refuseEndless,
  });
  readonly #grown = new GrowingOutput();
  #opened: JsonRecord = {};
  #held = '';
  #output = '';
  #sequenceNumber = -1;
  #last: Last | undefined;

  constructor(echo: Echo, scale = new TextScale()) {
    this.#echo = echo;
    this.#scale = scale;
  }

  get deliveredTokens(): number {
    return this.#scale.tokens;
  }

  get deliveredTokensMax(): number {
    return this.#scale.tokensMax;
  }

  push(bytes: Uint8Array): Uint8Array | undefined {
    this.#output = '';
    try {
      this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    } catch (error) {
      // Output before the error in the same chunk is charged, so it is delivered; a complete response is not lost.
      if (!(error instanceof UpstreamFailure) || (this.#output === '' && !this.complete)) throw error;
      this.failure = error;
      this.ended = true;
    }
    return this.#output === '' ? undefined : this.#encoder.encode(this.#output);
  }

  /** Open items end as they are. The last event is written once the charge is known. */
  cutShort(): string {
    this.complete = true;
    this.ended = true;
    let text = this.#held;
    this.#held = '';
    for (const [output_index, item] of this.#grown.endOpen()) {
      text += this.#write('response.output_item.done', { output_index, item });
    }
    const details = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    const response = { ...this.#opened, ...details, output: this.#grown.items() };
    this.#last = { type: 'response.incomplete', sequenceNumber: this.#nextNumber(), response };
    return text;
  }

  close(charge: RenderedCharge): string {
    if (this.#last === undefined) return '';
    const { type, sequenceNumber, response } = this.#last;
    const { usage: _, ...rest } = response;
    const text = `${JSON.stringify({ ...rest, ...this.#echo }).slice(0, -1)},"usage":${renderResponseUsage(charge)}}`;
    return this.#held + framed(type, `{"type":"${type}","sequence_number":${sequenceNumber},"response":${text}}`);
  }

  /** Clients differ in which of the two events they read. */
  renderError(error: GatewayError): string {
    const { message, code, param } = error;
    const failed = { status: 'failed', error: { code: 'server_error', message }, usage: null };
    const response = { ...this.#opened, ...failed, ...this.#echo, output: this.#grown.items() };
    return (
      this.#held +
      this.#write('error', { message, code, param, ...errorBody(error) }) +
      this.#write('response.failed', { response })
    );
  }

  #take(data: string): void {
    if (this.ended) return;
    const event = parse(data);
    const type = asText(event?.type);
    if (event === undefined || type === undefined) return;
    this.#sequenceNumber = asIndex(event.sequence_number) ?? this.#sequenceNumber + 1;
    if (type === 'error') throw reportedFailure(event.error ?? event);
    if (type === 'response.failed') throw reportedFailure(asRecord(event.response).error);
    const { response } = event;
    if (ending.has(type) && isObject(response)) {
      const usage = readResponseUsage(response);
      this.usage = usage && { ...usage, webSearches: Math.max(usage.webSearches, this.webSearches) };
      this.#last = { type, sequenceNumber: this.#sequenceNumber, response };
      this.complete = true;
      this.ended = true;
      return;
    }
    this.#pass(type, event, data);
  }

  #pass(type: string, event: JsonRecord, data: string): void {
    const { response } = event;
    if (opening.has(type) && isObject(response)) {
      this.#opened = response;
      const shown = JSON.stringify({ ...response, ...this.#echo, usage: null });
      this.#held += framed(type, patchObject(data, { response: shown }));
      return;
    }
    this.#weigh(type, event);
    if (type === 'response.output_item.done' && isWebSearch(event.item)) this.webSearches += 1;
    this.#grown.take(type, event);
    this.#output += this.#held + framed(type, data);
    this.#held = '';
  }

  #weigh(type: string, event: JsonRecord): void {
    if (type.endsWith('.delta') && typeof event.delta === 'string') this.#scale.add(event.delta);
    else if (type === 'response.output_item.added') this.#scale.add(asText(asRecord(event.item).name) ?? '');
    else if (type === 'response.output_item.done' && !this.#grown.hasDeltas(event)) {
      // Its name has been weighed when it was added.
      for (const text of textsOfItem({ ...asRecord(event.item), name: undefined })) this.#scale.add(text);
    }
  }

  #write(type: string, members: object): string {
    return framed(type, JSON.stringify({ type, sequence_number: this.#nextNumber(), ...members }));
  }

  #nextNumber(): number {
    this.#sequenceNumber += 1;
    return this.#sequenceNumber;
  }
}

/** An event may span lines in the provider's framing, but not in its JSON. */
function framed(type: string, data: string): string {
  return `event: ${type}\ndata: ${data.replaceAll('\n', ' ')}\n\n`;
}

/** Undefined for an end mark, or anything else that is not an object. */
function parse(data: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refuseEndless(error: ParseError): void {
  if (error.type !== 'max-buffer-size-exceeded') return;
  throw new UpstreamFailure('malformed', 'The provider sent an event that is too large.', { cause: error });
}
