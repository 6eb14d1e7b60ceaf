/**
 * Parameters that make a provider bill something other than tokens at the list price: per call, at another tier, or as
 * audio tokens. The gateway would pay for what has no price here, so it is refused before anything is held, whatever
 * the provider.
 */
import { unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import { type PricedTier, pricedTiers } from '../../../shared/usage/rates.ts';

interface Unpriced {
  readonly why: string;
  /** Values that request nothing, besides null and an empty list. */
  readonly free?: readonly unknown[];
  /** Values that some models have a price for (`price-call.ts`). */
  readonly priced?: readonly unknown[];
}

const onlyText = 'only text output is supported';
const otherModel = { why: 'another model has another price' };
const perCall = { why: 'it is billed per call', free: [false] };
const searches = { why: 'searches are billed per call', free: [false] };

const unpriced: ReadonlyMap<string, Unpriced> = new Map(
  Object.entries({
    // OpenAI.
    service_tier: {
      why: 'no model has a price for it',
      free: ['auto', 'default', 'standard_only'],
      priced: pricedTiers,
    },
    web_search_options: searches,
    audio: { why: onlyText },
    prediction: { why: 'rejected predictions are billed as output' },
    // Anthropic.
    speed: { why: 'fast mode has another price', free: ['standard'] },
    inference_geo: { why: 'regions have other prices', free: ['global'] },
    mcp_servers: perCall,
    container: perCall,
    // xAI, DashScope, Azure, Groq.
    search_parameters: searches,
    enable_search: searches,
    data_sources: searches,
    search_settings: searches,
    compound_custom: perCall,
    // OpenRouter.
    plugins: perCall,
    route: { ...otherModel, free: ['fallback'] },
    preset: otherModel,
  } satisfies Record<string, Unpriced>),
);

/**
 * Throws GatewayError `unsupported_parameter`. `mayBeAudio`: the endpoint can return audio, if the model has a price for it
 * (`price-call.ts`).
 */
export function refuseUnpriced(
  body: Readonly<Record<string, unknown>>,
  { mayBeAudio }: { readonly mayBeAudio: boolean } = { mayBeAudio: false },
): void {
  const { modalities } = body;
  if (Array.isArray(modalities) && modalities.some((each) => each !== 'text' && !(mayBeAudio && each === 'audio'))) {
    refuseValue('modalities', mayBeAudio ? 'only text and audio output are supported' : onlyText);
  }
  for (const name in body) {
    const found = unpriced.get(name);
    if (found === undefined || (mayBeAudio && name === 'audio')) continue;
    if (!mayStay(found, body[name])) refuseValue(name, found.why);
  }
}

/** The service tier that the request asks for, if it is another one than the usual. */
export function pricedTierOf(body: object): PricedTier | undefined {
  const { service_tier: requested } = body as { service_tier?: unknown };
  return requested === undefined ? undefined : pricedTiers.find((tier) => tier === requested);
}

/** Whether the parameter has no effect, so that the provider need not see it. */
export function hasNoEffect(name: string, value: unknown): boolean {
  const found = unpriced.get(name);
  return found === undefined ? value === null : isFree(found, value);
}

function mayStay(found: Unpriced, value: unknown): boolean {
  return isFree(found, value) || (found.priced?.includes(value) ?? false);
}

function isFree({ free }: Unpriced, value: unknown): boolean {
  if (value === undefined || value === null || free?.includes(value)) return true;
  return Array.isArray(value) && value.length === 0;
}

function refuseValue(param: string, why: string): never {
  throw unsupportedParameter(param, `This value of '${param}' is not supported: ${why}.`);
}
