/**
 * Chat completions for a client with custom tools in the form of the Responses API. A model is offered them as functions with
 * one text; their calls are returned as calls of functions whose arguments are that text and not JSON, as Cursor reads them.
 */
import { errorBody } from '../../../shared/errors.ts';
import type { Call } from '../../nouns/call.ts';
import type { ChatChunk, ChatCompletion, ToolCallDelta } from '../../nouns/chat-completion.ts';
import type { Dialect, DialectStream } from '../../nouns/dialect.ts';
import type { RenderedCharge } from '../../nouns/usage.ts';
import { renderUsage } from '../../pricing/render-usage.ts';
import { CustomInput } from '../responses/response/custom-input.ts';

/** Undefined for a call without such tools, whose response is passed on as it is. */
export function dialectOfChat(call: Call): Dialect | undefined {
  const { textTools } = call.kind === 'chat' ? call : {};
  return textTools === undefined ? undefined : dialectWith(new Set(textTools));
}

function dialectWith(textTools: ReadonlySet<string>): Dialect {
  return {
    renderBody: (completion, { charge }) => renderCompletion(completion, textTools, charge),
    openStream: (call) => new TextToolsStream(textTools, 'includeUsage' in call && call.includeUsage),
    renderError: errorBody,
  };
}

function renderCompletion(completion: ChatCompletion, textTools: ReadonlySet<string>, charge: RenderedCharge): string {
  const choices = completion.choices.map(({ message, ...choice }) => ({
    ...choice,
    message: { ...message, ...(message.tool_calls && { tool_calls: message.tool_calls.map(withText) }) },
  }));
  // The cost is spelled out digit by digit; a JavaScript number could not always hold it.
  const text = JSON.stringify({ ...completion, choices, usage: undefined });
  return `${text.slice(0, -1)},"usage":${renderUsage(charge)}}`;

  function withText<Called extends { function: { name: string; arguments: string } }>(call: Called): Called {
    if (!textTools.has(call.function.name)) return call;
    const input = new CustomInput();
    input.push(call.function.arguments);
    input.end();
    return { ...call, function: { ...call.function, arguments: input.text } };
  }
}

type Choice = ChatChunk['choices'][number];

class TextToolsStream implements DialectStream {
  readonly #textTools: ReadonlySet<string>;
  readonly #includeUsage: boolean;
  /** Of the calls of each choice that are not over, by their index. */
  readonly #inputs = new Map<number, Map<number, CustomInput>>();
  #last: ChatChunk | undefined;

  constructor(textTools: ReadonlySet<string>, includeUsage: boolean) {
    this.#textTools = textTools;
    this.#includeUsage = includeUsage;
  }

  push(chunk: ChatChunk): string {
    // The one with the usage is written at the end.
    if (chunk.choices.length === 0) return '';
    this.#last = chunk;
    return chunk.choices
      .flatMap((choice) => this.#translate(choice))
      .map((choice) => `data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\n`)
      .join('');
  }

  close(charge: RenderedCharge): string {
    const done = 'data: [DONE]\n\n';
    if (!this.#includeUsage) return done;
    const head = JSON.stringify({ ...this.#last, choices: [], usage: undefined });
    return `data: ${head.slice(0, -1)},"usage":${renderUsage(charge)}}\n\n${done}`;
  }

  fail: DialectStream['fail'] = (error) => `data: ${JSON.stringify(errorBody(error))}\n\n`;

  #translate(choice: Choice): Choice[] {
    const inputs = this.#inputs.get(choice.index) ?? new Map<number, CustomInput>();
    this.#inputs.set(choice.index, inputs);
    const calls = choice.delta.tool_calls?.map((call) => this.#withText(call, inputs));
    const translated = calls === undefined ? choice : { ...choice, delta: { ...choice.delta, tool_calls: calls } };
    const rests = choice.finish_reason === null ? [] : [...inputs].flatMap(restOf);
    if (rests.length === 0) return [translated];
    inputs.clear();
    // No client reads the end before what was missing.
    return [
      { ...translated, finish_reason: null },
      { index: choice.index, delta: { tool_calls: rests }, finish_reason: null },
      { index: choice.index, delta: {}, finish_reason: choice.finish_reason },
    ];
  }

  #withText(call: ToolCallDelta, inputs: Map<number, CustomInput>): ToolCallDelta {
    const { index, function: called } = call;
    if (called?.name !== undefined && this.#textTools.has(called.name)) inputs.set(index, new CustomInput());
    const input = inputs.get(index);
    if (input === undefined) return call;
    return { ...call, function: { ...called, arguments: input.push(called?.arguments ?? '') } };
  }
}

/** What is still missing from a text. */
function restOf([index, input]: [number, CustomInput]): ToolCallDelta[] {
  const rest = input.end();
  return rest === '' ? [] : [{ index, function: { arguments: rest } }];
}
