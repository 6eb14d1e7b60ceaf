/** Images of an OpenAI-compatible provider: which are charged, and what of the response is passed on. */
import { expect, test } from 'bun:test';
import type OpenAI from 'openai';
import { UpstreamFailure } from '../../../../../proxy/nouns/upstream-failure.ts';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { readImagesBody } from '../../../../../proxy/providers/openai/response/read-images.ts';
import { testCall } from '../calls.ts';

function read(response: object, n = 4) {
  const body = readImagesBody(JSON.stringify(response), testCall({ kind: 'image', n }));
  const rendered: OpenAI.ImagesResponse = JSON.parse(body.render({ usage: noUsage, costUsd: '0.000000001' }));
  return { images: body.made?.units.images, rendered };
}
const image = { b64_json: 'AAAA' };
const details = { text_tokens: 1, image_tokens: 2 };
const usage = { total_tokens: 6, input_tokens: 3, output_tokens: 3, input_tokens_details: details };

test('each image that arrived is counted, and an invalid one is left out', () => {
  const { images, rendered } = read({
    created: 7,
    data: [image, { url: 'u' }, { revised_prompt: 'p' }, null, { url: '' }],
  });
  expect(images).toBe(2);
  expect(rendered).toEqual({ created: 7, data: [image, { url: 'u' }] });
});

test('images beyond the requested number are neither counted nor passed on', () => {
  const { images, rendered } = read({ created: 7, data: [image, image, image] }, 2);
  expect([images, rendered.data?.length]).toEqual([2, 2]);
});

test("the provider's choices and its usage are passed on with the cost, and nothing else", () => {
  const choices = { background: 'opaque', output_format: 'png', quality: 'high', size: '1024x1024' } as const;
  const more = { output_tokens_details: details, secret: 1 };
  const { rendered } = read({ created: 7, data: [image], ...choices, usage: { ...usage, ...more }, model: 'secret' });
  const expected = { ...usage, output_tokens_details: details, cost: 0.000000001 };
  expect(rendered as object).toEqual({ created: 7, data: [image], ...choices, usage: expected });
});

test('a response without a time has the current one', () => {
  const before = Math.floor(Date.now() / 1_000);
  expect(read({ data: [image] }).rendered.created).toBeGreaterThanOrEqual(before);
});

test.each([null, { total_tokens: 6 }, { ...usage, input_tokens: -1 }, { ...usage, input_tokens_details: null }])(
  'a usage of %j is left out, because it does not have the published form',
  (broken) => {
    expect(read({ created: 7, data: [image], usage: broken }).rendered.usage).toBeUndefined();
  },
);

test.each([{}, { data: [] }, { data: [{ revised_prompt: 'p' }] }, { data: 'AAAA' }, { error: { message: 'no' } }])(
  'the response %j is a failure of the provider',
  (response) => {
    expect(() => read(response)).toThrow(UpstreamFailure);
  },
);
