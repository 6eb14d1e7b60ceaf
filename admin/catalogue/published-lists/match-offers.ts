/**
 * Finds the entry of a price list that is about a model of the catalogue, by its deployments: `provider/model`, of those that are
 * tried first. The rules, of which the first that finds anything decides:
 *
 * 1. `deployment`: the entry's provider is a name of the deployment's, and its model has the same name.
 * 2. `undated`: the same, where the date of a snapshot is left out, and dots are dashes: `gpt-4o-mini-2024-07-18` is
 *    `gpt-4o-mini`, `claude-3-5-haiku-20241022` is `claude-3.5-haiku`.
 *
 * A provider's names are its id, its `publicName`, the name of its protocol where only one company speaks it, and what lists call
 * the same provider. Entries that say the same are one; if others remain, the match is ambiguous, and nothing is compared.
 */
import type { Protocol } from '../../../shared/catalogue/published-catalogue.ts';
import type { CatalogueFile, CatalogueFileModel } from '../catalogue-file.ts';
import type { Offer, PublishedList } from './offer.ts';

export const matchRules = ['deployment', 'undated'] as const;
export type MatchRule = (typeof matchRules)[number];

export type Match =
  | { readonly found: 'one'; readonly offer: Offer; readonly rule: MatchRule }
  | { readonly found: 'several'; readonly offers: readonly Offer[] }
  | { readonly found: 'none' };

type Provider = CatalogueFile['providers'][number];

const namedProtocols: readonly Protocol[] = ['anthropic', 'gemini', 'bedrock'];

/** Names of one provider in different lists. */
const sameProvider: readonly (readonly string[])[] = [
  ['google', 'gemini'],
  ['bedrock', 'bedrock_converse', 'amazon-bedrock'],
  ['xai', 'x-ai'],
  ['mistral', 'mistralai'],
  ['moonshot', 'moonshotai'],
  ['zai', 'z-ai'],
  ['together', 'together_ai', 'togetherai'],
  ['fireworks', 'fireworks_ai'],
  ['yandex', 'yandexcloud'],
];

/** In lower case. */
export function namesOfProvider({ id, publicName, protocol }: Provider): ReadonlySet<string> {
  const own = [id, publicName ?? id, ...(namedProtocols.includes(protocol) ? [protocol] : [])];
  const names = new Set(own.map((name) => name.toLowerCase()));
  for (const group of sameProvider) {
    if (group.some((name) => names.has(name))) for (const name of group) names.add(name);
  }
  return names;
}

const spellings: Readonly<Record<MatchRule, (model: string) => string>> = {
  deployment: (model) => model.toLowerCase(),
  undated: (model) =>
    model
      .toLowerCase()
      .replaceAll('.', '-')
      .replace(/[-@]\d{4}-?\d{2}-?\d{2}$/, ''),
};

export class OfferIndex {
  readonly #byRule: readonly (readonly [MatchRule, ReadonlyMap<string, readonly Offer[]>])[];

  constructor({ offers }: PublishedList) {
    const named = offers.flatMap((offer) => offer.names.map((name) => ({ name, offer })));
    this.#byRule = matchRules.map((rule) => {
      const keyed = Map.groupBy(named, ({ name }) => keyOf(name.provider, spellings[rule](name.model)));
      return [rule, new Map([...keyed].map(([key, found]) => [key, found.map(({ offer }) => offer)]))];
    });
  }

  match(model: CatalogueFileModel, providers: ReadonlyMap<string, Provider>): Match {
    for (const [rule, offers] of this.#byRule) {
      const found = firstDeployments(model).flatMap(({ provider: id, model: name }) => {
        const provider = providers.get(id);
        const names = provider === undefined ? [] : [...namesOfProvider(provider)];
        return names.flatMap((each) => offers.get(keyOf(each, spellings[rule](name))) ?? []);
      });
      const fitting = different(found.filter(({ kind }) => fitsKind(kind, model.kind)));
      const [offer, other] = fitting;
      if (offer !== undefined) {
        return other === undefined ? { found: 'one', offer, rule } : { found: 'several', offers: fitting };
      }
    }
    return { found: 'none' };
  }
}

/** The others are asked only while these fail, and the catalogue has one price for all of them. */
function firstDeployments({ deployments }: CatalogueFileModel): CatalogueFileModel['deployments'] {
  const first = Math.min(...deployments.map(({ priority = 1 }) => priority));
  return deployments.filter(({ priority = 1 }) => priority === first);
}

/** Lists do not tell text completions from chats. */
function fitsKind(offered: Offer['kind'], own: CatalogueFileModel['kind']): boolean {
  if (offered === undefined || offered === own) return true;
  return [offered, own].every((kind) => kind === 'chat' || kind === 'completion');
}

const keyOf = (provider: string, model: string) => `${provider} ${model}`;

/** Those that do not say the same as one before. */
function different(offers: readonly Offer[]): Offer[] {
  const byContent = new Map<string, Offer>();
  for (const offer of new Set(offers)) {
    const content = contentOf(offer);
    if (!byContent.has(content)) byContent.set(content, offer);
  }
  return [...byContent.values()];
}

function contentOf({ entry: _, names: __, ...content }: Offer): string {
  return JSON.stringify(content, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
}
