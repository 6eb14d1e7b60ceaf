/**
 * The models that may serve a request, in the order in which they are asked, each with the most that it can cost. Nearly always
 * it is one. The hold is for the dearest.
 */
import type { ModelKind } from '../../../shared/catalogue/model-kinds.ts';
import { GatewayError } from '../../../shared/errors.ts';
import { invalidParameter } from '../../../shared/http/parameter-errors.ts';
import type { KeyRules } from '../../../shared/keys/key-rules.ts';
import { formatPricePerMillion, type NanoUsd, tokensWithin } from '../../../shared/money.ts';
import type { Call } from '../../nouns/call.ts';
import { callTo } from '../../nouns/requests/addressed-call.ts';
import type { Preferences, Routing } from '../../nouns/requests/routing.ts';
import type { Catalogue, Model } from '../../pricing/catalogue.ts';
import { reachablePrices } from '../../pricing/cost.ts';
import { findIn, refuseRetired } from '../../pricing/find-model.ts';
import { pricedFor } from '../../pricing/price-call.ts';
import { conversationOf } from './conversation.ts';
import {
  type Demanded,
  demandsOfRequest,
  type Exclusion,
  meeting,
  noDeploymentFits,
  servedFor,
} from './fitting-deployments.ts';
import { withoutOfferedSearch } from './paid-search.ts';
import { type Quote, quoteOf } from './quote.ts';

/** A model with the deployments that may serve the request. */
export interface Candidate {
  readonly model: Model;
  readonly quote: Quote;
  /** Which conversation its deployments are chosen by. */
  readonly conversation: bigint | undefined;
  /** It is asked without the search that the request offers. */
  readonly omitsSearch?: boolean;
}

export interface Plan {
  /** Their ids. */
  readonly models: readonly string[];
  /** At least one. */
  readonly candidates: readonly Candidate[];
  /** The one that can cost most: its hold covers each of them. */
  readonly dearest: Candidate;
  readonly preferences: Preferences | undefined;
  /** By which it was made. */
  readonly rules: KeyRules | undefined;
}

export interface Planned {
  readonly catalogue: Catalogue;
  readonly kind: ModelKind;
  readonly call: Call;
  readonly routing: Routing | undefined;
  readonly rules: KeyRules | undefined;
  /** Whether what the request does not require is left out. */
  readonly omitsSearch?: boolean;
}

/**
 * Throws GatewayError: `model_not_found`, `invalid_parameter` and `unsupported_parameter` where no model can be asked for this,
 * and `no_deployment_fits` where demands leave none.
 */
export function planOf(input: Planned): Plan {
  const { call, routing, rules } = input;
  if (routing === undefined && (rules === undefined || rules.dataPolicies.length === 0)) {
    const model = modelOf(input, call.model);
    refuseRetired(model);
    const candidates = candidatesOf(model, input);
    return { models: [call.model], candidates, dearest: dearestOf(candidates), preferences: undefined, rules };
  }
  const models = (routing?.models ?? [call.model]).map((id) => modelOf(input, id));
  if (routing !== undefined) checkNames(input.catalogue, routing);
  const candidates = judge(models, input);
  return {
    models: [...new Set(candidates.map(({ model }) => model.id))],
    candidates,
    dearest: dearestOf(candidates),
    preferences: routing?.preferences,
    rules,
  };
}

/**
 * The output cap of this candidate that an amount covers, which was held for the dearest and may have been lowered to what the
 * balance allows; undefined if it is of no use.
 */
export function capWithin({ fixedParts, outputPrice, outputCap, lowestCap, amountNano }: Quote, heldNano: NanoUsd) {
  if (heldNano >= amountNano) return outputCap;
  const cap = tokensWithin(heldNano, { parts: fixedParts, price: outputPrice, tokensMax: outputCap });
  return cap === undefined || cap < Math.max(lowestCap, 1) ? undefined : cap;
}

function modelOf({ catalogue, kind, call }: Planned, id: string): Model {
  const param = paramOf(call, id);
  const model = findIn(catalogue, id, param);
  if (model.kind === kind) return model;
  throw new GatewayError('invalid_parameter', `'${id}' is a model for ${model.kind}, not for ${kind}.`, { param });
}

/** Which parameter of the request names the model. */
const paramOf = (call: Call, id: string) => (id === call.model ? 'model' : 'models');

/**
 * Nearly always one. A search that is offered is left out where none can be had, and for deployments that run none, if those that do
 * fail. Throws as `candidateOf` does.
 */
function candidatesOf(found: Model, { call, omitsSearch }: Pick<Planned, 'call' | 'omitsSearch'>): Candidate[] {
  const plain = withoutOfferedSearch(call);
  if (plain === undefined) return [candidateOf(found, call)];
  const without = { ...candidateOf(found, plain), omitsSearch: true };
  const searching = omitsSearch ? undefined : searchingCandidate(found, call);
  if (searching === undefined) return [without];
  const hasOthers = without.model.deployments.length > searching.model.deployments.length;
  return hasOthers ? [searching, without] : [searching];
}

function searchingCandidate(found: Model, call: Call): Candidate | undefined {
  try {
    return candidateOf(found, call);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

function candidateOf(found: Model, call: Call): Candidate {
  const model = servedFor(pricedFor(found, call), call);
  return { model, quote: quoteOf(model, call), conversation: conversationOf(model, call) };
}

/** A model that cannot be asked for this is left out, as long as another one can. */
function judge(models: readonly Model[], { call, routing, rules, omitsSearch = false }: Planned): Candidate[] {
  const demanded: Demanded[] = [
    ...(rules?.dataPolicies ?? []),
    ...(routing === undefined ? [] : demandsOfRequest(routing)),
  ];
  const exclusions: Exclusion[] = [];
  let refusal: GatewayError | undefined;
  const candidates = models.flatMap((found) => {
    try {
      refuseRetired(found, paramOf(call, found.id));
      const fitting = meeting(found, demanded, exclusions);
      if (fitting.deployments.length === 0) return [];
      const all = candidatesOf(fitting, { call: callTo(call, found.id), omitsSearch });
      return all.every((candidate) => isCheapEnough(candidate, routing, exclusions)) ? all : [];
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusal ??= error;
      return [];
    }
  });
  if (candidates.length > 0) return candidates;
  throw (
    refusal ??
    noDeploymentFits(
      models.map(({ id }) => id),
      exclusions,
    )
  );
}

function isCheapEnough({ model, quote }: Candidate, routing: Routing | undefined, exclusions: Exclusion[]): boolean {
  const prices = reachablePrices(model, quote.longestPrompt);
  for (const name of ['prompt', 'completion'] as const) {
    const most = routing?.maxPrice[name];
    if (most === undefined || prices[name] <= most) continue;
    const demand = `max_price.${name}=${formatPricePerMillion(most)}`;
    const excluded = `'${model.id}' at ${formatPricePerMillion(prices[name])}`;
    exclusions.push({ owner: 'request', demand, excluded });
    return false;
  }
  return true;
}

function dearestOf(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((dearest, candidate) =>
    candidate.quote.amountNano > dearest.quote.amountNano ? candidate : dearest,
  );
}

/** A name with a mistake in it would demand something else than is meant. */
function checkNames({ providerNames }: Catalogue, { policy, preferences }: Routing): void {
  const given = { order: preferences.order, only: policy.only ?? [], ignore: policy.ignore ?? [] };
  for (const [list, names] of Object.entries(given)) {
    const index = names.findIndex((name) => !providerNames.has(name));
    if (index === -1) continue;
    const known = [...providerNames].sort().join(', ');
    throw invalidParameter(
      `provider.${list}[${index}]`,
      known === '' ? 'no name, because this gateway names no providers' : `the name of a provider, one of ${known}`,
    );
  }
}
