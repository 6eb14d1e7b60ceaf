/** The gateway's catalogue: a model for each of the upstream's scripts, at the price of a small real one. */
import { scripts } from '../upstream/scripts.ts';

export function benchCatalogue(upstreamPort: number): string {
  const models = Object.keys(scripts).map((script) => ({
    id: `bench/${script}`,
    kind: 'chat',
    ownedBy: 'bench',
    contextTokens: 128_000,
    maxOutputTokens: 16_384,
    price: { prompt: '0.15', completion: '0.60' },
    deployments: [{ provider: 'scripted', model: script }],
  }));
  const provider = { id: 'scripted', protocol: 'openai', baseUrl: `http://127.0.0.1:${upstreamPort}/v1` };
  // JSON is YAML.
  return JSON.stringify({ markup: '1.20', providers: [provider], models });
}
