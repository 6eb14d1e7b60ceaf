/**
 * The settings of the request, as the response object repeats them. For a missing one it has the default of the API format
 * if that holds for every model, and null otherwise. The gateway neither stores nor truncates, and the fields say so.
 */
import type { ClientTool } from '../request/read-tools.ts';
import type { Settings } from '../request/settings.ts';
import type { Response } from '../response-schemas.ts';

type EchoedFields = Omit<
  Response,
  'id' | 'object' | 'created_at' | 'completed_at' | 'status' | 'error' | 'incomplete_details' | 'output' | 'usage'
>;

export function echoSettings({ request, tools, toolChoice, format, verbosity, reasoning }: Settings): EchoedFields {
  return {
    model: request.model,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    temperature: request.temperature ?? null,
    top_p: request.top_p ?? null,
    top_logprobs: 0,
    tool_choice: toolChoice.requested,
    tools: tools.listed.map(echoTool),
    text: { format, verbosity: verbosity ?? null },
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    truncation: 'disabled',
    store: false,
    background: false,
    previous_response_id: null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    safety_identifier: request.safety_identifier ?? null,
    ...(typeof request.user === 'string' && { user: request.user }),
  };
}

function echoTool(tool: ClientTool): object {
  if (tool.type !== 'function') return tool;
  const { type, name, description, parameters, strict } = tool;
  return { type, name, description: description ?? null, parameters: parameters ?? null, strict: strict ?? null };
}
