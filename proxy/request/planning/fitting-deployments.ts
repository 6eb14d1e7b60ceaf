/**
 * Which deployments of a model may serve a request: those that can, and that meet every demand of the organization, of the key
 * and of the request itself.
 */
import { GatewayError } from '../../../shared/errors.ts';
import { type DataPolicy, type Demand, unmetDemand } from '../../../shared/keys/data-policy.ts';
import type { RuleOwner } from '../../../shared/keys/rule-owners.ts';
import type { Call } from '../../nouns/call.ts';
import { isSearching } from '../../nouns/requests/hosted-tools.ts';
import type { Routing } from '../../nouns/requests/routing.ts';
import type { Deployment, Model } from '../../pricing/catalogue.ts';
import { operationOf } from '../../providers/adapters.ts';
import { searches } from './paid-search.ts';

/** What is demanded of every deployment, and who demands it. */
export interface Demanded {
  readonly owner: RuleOwner | 'request';
  readonly policy: DataPolicy;
}

/** Why something may not serve the request. */
export interface Exclusion {
  readonly owner: Demanded['owner'];
  /** `zdr=true` */
  readonly demand: string;
  /** The name of a provider, or a model in quotes; empty for a provider whose name customers are not told. */
  readonly excluded: string;
}

/** As requests name them. */
const names: Readonly<Record<Demand, string>> = {
  only: 'only',
  ignore: 'ignore',
  countries: 'country',
  zdr: 'zdr',
  dataCollection: 'data_collection',
};

/** The model with the deployments that can serve the call. Throws GatewayError `invalid_parameter` if there is none. */
export function servedFor(model: Model, call: Call): Model {
  const serves = (deployment: Deployment) =>
    isSearching(call)
      ? searches(deployment, call)
      : (operationOf(deployment.provider.protocol, model.kind)?.serves?.(call) ?? true);
  if (model.deployments.every(serves)) return model;
  const deployments = model.deployments.filter(serves);
  if (deployments.length > 0) return { ...model, deployments };
  if (isSearching(call)) {
    throw new GatewayError('no_deployment_fits', `No provider of '${model.id}' that may be asked searches the web.`);
  }
  throw new GatewayError('invalid_parameter', `'${model.id}' is only available from POST /v1/responses.`, {
    param: 'model',
  });
}

/** The model with the deployments that meet the demands. Adds to `exclusions` why the others do not. */
export function meeting(model: Model, demanded: readonly Demanded[], exclusions: Exclusion[]): Model {
  const deployments = model.deployments.filter((deployment) => {
    const unmet = firstUnmet(deployment, demanded);
    if (unmet !== undefined) exclusions.push({ ...unmet, excluded: deployment.publicName ?? '' });
    return unmet === undefined;
  });
  return deployments.length === model.deployments.length ? model : { ...model, deployments };
}

function firstUnmet(deployment: Deployment, demanded: readonly Demanded[]): Omit<Exclusion, 'excluded'> | undefined {
  for (const { owner, policy } of demanded) {
    const demand = unmetDemand(policy, deployment);
    if (demand !== undefined) return { owner, demand: `${names[demand]}=${textOf(policy[demand])}` };
  }
  return undefined;
}

function textOf(demanded: DataPolicy[Demand]): string {
  return Array.isArray(demanded) ? demanded.join(',') : String(demanded);
}

/** What the request demands. An order without fallbacks allows no other providers. */
export function demandsOfRequest({ policy, preferences: { order, allowsFallbacks } }: Routing): Demanded[] {
  const isClosed = order.length > 0 && !allowsFallbacks;
  return [policy, ...(isClosed ? [{ only: order }] : [])]
    .filter((demanded) => Object.keys(demanded).length > 0)
    .map((demanded) => ({ owner: 'request', policy: demanded }));
}

/** Lists each demand, with what it excludes. */
export function noDeploymentFits(models: readonly string[], exclusions: readonly Exclusion[]): GatewayError {
  const byDemand = new Map<string, string[]>();
  for (const { owner, demand, excluded } of exclusions) {
    const owned = `${demand} (${owner})`;
    byDemand.set(owned, [...(byDemand.get(owned) ?? []), excluded]);
  }
  const reasons = [...byDemand].map(([demand, excluded]) => `${demand} excludes ${inWords(excluded)}`);
  const which = models.map((id) => `'${id}'`).join(', ');
  const isByRequest = exclusions.some(({ owner }) => owner === 'request');
  return new GatewayError('no_deployment_fits', `No provider of ${which} fits: ${reasons.join('; ')}.`, {
    ...(isByRequest && { param: 'provider' }),
  });
}

/** `azure, openai and 2 without a public name` */
function inWords(excluded: readonly string[]): string {
  const named = [...new Set(excluded.filter((name) => name !== ''))];
  const unnamed = excluded.filter((name) => name === '').length;
  const others = unnamed === 0 ? [] : [`${unnamed} without a public name`];
  return [named.join(', '), ...others].filter((part) => part !== '').join(' and ');
}
