/** Models that speak at a scripted provider, its responses, and requests for them. */
import type { Customer } from '../customers.ts';
import { type Gateway, startGateway } from '../gateway.ts';
import { customersOf, type NewCustomer } from './paying-customers.ts';
import { type Behaviour, eventStream, type Writing, writtenResponse } from './scripted-provider.ts';

/** Without a markup. A character costs 15,000 nano-dollars and a third; a token of text 600, one of audio 12,000. */
const speechCatalogue = (baseUrl: string) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:
  - id: test/by-character
    kind: speech
    ownedBy: test
    contextTokens: 4096
    price: { character: "0.000015333" }
    deployments: [{ provider: scripted, model: upstream-speech }]
  - id: test/by-token
    kind: speech
    ownedBy: test
    contextTokens: 2000
    maxOutputTokens: 4000
    price: { prompt: "0.6", completion: "12", request: "0.0001" }
    deployments: [{ provider: scripted, model: upstream-speech }]
  - id: test/two-providers
    kind: speech
    ownedBy: test
    contextTokens: 4096
    price: { character: "0.00001" }
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

export const characterNano = 15_333n;

export interface SpeechGateway extends Gateway {
  readonly newCustomer: NewCustomer;
  speak(customer: Customer, body: object, init?: RequestInit): Promise<Response>;
}

export async function startSpeechGateway(): Promise<SpeechGateway> {
  const gateway = await startGateway({ catalogue: speechCatalogue });
  const { proxy } = gateway;
  return {
    ...gateway,
    newCustomer: customersOf(gateway),
    speak: (customer, body, init = {}) =>
      fetch(`${proxy.url}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test/by-character', input: 'Hello, world.', voice: 'alloy', ...body }),
        ...init,
      }),
  };
}

/** Plain audio, chunk by chunk. */
export function plainAudio(chunks: readonly Uint8Array[], contentType = 'audio/mpeg'): Behaviour {
  return writtenResponse(async ({ write }) => {
    for (const chunk of chunks) {
      write(chunk);
      await nextTurn();
    }
  }, contentType);
}

export const deltaOf = (audio: Uint8Array) =>
  `data: ${JSON.stringify({ type: 'speech.audio.delta', audio: Buffer.from(audio).toString('base64') })}\n\n`;

/** The end of a stream of events; without usage where it is undefined. */
export const doneWith = (usage: unknown) => `data: ${JSON.stringify({ type: 'speech.audio.done', usage })}\n\n`;

/** Events, one for each chunk, and what follows them. */
export function audioEvents(chunks: readonly Uint8Array[], end: string): Behaviour {
  return scriptedAudio(async ({ write }) => {
    for (const chunk of chunks) {
      write(deltaOf(chunk));
      await nextTurn();
    }
    write(end);
  });
}

export const scriptedAudio = (script: (to: Writing) => Promise<void>) => writtenResponse(script, eventStream);

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** What a client reads of a response until it ends or its connection breaks. */
export async function readAudio(response: Response): Promise<{ audio: Buffer; isBroken: boolean }> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
  } catch {
    return { audio: Buffer.concat(chunks), isBroken: true };
  }
  return { audio: Buffer.concat(chunks), isBroken: false };
}
