/**
 * Recorded responses of real providers through the real gateway: the client's response is in the published format and
 * complete, and costs exactly what the provider's own counts cost.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { readLedger, waitFor } from '../../harness/account-view.ts';
import { violationsAtRest } from '../../harness/books.ts';
import type { Customer } from '../../harness/customers.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import { type OpenaiSchema, openaiSchemasMissing, schemaProblems } from '../../harness/openapi/openai-schemas.ts';
import { catalogueOfEachKind } from '../../harness/providers/each-kind.ts';
import { rawResponse } from '../../harness/providers/scripted-provider.ts';
import { chunksOf, collectChat } from '../providers/openai/collect.ts';
import { type Recording, recordings, recordingsMissing } from './openai-recordings.ts';

const bodySchemas: Record<Recording['kind'], OpenaiSchema> = {
  chat: 'CreateChatCompletionResponse',
  completion: 'CreateCompletionResponse',
  embedding: 'CreateEmbeddingResponse',
};
const requests = {
  chat: { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Hello?' }] } },
  completion: { path: '/v1/completions', body: { prompt: 'Hello' } },
  embedding: { path: '/v1/embeddings', body: { input: ['sunny day', 'rainy day'], encoding_format: 'float' } },
};

interface Counts {
  readonly prompt_tokens: number;
  readonly completion_tokens?: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  readonly prompt_cache_hit_tokens?: number;
}

/** A customer pays 1,000 nano-dollars per prompt token, 500 per cached one, and 2,000 per output token. */
function costNano(usage: Counts): bigint {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0;
  const output = Math.max(usage.completion_tokens ?? 0, usage.total_tokens - usage.prompt_tokens);
  return BigInt((usage.prompt_tokens - cached) * 1_000 + cached * 500 + output * 2_000);
}

describe.skipIf(recordingsMissing || openaiSchemasMissing)(
  'a recording is delivered and charged exactly through the gateway:',
  () => {
    let gateway: Gateway;
    let customer: Customer;
    let spentNano = 0n;

    beforeAll(async () => {
      gateway = await startGateway({ catalogue: catalogueOfEachKind });
      customer = await gateway.harness.createCustomer({ usd: '10' });
    });
    afterAll(() => gateway.stop());

    for (const { name, kind, streamed, wire } of recordings) {
      test(`${name}`, async () => {
        gateway.provider.on(`upstream-${kind}`, rawResponse(wire, streamed ? 'text/event-stream' : 'application/json'));
        const { path, body } = requests[kind];
        const response = await fetch(`${gateway.proxy.url}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            model: `test/${kind}`,
            ...body,
            ...(streamed && { stream: true, stream_options: { include_usage: true } }),
          }),
        });
        expect(response.status).toBe(200);
        const text = await response.text();
        const responses = streamed ? chunksOf(text) : [JSON.parse(text)];
        const chunkSchema = kind === 'chat' ? 'CreateChatCompletionStreamResponse' : 'TextCompletionChunk';
        expect(responses.flatMap((each) => schemaProblems(streamed ? chunkSchema : bodySchemas[kind], each))).toEqual(
          [],
        );
        if (streamed) expect(text).toEndWith('data: [DONE]\n\n');

        const own = (streamed ? chunksOf(wire) : [JSON.parse(wire)]).findLast(({ usage }) => usage)?.usage as Counts;
        const cost = costNano(own);
        spentNano += cost;
        const usage = responses.at(-1)?.usage as Counts & { cost: number };
        expect(usage.prompt_tokens).toBe(own.prompt_tokens);
        expect(BigInt(Math.round(usage.cost * 1e9))).toBe(cost);
        await waitFor(
          'the charge in the ledger',
          5_000,
          async () => (await readLedger(gateway.harness, customer.accountId)).spentNano === spentNano,
        );
      });
    }

    test.each(
      recordings.filter(({ kind, streamed }) => kind === 'chat' && streamed).map(({ name, wire }) => [name, wire]),
    )("OpenAI's own client assembles the recording %s", async (_, wire) => {
      gateway.provider.on('upstream-chat', rawResponse(wire, 'text/event-stream'));
      const client = new OpenAI({ baseURL: `${gateway.proxy.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });
      const messages = [{ role: 'user' as const, content: 'Hello?' }];
      const response = await client.chat.completions.stream({ model: 'test/chat', messages }).finalChatCompletion();
      const collected = collectChat(chunksOf(wire));
      const [choice] = response.choices;
      expect(choice?.finish_reason as string).toBe(collected.finish ?? '');
      expect(choice?.message.content ?? '').toBe(collected.text);
      const calls = (choice?.message.tool_calls ?? []).map(
        (call) => call.type === 'function' && call.function.arguments,
      );
      expect(calls).toHaveLength(collected.finish === 'tool_calls' ? 1 : 0);
      for (const text of calls) expect(JSON.parse(String(text))).toBeObject();
    });

    test('the ledger is consistent after all recordings', async () => {
      expect(await violationsAtRest(gateway.harness, [customer.accountId])).toEqual([]);
    });
  },
);
