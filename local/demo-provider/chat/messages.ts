/** The conversation of a chat request: its form, its text and its length in tokens. */
import { isObject } from '../../../shared/members.ts';
import { RequestError } from '../errors.ts';
import type { JsonObject } from '../fields.ts';
import { contextTokens } from '../models.ts';
import { countTokens } from '../tokens.ts';

export interface Message {
  role: string;
  text: string;
}

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];
/** Tokens that OpenAI's chat format adds to each message, and to the beginning of the response. */
const tokensAroundMessage = 3;
const tokensBeforeReply = 3;

export function readMessages(body: JsonObject): Message[] {
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    throw new RequestError("'messages' must be a list of at least one message.", { param: 'messages' });
  }
  return body.messages.map((message: unknown, index) => {
    const param = `messages[${index}]`;
    if (!isObject(message)) throw new RequestError(`'${param}' must be an object.`, { param });
    const role = roles.find((known) => known === message.role);
    if (role === undefined) {
      throw new RequestError(`'${param}.role' must be one of ${roles.join(', ')}.`, { param: `${param}.role` });
    }
    return { role, text: textOf(message.content ?? '', `${param}.content`) };
  });
}

export function countPromptTokens(messages: readonly Message[]): number {
  let tokens = tokensBeforeReply;
  for (const { role, text } of messages) {
    tokens += tokensAroundMessage + countTokens(role) + countTokens(text, contextTokens - tokens);
    // Counting stops there: the prompt is too long in any case.
    if (tokens > contextTokens) break;
  }
  return tokens;
}

function textOf(content: unknown, param: string): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw new RequestError(`'${param}' must be a string or a list of parts.`, { param });
  return content.map((part: unknown, index) => textOfPart(part, `${param}[${index}]`)).join('\n');
}

function textOfPart(part: unknown, param: string): string {
  if (!isObject(part) || typeof part.type !== 'string') {
    throw new RequestError(`'${param}' must be an object with a 'type'.`, { param });
  }
  if (part.type === 'text' && typeof part.text === 'string') return part.text;
  if (part.type === 'text') throw new RequestError(`'${param}.text' must be a string.`, { param: `${param}.text` });
  return `[${part.type}]`;
}
