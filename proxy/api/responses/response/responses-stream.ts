/** A streamed response: translates chat chunks to the events of the Responses API. */
import { errorBody, type GatewayError } from '../../../../shared/errors.ts';
import type { ChatChunk, FinishReason } from '../../../nouns/chat-completion.ts';
import type { DialectStream } from '../../../nouns/dialect.ts';
import type { RenderedCharge } from '../../../nouns/usage.ts';
import type { Settings } from '../request/settings.ts';
import { EventWriter } from './events.ts';
import { Output } from './output.ts';
import {
  digitsOf,
  type Ending,
  endingOf,
  failed,
  inProgress,
  itemStatusOf,
  renderResponse,
} from './response-object.ts';

export class ResponsesStream implements DialectStream {
  readonly #requestId: string;
  readonly #settings: Settings;
  readonly #events = new EventWriter();
  readonly #output: Output;
  #begun = false;
  #finishReason: FinishReason = 'stop';

  constructor(requestId: string, settings: Settings) {
    this.#requestId = requestId;
    this.#settings = settings;
    const { includesThoughts, tools } = settings;
    const { toolbox } = tools;
    this.#output = new Output({ digits: digitsOf(requestId), includesThoughts, toolbox, emit: this.#events.emit });
  }

  push(chunk: ChatChunk): string {
    this.#begin();
    for (const { delta, finish_reason } of chunk.choices) {
      this.#output.add(delta);
      this.#finishReason = finish_reason ?? this.#finishReason;
    }
    return this.#events.take();
  }

  close(charge: RenderedCharge): string {
    this.#begin();
    const ending = endingOf(this.#finishReason);
    const output = this.#output.end(itemStatusOf(ending));
    const type = ending.status === 'incomplete' ? 'response.incomplete' : 'response.completed';
    this.#events.emitResponse(type, this.#render(ending, output, charge));
    return this.#events.take();
  }

  /**
   * Clients differ in which of the two events they read. `error` has the members that OpenAI documents, and those that
   * its service sends and its client throws on.
   */
  fail(error: GatewayError): string {
    this.#begin();
    const { message, code, param } = error;
    this.#events.emit({ type: 'error', message, code, param, ...errorBody(error) });
    this.#events.emitResponse('response.failed', this.#render(failed(message), this.#output.show('incomplete')));
    return this.#events.take();
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    const response = this.#render(inProgress, []);
    this.#events.emitResponse('response.created', response);
    this.#events.emitResponse('response.in_progress', response);
  }

  #render(ending: Ending, output: ReturnType<Output['show']>, charge?: RenderedCharge): string {
    return renderResponse({ requestId: this.#requestId, settings: this.#settings, ending, output }, charge);
  }
}
