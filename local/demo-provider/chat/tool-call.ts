/** Decides whether a chat request forces a tool call, and which. The demo model never calls a tool on its own. */
import { isObject } from '../../../shared/members.ts';
import { RequestError } from '../errors.ts';
import type { JsonObject } from '../fields.ts';
import { exampleOf } from './schema-example.ts';

export interface ForcedTool {
  name: string;
  /** JSON in a string, as the protocol defines it. */
  arguments: string;
}

export function forcedTool(body: JsonObject): ForcedTool | undefined {
  const choice = body.tool_choice ?? 'auto';
  if (choice === 'auto' || choice === 'none') return undefined;
  const functions = readFunctions(body);
  const wanted = choice === 'required' ? functions[0]?.name : nameIn(choice);
  const tool = functions.find(({ name }) => name === wanted);
  if (tool !== undefined) return { name: tool.name, arguments: JSON.stringify(exampleOf(tool.parameters)) };
  throw new RequestError("'tool_choice' does not name one of 'tools'.", { param: 'tool_choice' });
}

function readFunctions(body: JsonObject): { name: string; parameters: unknown }[] {
  const tools = body.tools ?? [];
  if (!Array.isArray(tools)) throw new RequestError("'tools' must be a list.", { param: 'tools' });
  return tools.map((tool: unknown, index) => {
    const definition = isObject(tool) ? tool.function : undefined;
    if (!isObject(definition) || typeof definition.name !== 'string') {
      throw new RequestError(`'tools[${index}]' must be a function with a name.`, { param: `tools[${index}]` });
    }
    return { name: definition.name, parameters: definition.parameters };
  });
}

function nameIn(choice: unknown): unknown {
  return isObject(choice) && isObject(choice.function) ? choice.function.name : undefined;
}
