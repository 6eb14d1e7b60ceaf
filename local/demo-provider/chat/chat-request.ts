/** Reads a chat completion request: everything is checked here, and only here. */
import { isObject } from '../../../shared/members.ts';
import { RequestError } from '../errors.ts';
import { booleanField, integerField, type JsonObject, numberField, objectField, stopField } from '../fields.ts';
import { outputBudget, requireModel } from '../models.ts';
import { countPromptTokens, type Message, readMessages } from './messages.ts';
import { type ForcedTool, forcedTool } from './tool-call.ts';

export const choicesMax = 16;

export interface ChatRequest {
  model: string;
  messages: Message[];
  promptTokens: number;
  tokensMax: number;
  stop: string[];
  choices: number;
  isStreamed: boolean;
  includesUsage: boolean;
  tool: ForcedTool | undefined;
  responseFormat: JsonObject | undefined;
}

export function readChatRequest(body: unknown): ChatRequest {
  if (!isObject(body)) throw new RequestError('The body must be a JSON object.');
  const model = requireModel(body, 'chat');
  const messages = readMessages(body);
  checkSampling(body);
  const wanted = integerField(body, 'max_tokens', { min: 1, max: Number.MAX_SAFE_INTEGER });
  const wantedLater = integerField(body, 'max_completion_tokens', { min: 1, max: Number.MAX_SAFE_INTEGER });
  const promptTokens = countPromptTokens(messages);
  return {
    model,
    messages,
    promptTokens,
    tokensMax: outputBudget(promptTokens, wantedLater ?? wanted),
    stop: stopField(body),
    choices: integerField(body, 'n', { min: 1, max: choicesMax }) ?? 1,
    isStreamed: booleanField(body, 'stream'),
    includesUsage: booleanField(objectField(body, 'stream_options') ?? {}, 'include_usage'),
    tool: forcedTool(body),
    responseFormat: objectField(body, 'response_format'),
  };
}

/** A demo model samples nothing, but wrong values must be refused as by a real one. */
export function checkSampling(body: JsonObject): void {
  numberField(body, 'temperature', { min: 0, max: 2 });
  numberField(body, 'top_p', { min: 0, max: 1 });
  numberField(body, 'frequency_penalty', { min: -2, max: 2 });
  numberField(body, 'presence_penalty', { min: -2, max: 2 });
}
