/** The test catalogue, with providers that have names for customers: each name is that of two, as of one in two regions. */
import { testCatalogue } from './test-catalogue.ts';

export const providerNames = ['azure', 'openai', 'yandex'];

export function namedCatalogue(baseUrl: string, names: readonly string[] = providerNames): string {
  const providers = [...names, ...names]
    .map((name, n) => `  - { id: named-${n}, publicName: ${name}, protocol: openai, baseUrl: "${baseUrl}" }\n`)
    .reverse();
  return testCatalogue(baseUrl).replace('models:\n', `${providers.join('')}models:\n`);
}
