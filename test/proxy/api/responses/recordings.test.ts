/**
 * Recorded provider responses, through their adapters and rendered in the Responses API format. The recordings are next
 * to the checkout; without them, these tests are skipped.
 */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { responsesDialect } from '../../../../proxy/api/responses/responses-dialect.ts';
import { noUsage } from '../../../../proxy/nouns/usage.ts';
import type { Deployment } from '../../../../proxy/pricing/catalogue.ts';
import { adapterOf } from '../../../../proxy/providers/adapters.ts';
import { DialectResponseStream } from '../../../../proxy/request/response/dialect-response-stream.ts';
import type { Protocol } from '../../../../shared/catalogue/published-catalogue.ts';
import { parseResponses } from '../parse.ts';
import { checkStream, type Ended, readEvents } from './event-order.ts';

const directory = join(import.meta.dir, '../../../../../shared/recordings');
const missing = !existsSync(directory);
if (missing) console.info(`skipped what needs ${directory}, which is missing`);
const notChat = /embedding|completion|429|README/;
const names = missing ? [] : readdirSync(directory).filter((name) => !notChat.test(name));
const textOfFile = (name: string) => readFileSync(join(directory, name), 'utf8').trim();

const requestId = '01999999-9999-7abc-8def-0123456789ab';
const usage = { ...noUsage, promptTokens: 1, completionTokens: 1 };
const charge = { usage, costUsd: '0.1' };
const request = { model: 'm', input: 'Hello?', include: ['reasoning.encrypted_content'] };

const protocolOf = (name: string): Protocol =>
  name.startsWith('anthropic') ? 'anthropic' : name.startsWith('google') ? 'gemini' : 'openai';

function setting(name: string, stream: boolean) {
  const protocol = protocolOf(name);
  const { chat } = adapterOf(protocol).operations;
  if (chat === undefined) throw new Error(`no chat by ${protocol}`);
  const provider = { id: 'p', protocol, baseUrl: 'https://example.com', apiKeyEnv: '', quirks: {} };
  const deployment: Deployment = { name: 'p/m', provider, model: 'm', priority: 1, weight: 1, onDisconnect: 'abort' };
  return { chat, deployment, call: parseResponses(JSON.stringify({ ...request, stream })) };
}

function framed(name: string): string {
  const lines = textOfFile(name).split('\n');
  if (protocolOf(name) === 'gemini') return lines.map((line) => `data: ${line}\r\n\r\n`).join('');
  if (protocolOf(name) === 'openai') return [...lines, '[DONE]'].map((line) => `data: ${line}\n\n`).join('');
  return lines.map((line) => `event: ${JSON.parse(line).type}\ndata: ${line}\n\n`).join('');
}

function streamed(name: string): Ended {
  const { chat, deployment, call } = setting(name, true);
  const inner = chat.openStream?.(call, deployment);
  if (inner === undefined) throw new Error('no stream');
  const stream = new DialectResponseStream(inner, responsesDialect.openStream(call, requestId));
  const text = new TextDecoder().decode(stream.push(new TextEncoder().encode(framed(name))));
  expect(stream.complete).toBe(true);
  return checkStream(readEvents(text + stream.close(charge)));
}

function whole(name: string): Ended {
  const { chat, deployment, call } = setting(name, false);
  const completion = JSON.parse(chat.readBody(textOfFile(name), call, deployment).render(charge));
  return JSON.parse(responsesDialect.renderBody(completion, { call, charge, requestId }));
}

describe.skipIf(missing)('recorded responses', () => {
  test.each(names)('are rendered as a response whose items can be sent back: %s', (name) => {
    const response = name.endsWith('.json') ? whole(name) : streamed(name);
    expect(response.output.length).toBeGreaterThan(0);
    expect(['completed', 'incomplete']).toContain(String(response.status));
    for (const item of response.output) {
      if (item.type !== 'function_call') continue;
      expect(item.name).not.toBe('');
      expect(item.call_id).not.toBe('');
      expect(JSON.parse(item.arguments)).toBeObject();
    }
    const outputs = response.output.flatMap((item) =>
      item.type === 'function_call' ? [{ type: 'function_call_output', call_id: item.call_id, output: 'ok' }] : [],
    );
    const input = [{ role: 'user', content: 'Hello?' }, ...response.output, ...outputs];
    const { messages } = parseResponses(JSON.stringify({ ...request, input })).body;
    const tools = outputs.map(() => 'tool');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', ...tools]);
  });
});
