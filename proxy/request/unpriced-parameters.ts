/**
 * Parameters that make a provider bill something else than the tokens of the price list: by the call, by another tier,
 * by tokens of sound. What has no price here would be the gateway's loss, so it is refused before anything is held.
 */
import { GatewayError } from '../../shared/errors.ts';
import type { JsonPatch } from '../json/patch-object.ts';

const tiersOfListedPrice: ReadonlySet<unknown> = new Set(['auto', 'default', 'standard_only', null, undefined]);

/** OpenAI, xAI, DashScope, OpenRouter and Azure, in this order; then what makes OpenRouter ask something else. */
const unpriced: Readonly<Record<string, string>> = {
  web_search_options: 'searches are billed by the call',
  search_parameters: 'searches are billed by the source',
  enable_search: 'searches are billed by the call',
  plugins: 'they are billed by the call',
  data_sources: 'searches are billed by the call',
  models: 'another model has another price',
  preset: 'another model has another price',
  provider: 'another provider has another price',
};

const decidingCost: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'prompt', 'input', 'tools', 'modalities', 'n', 'best_of', 'max_tokens'],
  ...['max_completion_tokens', 'stream', 'stream_options', 'service_tier', ...Object.keys(unpriced)],
]);

/** What nearly all bodies are made of. None of it is judged below, whatever its value is. */
const harmless: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'prompt', 'input', 'max_tokens', 'max_completion_tokens', 'n', 'stream', 'stream_options'],
  ...['temperature', 'top_p', 'frequency_penalty', 'presence_penalty', 'stop', 'seed', 'user', 'tool_choice'],
  ...['response_format', 'reasoning_effort', 'encoding_format', 'dimensions'],
]);

const pricePatch: JsonPatch = Object.fromEntries(Object.keys(unpriced).map((name) => [name, undefined]));
const pricePatchWithoutTier: JsonPatch = { ...pricePatch, service_tier: undefined };

/** Throws GatewayError `unsupported_parameter`. */
export function refuseUnpriced(body: Readonly<Record<string, unknown>>): void {
  for (const name in body) {
    if (harmless.has(name)) continue;
    judge(body);
    return;
  }
}

function judge(body: Readonly<Record<string, unknown>>): void {
  Object.keys(body).forEach(refuseOtherSpelling);
  if (!tiersOfListedPrice.has(body.service_tier)) refuse('service_tier', 'only the default tier is served');
  for (const [name, why] of Object.entries(unpriced)) {
    if (isPresent(body[name])) refuse(name, why);
  }
  if (Array.isArray(body.modalities) && body.modalities.some((modality) => modality !== 'text')) {
    refuse('modalities', 'only text is generated');
  }
  if (Array.isArray(body.tools)) body.tools.forEach(refuseHostedTool);
}

/** What has passed is taken out all the same: a name may stand twice, and this is what the last one says. */
export function unpricedPatch({ service_tier: tier }: Readonly<Record<string, unknown>>): JsonPatch {
  return typeof tier === 'string' ? { ...pricePatch, service_tier: JSON.stringify(tier) } : pricePatchWithoutTier;
}

/** Servers written in Go read names in any case (https://pkg.go.dev/encoding/json#Unmarshal): `N` would be `n` there. */
function refuseOtherSpelling(name: string): void {
  if (/^[a-z\d_]*$/.test(name)) return;
  const meant = name.normalize('NFKC').toLowerCase();
  if (meant !== name && decidingCost.has(meant)) refuse(name, `some providers read it as '${meant}'`);
}

/** A tool that the provider runs itself, as `web_search` or `code_interpreter`. */
function refuseHostedTool(tool: { readonly type?: unknown }, index: number): void {
  if (tool.type === 'function' || tool.type === 'custom') return;
  refuse(`tools[${index}].type`, 'tools that the provider runs are billed by the call');
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

function refuse(param: string, why: string): never {
  throw new GatewayError('unsupported_parameter', `'${param}' is not supported with this value: ${why}.`, { param });
}
