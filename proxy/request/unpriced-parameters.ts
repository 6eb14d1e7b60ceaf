/**
 * Parameters that make a provider bill something else than the tokens of the price list: by the call, by another tier,
 * by tokens of sound. What has no price here would be the gateway's loss, so it is refused before anything is held.
 */
import { GatewayError } from '../../shared/errors.ts';

const tiersOfListedPrice: ReadonlySet<unknown> = new Set(['auto', 'default', 'standard_only', null, undefined]);

/** Throws GatewayError `unsupported_parameter`. */
export function refuseUnpriced(body: Readonly<Record<string, unknown>>): void {
  if (!tiersOfListedPrice.has(body.service_tier)) refuse('service_tier', 'only the default tier is served');
  if (isPresent(body.web_search_options)) refuse('web_search_options', 'searches are billed by the call');
  if (isPresent(body.plugins)) refuse('plugins', 'they are billed by the call');
  if (Array.isArray(body.modalities) && body.modalities.some((modality) => modality !== 'text')) {
    refuse('modalities', 'only text is generated');
  }
  if (Array.isArray(body.tools)) body.tools.forEach(refuseHostedTool);
}

/** A tool that the provider runs itself, as `web_search` or `code_interpreter`. */
function refuseHostedTool(tool: { readonly type?: unknown }, index: number): void {
  if (tool.type === 'function' || tool.type === 'custom') return;
  refuse(`tools[${index}].type`, 'tools that the provider runs are billed by the call');
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function refuse(param: string, why: string): never {
  throw new GatewayError('unsupported_parameter', `'${param}' is not supported with this value: ${why}.`, { param });
}
