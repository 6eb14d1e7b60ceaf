/** A gateway with models at a scripted Bedrock, and a customer. */
import { guardTimeoutMs, readLedger, waitFor } from '../../../harness/account-view.ts';
import { chat } from '../../../harness/clients/chat.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { type Behaviour, rawResponse, writtenResponse } from '../../../harness/providers/scripted-provider.ts';
import { joined } from './frames.ts';

export const modelId = 'eu.anthropic.claude-sonnet-4-20250514-v1:0';
export const signer = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG', region: 'eu-central-1' };
/** Nano-dollars per token. */
export const price = { prompt: 3_000n, cachedPrompt: 300n, cacheWrite: 3_750n, completion: 15_000n };

const listed = 'price: { prompt: "3", cachedPrompt: "0.30", cacheWrite: "3.75", completion: "15" }';
const aws = '{ region: eu-central-1, accessKeyIdEnv: AWS_ACCESS_KEY_ID, secretAccessKeyEnv: AWS_SECRET_ACCESS_KEY }';
const model = (id: string, deployments: string) => `
  - { id: test/${id}, kind: chat, ownedBy: test, contextTokens: 200000, maxOutputTokens: 4096, ${listed},
      deployments: [${deployments}] }`;

export async function startStage() {
  const gateway = await startGateway({
    catalogue: (baseUrl) => `
providers:
  - { id: signed, protocol: bedrock, baseUrl: "${baseUrl}", aws: ${aws} }
  - { id: keyed, protocol: bedrock, baseUrl: "${baseUrl}", apiKeyEnv: BEDROCK_API_KEY }
models:${model('claude', `{ provider: signed, model: "${modelId}" }`)}${model('left', '{ provider: signed, model: left, onDisconnect: abort }')}${model('keyed', '{ provider: keyed, model: other }')}${model(
      'both',
      '{ provider: signed, model: first, priority: 1 }, { provider: signed, model: second, priority: 2 }',
    )}
`,
    proxyEnvironment: {
      PROVIDER_KEYS: 'AWS_ACCESS_KEY_ID,AWS_SECRET_ACCESS_KEY',
      AWS_ACCESS_KEY_ID: signer.accessKeyId,
      AWS_SECRET_ACCESS_KEY: signer.secretAccessKey,
      BEDROCK_API_KEY: 'bedrock-key',
    },
  });
  const { harness, proxy } = gateway;
  const customer = await harness.createCustomer({ usd: '20' });
  const ask = (body: object, options: { signal?: AbortSignal } = {}) =>
    chat(proxy, customer.proxyKey, { model: 'test/claude', ...body }, options);
  const askStream = (body: object = {}) => ask({ stream: true, stream_options: { include_usage: true }, ...body });

  /** The nano-dollars that the ledger was charged during `act`, once nothing is held. */
  async function chargeOf(act: () => Promise<void>): Promise<bigint> {
    const before = await readLedger(harness, customer.accountId);
    await act();
    return waitFor('the charge', guardTimeoutMs, async () => {
      const wallet = await harness.keeper.readWallet(customer.accountId);
      const { balanceNano, spentNano } = await readLedger(harness, customer.accountId);
      const settled = wallet?.heldNano === 0n && balanceNano === wallet.availableNano;
      return settled && spentNano > before.spentNano ? spentNano - before.spentNano : undefined;
    });
  }

  return { ...gateway, customer, ask, askStream, chargeOf };
}

export const eventStream = 'application/vnd.amazon.eventstream';

export function streams(frames: readonly Uint8Array[]): Behaviour {
  return rawResponse(joined(frames), eventStream);
}

/** The rest is sent once `begun` resolves, so not in one chunk with the beginning. */
export function streamsInTurn(
  beginning: readonly Uint8Array[],
  { begun, rest }: { begun: Promise<void>; rest: readonly Uint8Array[] },
): Behaviour {
  return writtenResponse(async ({ write }) => {
    write(joined(beginning));
    await begun;
    if (rest.length > 0) write(joined(rest));
  }, eventStream);
}

export const fails =
  (status: number, type: string, message: string): Behaviour =>
  () =>
    Response.json({ message }, { status, headers: { 'x-amzn-errortype': type } });
