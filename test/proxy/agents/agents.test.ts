/**
 * Coding agents as npm has them, with the settings of docs/agents.md, through the real gateway: a task with a tool call
 * and a second turn with its result. Only the model is scripted. The agents are installed when this test first runs;
 * without a registry to install them from, they are skipped. `npm test` runs those that use more of the gateway than chat
 * completions, and `npm run test:agents` runs all.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spentAtRest } from '../../harness/books.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { startGateway } from '../../harness/gateway.ts';
import { type Agent, agents as allAgents } from './agents.ts';
import { installAgent } from './install-agents.ts';
import { runAgent, timeoutMs } from './run-agent.ts';
import { agentModel, finalText } from './scripted-agent-model.ts';

/** They use more than chat completions. */
const isInPart = ({ package: name }: Agent) => ['codex', 'claude-code'].includes(name);
const agents = inCampaign(
  allAgents.filter(isInPart),
  allAgents,
  allAgents.filter((agent) => !isInPart(agent)),
);

/** 1,000 prompt tokens of 1,000 nano-dollars and 50 output tokens of 2,000. */
const chargeOfEach = 1_100_000n;

const catalogueOf = (baseUrl: string) => `
markup: "1"
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:${agents
  .map(
    ({ model }) => `
  - { id: "${model}", kind: chat, ownedBy: test, contextTokens: 200000, maxOutputTokens: 32000,
      price: { prompt: "1", completion: "2" }, deployments: [{ provider: scripted, model: "upstream-${model}" }] }`,
  )
  .join('')}
`;

/** The folders of the agents, by their package. */
const installed = new Map<string, string>();
for (const name of new Set(agents.map((agent) => agent.package))) {
  const installation = await installAgent(name);
  if (installation.ok) installed.set(name, installation.directory);
  else console.warn(`${name} is not tested, because it cannot be installed: ${installation.why}`);
}

describe('an agent writes a file, is charged for each of its requests, and leaves no hold (campaign)', async () => {
  const { harness, provider, proxy, stop } = await startGateway({ catalogue: catalogueOf });
  const homes: string[] = [];

  afterAll(async () => {
    await stop();
    for (const home of homes) await rm(home, { recursive: true, force: true });
  });

  const run = async (agent: Agent) => {
    const directory = installed.get(agent.package);
    if (directory === undefined) return undefined;
    provider.on(`upstream-${agent.model}`, agentModel(agent.steps));
    const customer = await harness.createCustomer({ usd: '5' });
    const home = await mkdtemp(join(tmpdir(), 'gateway-agent-'));
    homes.push(home);
    const outcome = await runAgent(agent, { url: proxy.url, key: customer.proxyKey, home }, directory);
    return { customer, outcome };
  };
  /** As many agents run concurrently as there are processors; each test waits for its own. */
  const outcomes: ReturnType<typeof run>[] = [];
  for (const [index, agent] of agents.entries()) {
    const before = outcomes[index - navigator.hardwareConcurrency];
    outcomes.push(
      before === undefined
        ? run(agent)
        : before.then(
            () => run(agent),
            () => run(agent),
          ),
    );
  }

  for (const [index, agent] of agents.entries()) {
    test.skipIf(!installed.has(agent.package))(
      agent.name,
      async () => {
        const { customer, outcome } = (await outcomes[index]) ?? {};
        expect(outcome?.printed).toContain(finalText);
        expect(outcome).toMatchObject({ exitCode: 0 });
        expect(outcome?.note?.trim()).toBe('Hello');
        const requests = provider.requests.filter(({ body }) => body.model === `upstream-${agent.model}`);
        expect(requests.length).toBeGreaterThan(agent.steps.length);
        expect(await spentAtRest(harness, customer?.accountId ?? 0)).toBe(BigInt(requests.length) * chargeOfEach);
      },
      agents.length * timeoutMs,
    );
  }
});
