/** Adds a model with Anthropic's protocol to the test catalogue. Its provider calls it `upstream-claude`. */
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import type { Gateway } from '../../harness/gateway.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';

export const claude = 'test/claude';

export async function addClaude({ harness, provider, proxy }: Gateway): Promise<void> {
  await harness.applyCatalogue(catalogueOf(provider.baseUrl));
  await waitFor('the model', guardTimeoutMs, async () => (await fetch(`${proxy.url}/v1/models/${claude}`)).ok);
}

function catalogueOf(baseUrl: string): string {
  return testCatalogue(baseUrl).replace(
    'models:',
    `  - { id: scripted-anthropic, protocol: anthropic, baseUrl: "${baseUrl}" }
models:
  - id: ${claude}
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 8192
    price: { prompt: "0.50", completion: "1.50", cachedPrompt: "0.05" }
    deployments: [{ provider: scripted-anthropic, model: upstream-claude }]`,
  );
}
