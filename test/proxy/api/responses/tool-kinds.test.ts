/**
 * Every kind of tool becomes a function of a chat completion and is returned as itself: the request, the call, and the
 * next turn with the result of the call, for generated sets of tools.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { responsesDialect } from '../../../../proxy/api/responses/responses-dialect.ts';
import type { ChatDelta } from '../../../../proxy/nouns/chat-completion.ts';
import { noUsage } from '../../../../proxy/nouns/usage.ts';
import { parseResponses } from '../parse.ts';
import { checkStream, readEvents } from './event-order.ts';
import { chunksOf, completionOf } from './model-responses.ts';

const requestId = '01999999-9999-7abc-8def-0123456789ab';
const charge = { usage: { ...noUsage, promptTokens: 10, completionTokens: 7 }, costUsd: '0.1' };

interface Tool {
  readonly type: 'function' | 'custom';
  readonly namespace: string | undefined;
  readonly name: string;
  /** Where the request has the tools. */
  readonly place: 'tools' | 'additional_tools' | 'tool_search_output';
}

/** Few names, so that some of them collide once they are joined; some are longer than a function's name may be. */
const nameOfTool = fc.constantFrom('a', 'b', 'a__b', 'exec', 'n__a', 'x'.repeat(60), 'tool_search');
const namespaceName = fc.constantFrom('a', 'n', 'a__b', 'with.dot', 'ns'.repeat(40), 'functions');
const tool: fc.Arbitrary<Tool> = fc.record({
  type: fc.constantFrom('function', 'custom'),
  namespace: fc.option(namespaceName, { nil: undefined }),
  name: nameOfTool,
  place: fc.constantFrom('tools', 'additional_tools', 'tool_search_output'),
});
const tools = fc.uniqueArray(tool, {
  minLength: 1,
  maxLength: 12,
  selector: ({ namespace, name }) => JSON.stringify([namespace, name]),
});

/** No two tools have the same description. */
const descriptionOf = ({ namespace, name }: Tool) => `Is ${JSON.stringify([namespace, name])}.`;

function definition(described: Tool): object {
  const { type, name } = described;
  const description = descriptionOf(described);
  return type === 'function'
    ? { type, name, description, parameters: { type: 'object', title: 'p' } }
    : { type, name, description, format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } };
}

function listOf(set: readonly Tool[], place: Tool['place']): object[] {
  const here = set.filter((candidate) => candidate.place === place);
  const namespaces = [...new Set(here.flatMap(({ namespace }) => namespace ?? []))];
  return [
    ...namespaces.map((name) => ({
      type: 'namespace',
      name,
      description: 'Some tools.',
      tools: here.filter(({ namespace }) => namespace === name).map(definition),
    })),
    ...here.filter(({ namespace }) => namespace === undefined).map(definition),
  ];
}

function requestWith(set: readonly Tool[], ...more: object[]): object {
  const found = { type: 'tool_search_output', call_id: 'search', execution: 'client', status: 'completed' };
  return {
    model: 'test/chat',
    tools: [...listOf(set, 'tools'), { type: 'tool_search', execution: 'client', parameters: { type: 'object' } }],
    input: [
      { type: 'additional_tools', role: 'developer', tools: listOf(set, 'additional_tools') },
      { role: 'user', content: 'Hello?' },
      {
        type: 'tool_search_call',
        call_id: 'search',
        execution: 'client',
        arguments: { query: 'q' },
        status: 'completed',
      },
      { ...found, tools: listOf(set, 'tool_search_output') },
      ...more,
    ],
  };
}

interface Chat {
  readonly tools: { function: { name: string; description?: string; parameters?: { properties?: object } } }[];
  readonly messages: {
    role: string;
    tool_call_id?: string;
    content: unknown;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  }[];
}

const callOf = (request: object) => parseResponses(JSON.stringify(request));
const chatOf = (request: object): Chat => JSON.parse(String(callOf(request).text));

/** The functions that represent the tools. */
function functionsOf(set: readonly Tool[]): [Tool, string][] {
  const offered = chatOf(requestWith(set)).tools;
  return set.map((one) => {
    const found = offered.filter(({ function: { description } }) => description?.startsWith(descriptionOf(one)));
    expect(found).toHaveLength(1);
    return [one, found.map(nameOf).join()];
  });
}

const nameOf = (offered: Chat['tools'][number]) => offered.function.name;

test('each tool is one function, with a name that every provider accepts', () => {
  fc.assert(
    fc.property(tools, (set) => {
      const names = chatOf(requestWith(set)).tools.map(nameOf);
      expect(names).toHaveLength(set.length + 1);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
      const plain = set.filter(({ namespace }) => namespace === undefined).map(({ name }) => name);
      for (const name of plain) expect(names).toContain(name);
    }),
  );
});

test('a call of any tool is returned as a call of that tool and sent back to the model unchanged', () => {
  fc.assert(
    fc.property(
      tools,
      fc.array(fc.tuple(fc.nat(), fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 })), {
        minLength: 1,
        maxLength: 4,
      }),
      (set, picks) => {
        const functions = functionsOf(set);
        const calls = picks.map(([pick, input, chunkLength], index) => {
          const [called, name] = functions[pick % functions.length] ?? [];
          if (called === undefined || name === undefined) throw new Error('no tool');
          const written = JSON.stringify(called.type === 'custom' ? { input } : { q: input });
          return { called, name, id: `call_${index}`, input, written, chunkLength };
        });
        const output = outputOf(requestWith(set), calls);
        expect(output.map(withoutIds)).toEqual(
          calls.map(({ called: { type, name, namespace }, id, input, written }) => ({
            type: type === 'custom' ? 'custom_tool_call' : 'function_call',
            call_id: id,
            name,
            ...(namespace !== undefined && { namespace }),
            ...(type === 'custom' ? { input } : { arguments: written }),
            status: 'completed',
          })),
        );
        const results = calls.map(({ called, id }) => ({
          type: called.type === 'custom' ? 'custom_tool_call_output' : 'function_call_output',
          call_id: id,
          output: `result of ${id}`,
        }));
        const { messages } = chatOf(requestWith(set, ...output, ...results));
        expect(messages.slice(-calls.length - 1)).toEqual([
          {
            role: 'assistant',
            content: null,
            tool_calls: calls.map(({ id, name, written }) => ({
              id,
              type: 'function',
              function: { name, arguments: written },
            })),
          },
          ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: `result of ${id}` })),
        ]);
      },
    ),
    { numRuns: 300 },
  );
});

type Call = { name: string; id: string; written: string; chunkLength: number };

/** The output that whole and streamed responses have in common. */
function outputOf(request: object, calls: readonly Call[]): object[] {
  const call = callOf({ ...request, stream: true });
  const deltas: ChatDelta[] = calls.flatMap(({ name, id, written, chunkLength }, index) => [
    { tool_calls: [{ index, id, type: 'function' as const, function: { name, arguments: '' } }] },
    ...(written.match(new RegExp(`[^]{1,${chunkLength}}`, 'g')) ?? []).map((chunk) => ({
      tool_calls: [{ index, function: { arguments: chunk } }],
    })),
  ]);
  const stream = responsesDialect.openStream(call, requestId);
  const events = chunksOf({ deltas, finish: 'tool_calls' }).map((chunk) => stream.push(chunk));
  const ended = checkStream(readEvents(events.join('') + stream.close(charge)));
  const message = {
    content: null,
    refusal: null,
    tool_calls: calls.map(({ id, name, written }) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: written },
    })),
  };
  const completion = completionOf({ name: '', deltas: [], finish: 'tool_calls', message });
  const whole = JSON.parse(responsesDialect.renderBody(completion, { call, charge, requestId }));
  expect(whole.output).toEqual(ended.output);
  return whole.output;
}

function withoutIds({ id: _, ...item }: { id?: string }): object {
  return item;
}

test('a tool search is returned with its arguments as an object, and its result offers the tools', () => {
  const found = { type: 'function', name: 'weather', parameters: { type: 'object' } };
  const search = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: {} };
  const request = { model: 'test/chat', input: 'Hello?', tools: [search] };
  expect(chatOf(request).tools).toEqual([
    { type: 'function', function: { name: 'tool_search', description: 'Finds tools.', parameters: {} } },
  ] as never);
  const [item] = outputOf(request, [{ name: 'tool_search', id: 'c', written: '{"query":"rain"}', chunkLength: 3 }]);
  expect(withoutIds(item ?? {})).toEqual({
    type: 'tool_search_call',
    call_id: 'c',
    execution: 'client',
    arguments: { query: 'rain' },
    status: 'completed',
  });
  const output = { type: 'tool_search_output', call_id: 'c', execution: 'client', tools: [found] };
  const next = chatOf({ ...request, input: [{ role: 'user', content: 'Hello?' }, item, output] });
  expect(next.tools.map(nameOf)).toEqual(['tool_search', 'weather']);
  expect(next.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'tool_search', arguments: '{"query":"rain"}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: '{"tools":["weather"]}' },
  ] as never);
});

test('all tools are offered if the provider would search for them', () => {
  const tools = [{ type: 'tool_search' }, { type: 'function', name: 'weather', defer_loading: true }];
  expect(chatOf({ model: 'test/chat', input: 'Hello?', tools }).tools.map(nameOf)).toEqual(['weather']);
});

test('the description of a custom tool has its grammar, which a function cannot enforce', () => {
  const patch = { type: 'custom', name: 'patch', description: 'Edits files.' };
  const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };
  const described = (tool: object) =>
    chatOf({ model: 'test/chat', input: 'Hello?', tools: [tool] }).tools[0]?.function.description;
  expect(described({ ...patch, format })).toBe('Edits files.\n\nThe input must match this grammar (lark):\nstart: "x"');
  expect(described({ ...patch, format: { type: 'text' } })).toBe('Edits files.');
  expect(described({ type: 'custom', name: 'patch' })).toBeUndefined();
});

test('a tool choice names a tool by kind, name and namespace', () => {
  const inner = { type: 'custom', name: 'exec' };
  const given = [
    { type: 'namespace', name: 'n', tools: [inner] },
    { type: 'custom', name: 'patch' },
    { type: 'function', name: 'weather' },
  ];
  const chosen = (tool_choice: object) => {
    const { tools, tool_choice: choice } = callOf({ model: 'test/chat', input: 'x', tools: given, tool_choice }).body;
    return { choice, names: tools?.map((tool) => tool.function?.name) };
  };
  const all = ['n__exec', 'patch', 'weather'];
  const one = (name: string) => ({ choice: { type: 'function', function: { name } }, names: all });
  const some = (mode: string, ...tools: object[]) => chosen({ type: 'allowed_tools', mode, tools });
  expect(chosen({ type: 'custom', name: 'patch' })).toEqual(one('patch'));
  expect(chosen({ type: 'custom', name: 'exec', namespace: 'n' })).toEqual(one('n__exec'));
  expect(some('auto', { type: 'namespace', name: 'n' })).toEqual({ choice: undefined, names: ['n__exec'] });
  expect(some('required', { type: 'custom', name: 'patch' }, { type: 'web_search' })).toEqual({
    choice: 'required',
    names: ['patch'],
  });
});

test('the response repeats the tools and the choice as they were sent, without those that were left out', () => {
  const given = [
    { type: 'custom', name: 'patch', format: { type: 'text' } },
    { type: 'namespace', name: 'n', tools: [] },
  ];
  const call = callOf({
    model: 'm',
    input: 'x',
    tools: [...given, { type: 'web_search' }],
    client_metadata: { a: 'b' },
  });
  const completion = completionOf({ name: '', deltas: [], finish: 'stop', message: { content: 'x', refusal: null } });
  const response = JSON.parse(responsesDialect.renderBody(completion, { call, charge, requestId }));
  expect(response).toMatchObject({ tools: given, tool_choice: 'auto' });
  expect(call.text).not.toContain('client_metadata');
});

test('a call of a function that was not offered is returned as a function call', () => {
  const [item] = outputOf({ model: 'm', input: 'x', tools: [] }, [
    { name: 'made_up', id: 'c', written: '{}', chunkLength: 1 },
  ]);
  expect(item).toMatchObject({ type: 'function_call', name: 'made_up', arguments: '{}' });
});
