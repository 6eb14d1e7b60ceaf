/** Tools that a provider would run and that have no price are left out by name, or refused if the request forces them. */
import { describe, expect, test } from 'bun:test';
import type { ChatCall } from '../../../../proxy/nouns/call.ts';
import { hostedKindOf, withoutWebSearch } from '../../../../proxy/nouns/requests/hosted-tools.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { parseChatCompletion, parseMessages, parseResponses } from '../../api/parse.ts';

interface Interface {
  readonly parse: (body: object) => {
    readonly body: object;
    readonly text: string | Buffer;
    readonly removedTools?: unknown;
  };
  readonly tool: object;
  /** `tool_choice` that makes the model call any tool, and one that names the hosted tool. */
  readonly any: unknown;
  readonly named: (type: string) => unknown;
  readonly types: readonly string[];
  /** Members of a hosted tool beside its type. */
  readonly members: object;
}

const messages = [{ role: 'user', content: 'Hello?' }];
const openaiTypes = [
  ...['web_search', 'web_search_preview', 'web_search_preview_2025_03_11', 'web_search_2025_08_26'],
  ...['image_generation', 'code_interpreter', 'file_search', 'mcp', 'x_search', 'openrouter:web_search'],
];

const interfaces: Readonly<Record<string, Interface>> = {
  'a chat completion': {
    parse: (body) => unpriced(parseChatCompletion(JSON.stringify({ model: 'm', messages, ...body }))),
    tool: { type: 'function', function: { name: 'f' } },
    any: 'required',
    named: (type) => ({ type }),
    types: openaiTypes,
    members: {},
  },
  'a response': {
    parse: (body) => unpriced(parseResponses(JSON.stringify({ model: 'm', input: 'Hello?', ...body }))),
    tool: { type: 'function', name: 'f' },
    any: 'required',
    named: (type) => ({ type }),
    types: openaiTypes,
    members: { server_label: 'x', server_url: 'https://mcp.example.com' },
  },
  'a message': {
    parse: (body) => unpriced(parseMessages(JSON.stringify({ model: 'm', max_tokens: 9, messages, ...body }))),
    tool: { name: 'f', input_schema: { type: 'object' } },
    any: { type: 'any' },
    named: () => ({ type: 'tool', name: 'hosted' }),
    types: ['web_search_20250305', 'web_fetch_20250910', 'code_execution_20250825', 'tool_search_tool_regex_20251119'],
    members: { name: 'hosted' },
  },
};

/** As a model without a price for searches gets it. */
function unpriced(call: ChatCall): ChatCall {
  return call.webSearch === undefined ? call : withoutWebSearch(call);
}

function refusalOf(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code} ${error.param}`;
    throw error;
  }
  return 'accepted';
}

const forced = 'unsupported_parameter tool_choice';

for (const [name, { parse, tool, any, named, types, members }] of Object.entries(interfaces)) {
  describe(name, () => {
    for (const type of types) {
      const hosted = { type, ...members };
      const kind = hostedKindOf(type) ?? 'none';

      test(`loses ${type}, keeps the other tools, and reports the removal`, () => {
        const given = parse({ tools: [hosted, tool, hosted] });
        expect(given.removedTools).toEqual([kind]);
        expect(JSON.parse(String(given.text))).toEqual(JSON.parse(String(parse({ tools: [tool] }).text)));
        expect(given.body).toEqual(JSON.parse(String(given.text)));
      });

      test(`has no tools left without ${type}, nor any setting of tools`, () => {
        const given = parse({ tools: [hosted], ...(name !== 'a message' && { parallel_tool_calls: true }) });
        expect(JSON.parse(String(given.text))).toEqual(JSON.parse(String(parse({}).text)));
      });

      test(`is refused if it forces ${type}, unless another tool remains`, () => {
        expect(refusalOf(() => parse({ tools: [tool, hosted], tool_choice: named(type) }))).toBe(forced);
        expect(refusalOf(() => parse({ tools: [hosted], tool_choice: any }))).toBe(forced);
        expect(refusalOf(() => parse({ tools: [tool, hosted], tool_choice: any }))).toBe('accepted');
      });
    }

    test('reports nothing if nothing was left out', () => {
      expect(parse({ tools: [tool] }).removedTools ?? []).toEqual([]);
    });
  });
}

test('allowed tools lose a hosted one, and none of them may be called if none is left', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }, { type: 'web_search' }];
  const choiceAfter = (mode: string, ...allowed: object[]) => {
    const tool_choice = { type: 'allowed_tools', allowed_tools: { mode, tools: allowed } };
    return JSON.parse(
      String(unpriced(parseChatCompletion(JSON.stringify({ model: 'm', messages, tools, tool_choice }))).text),
    ).tool_choice;
  };
  const [own] = tools;
  const search = { type: 'web_search' };
  expect(choiceAfter('auto', search, { ...own })).toEqual({
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [own] },
  });
  expect(choiceAfter('auto', search)).toBe('none');
  expect(refusalOf(() => choiceAfter('required', search))).toBe(forced);
});

test('a tool without a known kind is not left out', () => {
  for (const type of ['function', 'custom', 'web_searches', 'my_mcp', 'constructor', '', 7, null, undefined]) {
    expect(hostedKindOf(type)).toBeUndefined();
  }
});
