/** Models that transcribe at a scripted provider, recordings, and requests for their transcripts. */
import type { Customer } from '../customers.ts';
import { type Gateway, startGateway } from '../gateway.ts';
import { customersOf, type NewCustomer } from './paying-customers.ts';
import { type Behaviour, rawResponse } from './scripted-provider.ts';

/** Without a markup. A second costs 100,000 nano-dollars and a third; a token of audio 6,000, one of text 10,000. */
const transcriptionCatalogue = (baseUrl: string) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:
  - id: test/by-second
    kind: transcription
    ownedBy: test
    contextTokens: 4096
    price: { second: "0.000100333" }
    deployments: [{ provider: scripted, model: upstream-listener }]
  - id: test/by-token
    kind: transcription
    ownedBy: test
    contextTokens: 16000
    maxOutputTokens: 2000
    price: { prompt: "6", completion: "10", request: "0.0001" }
    deployments: [{ provider: scripted, model: upstream-listener }]
  - id: test/two-providers
    kind: transcription
    ownedBy: test
    contextTokens: 4096
    price: { second: "0.0001" }
    deployments:
      - { provider: scripted, model: upstream-first, priority: 1 }
      - { provider: scripted, model: upstream-second, priority: 2, onDisconnect: abort }
  - id: test/chat
    kind: chat
    ownedBy: test
    contextTokens: 8000
    maxOutputTokens: 100
    price: { prompt: "1", completion: "2" }
    deployments: [{ provider: scripted, model: upstream-chat }]
`;

export const secondNano = 100_333n;

type Fields = Readonly<Record<string, string | readonly string[]>>;

interface Sending {
  readonly file?: Uint8Array | undefined;
  readonly path?: string;
  readonly init?: RequestInit;
}

export interface RecordingGateway extends Gateway {
  readonly newCustomer: NewCustomer;
  /** A recording of eight seconds, unless another one is given. */
  transcribe(customer: Customer, fields?: Fields, sending?: Sending): Promise<Response>;
}

export async function startRecordingGateway(
  proxyEnvironment: Readonly<Record<string, string>> = {},
): Promise<RecordingGateway> {
  const gateway = await startGateway({ catalogue: transcriptionCatalogue, proxyEnvironment });
  const { proxy } = gateway;
  return {
    ...gateway,
    newCustomer: customersOf(gateway),
    transcribe: (customer, fields = {}, { file = wavOf(8), path = '/v1/audio/transcriptions', init = {} } = {}) =>
      fetch(`${proxy.url}${path}`, {
        method: 'POST',
        ...init,
        headers: { authorization: `Bearer ${customer.proxyKey}`, ...init.headers },
        body: formOf({ model: 'test/by-second', ...fields }, file),
      }),
  };
}

export function formOf(fields: Fields, file?: Uint8Array): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const each of typeof value === 'string' ? [value] : value) form.append(name, each);
  }
  if (file !== undefined && file.length > 0) form.append('file', new Blob([new Uint8Array(file)]), 'recording.wav');
  return form;
}

const samplesPerSecond = 8_000;

/** One channel of silence in eight bits, with a byte rate that may lie. */
export function wavOf(seconds: number, { claimedBytesPerSecond = samplesPerSecond } = {}): Uint8Array {
  const bytes = Math.round(seconds * samplesPerSecond);
  const file = Buffer.alloc(44 + bytes, 0x80);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + bytes, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(samplesPerSecond, 24);
  file.writeUInt32LE(claimedBytesPerSecond, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write('data', 36);
  file.writeUInt32LE(bytes, 40);
  return file;
}

/** What a provider returns, as JSON. */
export function transcript(more: object = {}): Behaviour {
  return rawResponse(JSON.stringify({ text: 'Hello, world.', ...more }));
}

export const durationOf = (seconds: unknown) => ({ usage: { type: 'duration', seconds } });
export const tokensOf = (input: unknown, output: unknown) => ({
  usage: { type: 'tokens', input_tokens: input, output_tokens: output, input_token_details: { audio_tokens: input } },
});
