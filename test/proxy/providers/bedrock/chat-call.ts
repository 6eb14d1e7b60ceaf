/** Calls and targets as the relay passes them to the adapter. */
import type { UpstreamTarget } from '../../../../proxy/providers/adapter.ts';
import { buildConverseRequest } from '../../../../proxy/providers/bedrock/request/build-request.ts';
import type { PublishedProvider } from '../../../../shared/catalogue/published-catalogue.ts';
import { chatCall } from '../anthropic/chat-call.ts';

interface TargetOptions {
  readonly outputCap?: number;
  readonly quirks?: PublishedProvider['quirks'];
  readonly apiKey?: string;
  readonly model?: string;
}

const claude = 'eu.anthropic.claude-sonnet-4-20250514-v1:0';

export function target({ outputCap = 4096, quirks = {}, apiKey, model = claude }: TargetOptions = {}): UpstreamTarget {
  const provider = {
    id: 'bedrock',
    protocol: 'bedrock',
    baseUrl: 'https://bedrock.test',
    apiKeyEnv: '',
    quirks,
  } as const;
  return {
    apiKey,
    outputCap,
    deployment: { name: `bedrock/${model}`, provider, model, priority: 1, weight: 1, onDisconnect: 'drain' },
  };
}

/** The body that the provider receives. */
export function upstreamBody(fields: Readonly<Record<string, unknown>>, options: TargetOptions = {}) {
  return JSON.parse(String(buildConverseRequest(chatCall(fields), target(options)).body)) as Record<string, unknown>;
}
