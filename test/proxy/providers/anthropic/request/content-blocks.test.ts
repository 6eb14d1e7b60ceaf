/** Images and files become content blocks. */
import { describe, expect, test } from 'bun:test';
import { assistant, ephemeral, toolCall, upstreamBody, user } from '../chat-call.ts';

describe('images and files become content blocks:', () => {
  const base64 = (value: string) => Buffer.from(value).toString('base64');
  const file = (data: string, filename?: string) => ({ type: 'file', file: { file_data: data, filename } });
  const image = (url: string, extra: object = {}) => ({ type: 'image_url', image_url: { url }, ...extra });
  const translations: readonly [string, object, object][] = [
    [
      'an image as data',
      image('data:image/png;base64,aGk='),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
    ],
    [
      'a misspelt JPEG',
      image('data:image/jpg;base64,aGk='),
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'aGk=' } },
    ],
    [
      'an image by URL, with a cache mark',
      image('https://x.test/a.png', { cache_control: ephemeral }),
      { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' }, cache_control: ephemeral },
    ],
    [
      'a PDF',
      file('data:application/pdf;base64,JVBERi0=', 'a.pdf'),
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }, title: 'a.pdf' },
    ],
    [
      'a PDF by URL',
      file('https://x.test/a.pdf'),
      { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } },
    ],
    [
      'a text file',
      file(`data:text/csv;charset=utf-8;base64,${base64('ä;b')}`),
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ä;b' } },
    ],
    [
      'a text file, percent-encoded',
      file('data:,a%20b'),
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a b' } },
    ],
  ];
  for (const [name, part, expected] of translations) {
    test(name, () => {
      const content = [{ type: 'text', text: 'Look' }, part];
      expect(upstreamBody({ messages: [user(content)] }).messages).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'Look' }, expected] },
      ]);
    });
  }

  test('a tool result can be an image', () => {
    const messages = [
      user('Go'),
      assistant(null, { tool_calls: [toolCall('c1', 'shot', '{}')] }),
      { role: 'tool', tool_call_id: 'c1', content: [image('https://x.test/a.png')] },
    ];
    expect(upstreamBody({ messages }).messages).toMatchObject([
      {},
      {},
      { content: [{ type: 'tool_result', content: [{ type: 'image', source: { type: 'url' } }] }] },
    ]);
  });
});
