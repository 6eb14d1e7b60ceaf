/** Reads the tools of a request, and which of them the model may or must use. */
import { type Static, Type } from '@sinclair/typebox';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { withoutNullish } from '../../../../shared/members.ts';
import type { ChatRequest, ChatTool } from '../../../nouns/requests/chat-request.ts';
import { optional } from '../../../nouns/requests/fields.ts';
import { HostedTools, refuseForced } from '../../../nouns/requests/hosted-tools.ts';
import type { WebSearch } from '../../../nouns/requests/web-search.ts';
import { longMarkOf } from '../../chat-completions/content/cache-control.ts';
import { readTagged } from './read-tagged.ts';
import type { MessagesRequest } from './request-schema.ts';

const string = Type.String({ expected: 'a string' });
const boolean = Type.Boolean({ expected: 'a boolean' });
const object = Type.Record(Type.String(), Type.Unknown(), { expected: 'an object' });

const customTool = Type.Object({
  name: string,
  description: optional(string),
  input_schema: object,
  strict: optional(boolean),
  cache_control: optional(object),
});

const choice = { disable_parallel_tool_use: optional(boolean) };
const toolChoices = {
  auto: Type.Object({ type: Type.Literal('auto'), ...choice }),
  any: Type.Object({ type: Type.Literal('any'), ...choice }),
  tool: Type.Object({ type: Type.Literal('tool'), name: string, ...choice }),
  none: Type.Object({ type: Type.Literal('none') }),
};

interface ToolParameters {
  readonly parameters: Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>;
  readonly removedTools: readonly string[];
  readonly webSearch: WebSearch | undefined;
}

type Chosen = Static<(typeof toolChoices)[keyof typeof toolChoices]>;

/** Leaves out the tools that Anthropic would run. Throws GatewayError `unsupported_parameter` if one without a price is forced. */
export function toolParameters({ tools, tool_choice }: MessagesRequest): ToolParameters {
  const chosen = tool_choice ? readTagged(toolChoices, tool_choice, 'tool_choice') : undefined;
  const hosted = new HostedTools();
  let choosesHosted = false;
  const offered = (tools ?? []).flatMap((tool, index) => {
    const at = `tools[${index}]`;
    if (!hosted.takes(tool, at)) return [chatTool(tool, at)];
    if (chosen?.type === 'tool' && chosen.name === tool.name) choosesHosted = true;
    return [];
  });
  const { removed, webSearch } = hosted;
  if (choosesHosted && webSearch === undefined) refuseForced('tool_choice', removed);
  const isForced = choosesHosted || (chosen?.type === 'any' && offered.length === 0);
  return {
    parameters: functionParameters(offered, isForced && webSearch !== undefined ? undefined : chosen, removed),
    removedTools: removed,
    webSearch: webSearch && chosen?.type !== 'none' ? searchOf(webSearch, isForced) : undefined,
  };
}

function searchOf(webSearch: WebSearch, isForced: boolean): WebSearch {
  return { ...webSearch, showsResults: true, ...(isForced && { isForced, requiredBy: 'tool_choice' }) };
}

function functionParameters(
  tools: ChatTool[],
  chosen: Chosen | undefined,
  removed: readonly string[],
): ToolParameters['parameters'] {
  // Providers refuse an empty list of tools, and a choice among none.
  if (tools.length === 0) {
    if (chosen?.type === 'any' && removed.length > 0) refuseForced('tool_choice', removed);
    if (chosen?.type === 'any' || chosen?.type === 'tool') {
      throw invalidParameter('tool_choice', "'auto' or 'none' when there are no 'tools'");
    }
    return {};
  }
  const parallel = chosen !== undefined && 'disable_parallel_tool_use' in chosen && chosen.disable_parallel_tool_use;
  return {
    tools,
    ...(chosen === undefined ? {} : { tool_choice: choiceOf(chosen) }),
    ...(parallel ? { parallel_tool_calls: false } : {}),
  };
}

/** `at` is the tool's place in the body. */
export function chatTool(tool: Readonly<Record<string, unknown>>, at: string): ChatTool {
  const { type } = tool;
  if (type !== undefined && type !== null && type !== 'custom') {
    const param = `${at}.type`;
    throw unsupportedParameter(
      param,
      `'${param}' is not supported: tools that Anthropic defines are not available. Send the tool as 'custom', with an 'input_schema'.`,
    );
  }
  const { name, description, input_schema, strict, cache_control } = checkValue(customTool, tool, at);
  longMarkOf({ cache_control }, at);
  return {
    type: 'function',
    function: { name, parameters: input_schema, ...withoutNullish({ description, strict }) },
    ...withoutNullish({ cache_control }),
  };
}

/** Throws GatewayError `invalid_parameter`. */
export function chatChoice(choice: object) {
  return choiceOf(readTagged(toolChoices, choice, 'tool_choice'));
}

function choiceOf(choice: { type: 'auto' | 'any' | 'none' } | { type: 'tool'; name: string }) {
  switch (choice.type) {
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: choice.name } };
    default:
      return choice.type;
  }
}
