/**
 * aider, from `aider/models.py` and `aider/coders/base_coder.py` at 5dc9490 (0.86.3.dev): it edits by the text of the answer, so
 * it sends no tools. LiteLLM 1.82.3 and OpenAI's client for Python are in between; they ask for usage only at api.openai.com.
 */
import type { Program } from './sent-request.ts';

const path = '/v1/chat/completions';
const example = [
  { role: 'user', content: 'Rename the function.' },
  { role: 'assistant', content: 'Ok.' },
];

export const aider: Program = {
  name: 'aider',
  headers: { 'user-agent': 'OpenAI/Python 2.24.0', 'x-stainless-lang': 'python', 'x-stainless-retry-count': '0' },
  requests: [
    {
      name: 'the first turn of a chat',
      path,
      body: {
        messages: [
          { role: 'system', content: 'Act as an expert software developer.' },
          ...example,
          { role: 'user', content: 'Here are the files:\n\nnote.txt' },
          { role: 'assistant', content: 'Ok, I will.' },
          { role: 'user', content: 'Write Hello into note.txt' },
          { role: 'system', content: 'Answer with SEARCH/REPLACE blocks.' },
        ],
        temperature: 0,
        stream: true,
      },
      reaches: ['Act as an expert', 'Write Hello into note.txt', 'SEARCH/REPLACE', '"temperature":0'],
    },
    {
      name: 'a commit message, by the weak model',
      path,
      body: {
        messages: [
          { role: 'system', content: 'Write a one-line commit message.' },
          { role: 'user', content: '# Diffs:\n+Hello' },
        ],
        temperature: 0,
        stream: false,
      },
      reaches: ['one-line commit message', '+Hello', '"temperature":0'],
    },
    {
      name: 'a chat whose prompt is cached, with a picture and --reasoning-effort',
      path,
      body: {
        messages: [
          {
            role: 'system',
            content: [{ type: 'text', text: 'Act as an expert.', cache_control: { type: 'ephemeral' } }],
          },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is in the picture?' },
              {
                type: 'image_url',
                image_url: {
                  url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
                },
              },
            ],
          },
        ],
        reasoning_effort: 'low',
        stream: true,
      },
      reaches: ['Act as an expert.', 'What is in the picture?', 'iVBORw0KGgoAAAANSUhEUg'],
    },
  ],
};
