/** Translates tools to function declarations, and the tool choice to a calling mode. */
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../../shared/members.ts';
import { asArray, asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';
import type { ChatRequest, ChatTool } from '../../../nouns/requests/chat-request.ts';
import { isEmptyObjectSchema, toOpenApiSchema } from './openapi-schema.ts';

/** The members `tools` and `toolConfig`; none if the chat has no tools. Throws GatewayError. */
export function toolsOf(body: ChatRequest): JsonRecord {
  const choice = choiceOf(body.tool_choice);
  const offered = (body.tools ?? []).map(declarationOf);
  // The mode ANY can name the functions that may be called. With AUTO, the other functions are not declared.
  const declared =
    choice.mode === 'AUTO' && choice.names !== undefined ? offered.filter(isNamed(choice.names)) : offered;
  if (declared.length === 0) return {};
  const functionCallingConfig = {
    mode: choice.mode,
    ...(choice.mode === 'ANY' && choice.names !== undefined ? { allowedFunctionNames: choice.names } : {}),
  };
  return {
    tools: [{ functionDeclarations: declared }],
    ...(body.tool_choice ? { toolConfig: { functionCallingConfig } } : {}),
  };
}

function declarationOf(tool: ChatTool, index: number): JsonRecord {
  if (!tool.function) {
    throw unsupportedParameter(`tools[${index}].type`, "This model only supports tools of type 'function'.");
  }
  const { name, description, parameters } = tool.function;
  const schema = toOpenApiSchema({ type: 'object', ...parameters });
  return {
    name,
    ...(description ? { description } : {}),
    ...(isEmptyObjectSchema(schema) ? {} : { parameters: schema }),
  };
}

interface Choice {
  readonly mode: 'AUTO' | 'ANY' | 'NONE';
  readonly names?: readonly string[];
}

function choiceOf(choice: ChatRequest['tool_choice']): Choice {
  if (typeof choice === 'string') return modeOf(choice);
  if (!choice) return { mode: 'AUTO' };
  if (choice.function) return { mode: 'ANY', names: [choice.function.name] };
  const { allowed_tools: allowed }: JsonRecord = choice;
  if (choice.type !== 'allowed_tools') return modeOf(choice.type);
  const { mode, tools } = asRecord(allowed);
  const names = asArray(tools)
    .filter(isObject)
    .flatMap((tool) => asText(asRecord(tool.function).name) ?? []);
  return { ...modeOf(mode), names };
}

/** `any` is Mistral's and Anthropic's name for `required`. */
function modeOf(word: unknown): Choice {
  if (word === 'auto') return { mode: 'AUTO' };
  if (word === 'none') return { mode: 'NONE' };
  if (word === 'required' || word === 'any') return { mode: 'ANY' };
  throw invalidParameter('tool_choice', 'none, auto, required or an object that names a function');
}

function isNamed(names: readonly string[]) {
  const named = new Set(names);
  return (declaration: JsonRecord) => named.has(String(declaration.name));
}
