/**
 * Parameters that make a provider bill something else than the tokens of the price list: by the call, by another tier,
 * by tokens of sound. What has no price here would be the gateway's loss, so it is refused before anything is held,
 * whatever provider is asked.
 */
import { unsupportedParameter } from '../../shared/http/parameter-errors.ts';
import { judgeMembers, toolMembers } from './known-members.ts';

interface Unpriced {
  readonly why: string;
  /** Values that ask for nothing, beside null and an empty list. */
  readonly free?: readonly unknown[];
}

const another = { why: 'another model has another price' };
const byTheCall = { why: 'they are billed by the call', free: [false] };
const searches = { why: 'searches are billed by the call', free: [false] };

const unpriced: ReadonlyMap<string, Unpriced> = new Map(
  Object.entries({
    // OpenAI.
    service_tier: { why: 'only the default tier is served', free: ['auto', 'default', 'standard_only'] },
    web_search_options: searches,
    audio: { why: 'only text is generated' },
    prediction: { why: 'what was predicted wrongly is billed as output' },
    // Anthropic.
    speed: { why: 'faster answers are billed at another price', free: ['standard'] },
    inference_geo: { why: 'a place has its own price', free: ['global'] },
    mcp_servers: byTheCall,
    container: byTheCall,
    // xAI, DashScope, Azure, Groq.
    search_parameters: searches,
    enable_search: searches,
    data_sources: searches,
    search_settings: searches,
    compound_custom: byTheCall,
    // OpenRouter.
    plugins: byTheCall,
    models: another,
    route: another,
    preset: another,
    provider: { why: 'another provider has another price' },
  } satisfies Record<string, Unpriced>),
);

/** Also of tools, which are those of a chat completion. Throws GatewayError `unsupported_parameter`. */
export function refuseUnpriced(body: Readonly<Record<string, unknown>>): void {
  refuseUnpricedParameters(body);
  if (Array.isArray(body.tools)) body.tools.forEach(refuseHostedTool);
}

/** Throws GatewayError `unsupported_parameter`. */
export function refuseUnpricedParameters(body: Readonly<Record<string, unknown>>): void {
  const { modalities } = body;
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text')) {
    refuseValue('modalities', 'only text is generated');
  }
  for (const name in body) {
    const found = unpriced.get(name);
    if (found !== undefined && !isFree(found, body[name])) refuseValue(name, found.why);
  }
}

/** A provider need not see it. */
export function asksForNothing(name: string, value: unknown): boolean {
  const found = unpriced.get(name);
  return found === undefined ? value === null : isFree(found, value);
}

function isFree({ free }: Unpriced, value: unknown): boolean {
  if (value === undefined || value === null || free?.includes(value)) return true;
  return Array.isArray(value) && value.length === 0;
}

/** A tool that the provider runs itself, as `web_search` or `code_interpreter`. */
function refuseHostedTool(tool: { readonly type?: unknown }, index: number): void {
  judgeMembers(tool, toolMembers, `tools[${index}]`);
  if (tool.type === 'function' || tool.type === 'custom') return;
  refuseValue(`tools[${index}].type`, 'tools that the provider runs are billed by the call');
}

function refuseValue(param: string, why: string): never {
  throw unsupportedParameter(param, `'${param}' is not supported with this value: ${why}.`);
}
