/**
 * The results of tool calls. Gemini identifies a call by the function's name and its position among the calls of a turn
 * instead of an id, so results are put in the order of their calls, all of a turn in one content.
 */
import { invalidParameter } from '../../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../../shared/members.ts';
import type { JsonRecord } from '../../../nouns/json/record.ts';
import type { ChatMessage, ChatToolCall } from '../../../nouns/requests/chat-request.ts';
import { type Content, plainTextOf } from './content.ts';

interface Result {
  readonly order: number;
  readonly response: JsonRecord;
  readonly media: readonly JsonRecord[];
}

export class ToolResults {
  readonly #callsById = new Map<string, { name: string; order: number }>();
  #calls = 0;
  #results: Result[] = [];

  noteCalls(calls: readonly ChatToolCall[]): void {
    for (const call of calls) {
      this.#calls += 1;
      // A repeated id belongs to the latest call.
      if (call.id && call.function) this.#callsById.set(call.id, { name: call.function.name, order: this.#calls });
    }
  }

  /** Throws GatewayError if the message answers no call. */
  add(message: ChatMessage, { param, media }: { param: string; media: readonly JsonRecord[] }): void {
    const call = this.#callOf(message, param);
    const response = responseOf(plainTextOf(message.content));
    this.#results.push({ order: call.order, response: { functionResponse: { name: call.name, response } }, media });
  }

  flushInto(contents: Content[]): void {
    if (this.#results.length === 0) return;
    const ordered = this.#results.sort((one, other) => one.order - other.order);
    const parts = [...ordered.map(({ response }) => response), ...ordered.flatMap(({ media }) => media)];
    contents.push({ role: 'user', parts });
    this.#results = [];
  }

  #callOf(message: ChatMessage, param: string): { name: string; order: number } {
    // Messages in the older format name the function itself.
    if (message.role === 'function' && message.name) return { name: message.name, order: this.#calls };
    const call = this.#callsById.get(message.tool_call_id ?? '');
    if (call !== undefined) return call;
    throw invalidParameter(`${param}.tool_call_id`, 'the id of a tool call in an earlier assistant message');
  }
}

/** An object is passed on unchanged; anything else becomes `output`, as the API's reference says. */
function responseOf(text: string): JsonRecord {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : { output: text };
  } catch {
    return { output: text };
  }
}
