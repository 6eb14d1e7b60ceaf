/**
 * Where the relay has a request's call from. That of a small request is kept as it is. Of a large one, what only providers
 * read is dropped once it is on its way to one, and is read again if another has to be asked.
 */

import { valueMemory } from '../../../shared/http/intake/body-memory.ts';
import type { Form } from '../../../shared/http/intake/form.ts';
import type { Call } from '../../nouns/call.ts';
import type { JsonRecord } from '../../nouns/json/record.ts';
import { callTo } from '../../nouns/requests/addressed-call.ts';
import { withoutWebSearch } from '../../nouns/requests/hosted-tools.ts';
import { isResponsesCall } from '../../nouns/requests/responses-request.ts';
import { blobOf, type UpstreamRequest } from '../../providers/adapter.ts';
import type { LargeBody, ParsedBody } from './large-body.ts';

export interface CallSource {
  /** Of a large request, without its prompt. */
  readonly call: Call;
  /** Throws what `make` throws. */
  build(make: (whole: Call) => UpstreamRequest): UpstreamRequest | Promise<UpstreamRequest>;
  /** It has been answered, and nothing has to be built again. */
  close(): void;
}

/** How an endpoint reads a body. */
type ReadCall = (value: object, text: string, form: Form | undefined) => Call;

/** What was read of a request, by which its call is found. */
export interface ReadBody extends ParsedBody {
  /** With files. Its fields are the value. */
  readonly form: Form | undefined;
  /** Undefined if it is small. */
  readonly large: LargeBody | undefined;
}

/** `whole` has everything that a quote looks at. Throws GatewayError. */
export function openCall(read: ReadCall, body: ReadBody): { readonly whole: Call; readonly source: CallSource } {
  const { large } = body;
  if (large === undefined) {
    const whole = read(body.value, body.text, body.form);
    return { whole, source: new SmallCall(whole) };
  }
  const whole = readWhole(read, body, large);
  return { whole, source: new LargeCall({ body: large, whole, read }) };
}

/** The same request to a model that its client may not name first, perhaps without the search that it offers. */
export function addressedTo(source: CallSource, model: string, omitsSearch = false): CallSource {
  if (source.call.model === model && !omitsSearch) return source;
  const change = (call: Call) => {
    const addressed = callTo(call, model);
    return omitsSearch && addressed.kind === 'chat' ? withoutWebSearch(addressed) : addressed;
  };
  const call = change(source.call);
  return {
    call,
    build: (make) => source.build((whole) => make(whole === source.call ? call : change(whole))),
    close: () => source.close(),
  };
}

class SmallCall implements CallSource {
  readonly call: Call;

  constructor(call: Call) {
    this.call = call;
  }

  build(make: (whole: Call) => UpstreamRequest): UpstreamRequest {
    return make(this.call);
  }

  close(): void {}
}

class LargeCall implements CallSource {
  readonly call: Call;
  readonly #body: LargeBody;
  readonly #read: ReadCall;
  readonly #memory: number;
  #whole: Call | undefined;

  constructor({ body, whole, read }: { body: LargeBody; whole: Call; read: ReadCall }) {
    this.call = withoutPrompt(whole);
    this.#body = body;
    this.#read = read;
    this.#memory = valueMemory(this.call);
    this.#whole = whole;
  }

  async build(make: (whole: Call) => UpstreamRequest): Promise<UpstreamRequest> {
    let head: Omit<UpstreamRequest, 'body'> | undefined;
    const body = await this.#body.send(async () => {
      const whole = this.#whole ?? readWhole(this.#read, await this.#body.parse(), this.#body);
      this.#whole = undefined;
      const { body, ...rest } = make(whole);
      head = rest;
      // Sending does not copy a blob.
      return blobOf(body);
    }, this.#memory);
    if (head === undefined) throw new Error('nothing was built');
    return { ...head, body };
  }

  close(): void {
    this.#whole = undefined;
    this.#body.close();
  }
}

/** What is passed on as it came is patched as bytes. */
function readWhole(read: ReadCall, { value, text }: ParsedBody, { bytes }: LargeBody): Call {
  const call = read(value, text, undefined);
  return call.text === text ? { ...call, text: bytes } : call;
}

/** What is needed to read a response. */
function withoutPrompt<Of extends Call>(call: Of): Of {
  const { messages: _1, prompt: _2, input: _3, query: _4, documents: _5, ...body } = call.body as JsonRecord;
  const light = { ...call, text: '', body, promptTexts: body.echo === true ? call.promptTexts : [] };
  if (!isResponsesCall(call)) return light;
  const settings = { ...call.settings, source: '', request: { ...call.settings.request, input: [] } };
  return Object.assign(light, { settings });
}
