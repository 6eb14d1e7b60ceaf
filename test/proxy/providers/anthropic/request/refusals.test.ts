/** Requests that are refused, and the parameter that the error names. */
import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../../../../shared/errors.ts';
import { assistant, toolCall, upstreamBody, user, weather } from '../chat-call.ts';

describe('a request to Anthropic is refused with', () => {
  const refusals: readonly [object, string, string][] = [
    [{ n: 2 }, 'unsupported_parameter', 'n'],
    [{ logprobs: true }, 'unsupported_parameter', 'logprobs'],
    [{ top_logprobs: 3 }, 'unsupported_parameter', 'top_logprobs'],
    [{ frequency_penalty: 0.1 }, 'unsupported_parameter', 'frequency_penalty'],
    [{ presence_penalty: -1 }, 'unsupported_parameter', 'presence_penalty'],
    [{ logit_bias: { 5: 1 } }, 'unsupported_parameter', 'logit_bias'],
    [{ functions: [{ name: 'x' }] }, 'unsupported_parameter', 'functions'],
    [{ stop: ['a', ' \n'] }, 'unsupported_parameter', 'stop'],
    [{ response_format: { type: 'grammar' } }, 'unsupported_parameter', 'response_format.type'],
    [{ tools: [{ type: 'custom' }] }, 'unsupported_parameter', 'tools[0].type'],
    [{ tools: [weather], tool_choice: 'sometimes' }, 'invalid_parameter', 'tool_choice'],
    [{ tools: [weather], tool_choice: { type: 'allowed_tools' } }, 'unsupported_parameter', 'tool_choice.type'],
    [{ reasoning_effort: 'wild' }, 'invalid_parameter', 'reasoning_effort'],
    [{ reasoning_effort: 'constructor' }, 'invalid_parameter', 'reasoning_effort'],
    [{ reasoning: { effort: 'wild' } }, 'invalid_parameter', 'reasoning.effort'],
    [{ messages: [assistant('Hi'), user('x')] }, 'invalid_parameter', 'messages[0]'],
    [{ messages: [{ role: 'system', content: 'x' }, user(' ')] }, 'invalid_parameter', 'messages'],
    [
      { messages: [user([{ type: 'input_audio', input_audio: { data: 'x', format: 'wav' } }])] },
      'unsupported_parameter',
      'messages[0].content[0].type',
    ],
    [
      { messages: [user([{ type: 'image_url', image_url: { url: 'http://x.test' } }])] },
      'invalid_parameter',
      'messages[0].content[0].image_url.url',
    ],
    [
      { messages: [user([{ type: 'image_url', image_url: { url: 'data:image/png,abc' } }])] },
      'invalid_parameter',
      'messages[0].content[0].image_url.url',
    ],
    [{ messages: [user([{ type: 'image_url' }])] }, 'missing_parameter', 'messages[0].content[0].image_url'],
    [
      { messages: [user([{ type: 'file', file: { filename: 'a.pdf' } }])] },
      'unsupported_parameter',
      'messages[0].content[0].file.file_data',
    ],
    [
      { messages: [user([{ type: 'file', file: { file_data: 'data:audio/wav;base64,aGk=' } }])] },
      'unsupported_parameter',
      'messages[0].content[0].file.file_data',
    ],
    [
      { messages: [user([{ type: 'file', file: { file_data: 'data:text/plain;base64,/w==' } }])] },
      'invalid_parameter',
      'messages[0].content[0].file.file_data',
    ],
    [
      {
        messages: [
          { role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://x.test' } }] },
          user('x'),
        ],
      },
      'unsupported_parameter',
      'messages[0].content[0].type',
    ],
    [{ messages: [user('x'), { role: 'tool', content: 'y' }] }, 'missing_parameter', 'messages[1].tool_call_id'],
    [
      { messages: [user('x'), { role: 'function', name: 'f', content: 'y' }] },
      'unsupported_parameter',
      'messages[1].role',
    ],
    ...['{"a":', '[1]', '"x"', 'null'].map(
      (args) =>
        [
          {
            messages: [
              user('x'),
              assistant(null, { tool_calls: [toolCall('a', 'f', '{}'), toolCall('b', 'f', args)] }),
            ],
          },
          'invalid_parameter',
          'messages[1].tool_calls[1].function.arguments',
        ] as [object, string, string],
    ),
    [
      { messages: [user('x'), assistant(null, { tool_calls: [{ type: 'function', function: { name: 'f' } }] })] },
      'missing_parameter',
      'messages[1].tool_calls[0].id',
    ],
  ];
  for (const [fields, code, param] of refusals) {
    test(`${code} ${param}: ${JSON.stringify(fields).slice(0, 90)}`, () => {
      expect(refusalOf(() => upstreamBody({ ...fields }))).toMatchObject({ code, param, status: 400 });
    });
  }
});

function refusalOf(build: () => unknown) {
  try {
    build();
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.param, status: error.status };
    throw error;
  }
  return undefined;
}
