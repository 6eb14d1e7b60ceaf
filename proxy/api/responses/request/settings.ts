/** The settings of a Responses request that the response echoes or depends on: everything but the input. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import {
  type ReasoningSettings,
  type ResponsesCall,
  type ResponsesRequest,
  reasoningSettings,
  type SentResponsesRequest,
  type TextSettings,
  textSettings,
} from '../../../nouns/requests/responses-request.ts';
import { readFormat, type TextFormat } from './read-format.ts';
import { readTools, type Tools } from './read-tools.ts';
import { readToolChoice, type ToolChoice } from './tool-choice.ts';
import { includeEncryptedReasoning } from './unsupported.ts';

export interface Settings extends SentResponsesRequest {
  readonly tools: Tools;
  readonly toolChoice: ToolChoice;
  readonly format: TextFormat;
  readonly verbosity: TextSettings['verbosity'];
  readonly reasoning: ReasoningSettings;
  /** Whether reasoning items include what the model needs back on the next turn. */
  readonly includesThoughts: boolean;
}

/** The request, read for models that are not asked through a Responses API. */
export interface ReadResponsesCall extends ResponsesCall {
  readonly settings: Settings;
}

/** `source` is the request as JSON. Throws GatewayError. */
export function readSettings(request: ResponsesRequest, source: string): Settings {
  const tools = readTools(request);
  const text = checkValue(textSettings, request.text ?? {}, 'text');
  return {
    request,
    source,
    tools,
    toolChoice: readToolChoice(request.tool_choice, tools),
    format: readFormat(text),
    verbosity: text.verbosity,
    reasoning: checkValue(reasoningSettings, request.reasoning ?? {}, 'reasoning'),
    includesThoughts: request.include?.includes(includeEncryptedReasoning) ?? false,
  };
}
