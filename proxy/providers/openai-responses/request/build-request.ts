/**
 * The client's own Responses request, with the provider's name of the model, the output cap that the hold covers, and
 * `store: false`. Hosted tools without a price are left out of it, and reasoning that the provider could not read.
 */
import type { Quirks } from '../../../../shared/catalogue/published-catalogue.ts';
import { isObject, withoutUndefined } from '../../../../shared/members.ts';
import type { Call } from '../../../nouns/call.ts';
import { type JsonPatch, patchedParts } from '../../../nouns/json/patch-object.ts';
import { asArray, asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import { isOwnEncryption } from '../../../nouns/requests/encrypted-thoughts.ts';
import { hostedKindOf } from '../../../nouns/requests/hosted-tools.ts';
import {
  isResponsesCall,
  type ResponsesCall,
  responsesRequestSchema,
} from '../../../nouns/requests/responses-request.ts';
import { type WebSearch, webSearchKind } from '../../../nouns/requests/web-search.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import type { PromptSize, UpstreamRequest, UpstreamTarget } from '../../adapter.ts';
import { isOwnParameter, removedBy } from '../../openai/request/known-parameters.ts';
import { parameterPatch } from '../../openai/request/parameters.ts';
import { providerTargetOf } from '../../openai/request/provider-request.ts';

const known: ReadonlySet<string> = new Set([
  ...Object.keys(responsesRequestSchema.properties).filter((name) => !isOwnParameter(name)),
  ...['prompt_cache_retention', 'prompt_cache_options'],
]);

/** Throws GatewayError `unsupported_parameter`, as `buildResponsesRequest` does. */
export function measureResponsesPrompt(call: Call, { provider: { quirks } }: Deployment): PromptSize {
  if (isResponsesCall(call)) parametersOf(call, quirks);
  return { bytes: call.bytes, hasLongMedia: call.hasLongMedia ?? false };
}

export function buildResponsesRequest(call: Call, target: UpstreamTarget): UpstreamRequest {
  if (!isResponsesCall(call)) throw new Error('only requests of the Responses API are sent to this provider');
  const { url, modelText, wholeHeaders, streamHeaders } = providerTargetOf(target, 'responses');
  const { request, source } = call.settings;
  return {
    url,
    headers: call.stream ? streamHeaders : wholeHeaders,
    body: patchedParts(source, {
      ...parametersOf(call, target.deployment.provider.quirks),
      ...toolsPatch(request, call.webSearch),
      ...textPatch('input', readableInput(request.input)),
      model: modelText,
      max_output_tokens: String(target.outputCap),
      store: 'false',
      stream: call.stream ? 'true' : undefined,
    }),
  };
}

/** The other quirks are about chat completions. */
function parametersOf({ settings }: ResponsesCall, quirks: Quirks): JsonPatch {
  const request: JsonRecord = settings.request;
  const { refuseParameters, dropParameters } = quirks;
  return {
    ...removedBy(request, { known, quirks }),
    ...parameterPatch(request, withoutUndefined({ refuseParameters, dropParameters })),
  };
}

/** No patch if nothing has changed, so that the client's own text is sent. An empty list is left out. */
function textPatch(name: string, { value, changed }: { value: unknown; changed: boolean }): JsonPatch {
  if (!changed) return {};
  return { [name]: Array.isArray(value) && value.length === 0 ? undefined : JSON.stringify(value) };
}

/** A search is sent with its known members alone: others could have another price. */
function toolsPatch({ tools, tool_choice: choice }: JsonRecord, webSearch: WebSearch | undefined): JsonPatch {
  const choicePatch = textPatch('tool_choice', choiceToSend(choice, { offersSearch: webSearch !== undefined }));
  if (webSearch === undefined) return { ...textPatch('tools', withoutHosted(tools)), ...choicePatch };
  const kinds = asArray(tools).map((tool) => hostedKindOf(asRecord(tool).type));
  const first = kinds.indexOf(webSearchKind);
  const kept = asArray(tools).flatMap((tool, index) => {
    if (index === first) return [searchTool(asRecord(tool))];
    return kinds[index] === undefined ? [tool] : [];
  });
  return { tools: JSON.stringify(kept), max_tool_calls: String(webSearch.usesMax), ...choicePatch };
}

/** A choice names a search as it is sent, and no tool that is left out: the provider would refuse it. */
function choiceToSend(
  choice: unknown,
  { offersSearch }: { offersSearch: boolean },
): { value: unknown; changed: boolean } {
  const { type, tools } = asRecord(choice);
  if (hostedKindOf(type) === webSearchKind) return { value: searchChoice, changed: true };
  if (type !== 'allowed_tools') return { value: choice, changed: false };
  const allowed = asArray(tools);
  const sent = allowed.flatMap((tool) => {
    const kind = hostedKindOf(asRecord(tool).type);
    if (kind === undefined) return [tool];
    return kind === webSearchKind && offersSearch ? [searchChoice] : [];
  });
  const changed = sent.length < allowed.length || sent.includes(searchChoice);
  return { value: sent.length === 0 ? 'none' : { ...asRecord(choice), tools: sent }, changed };
}

const searchChoice = { type: webSearchKind };

function searchTool({ filters, user_location, search_context_size, external_web_access }: JsonRecord): object {
  return withoutUndefined({ type: webSearchKind, filters, user_location, search_context_size, external_web_access });
}

function withoutHosted(tools: unknown): { value: unknown; changed: boolean } {
  if (!Array.isArray(tools)) return { value: tools, changed: false };
  const value = tools.filter((tool) => hostedKindOf(asRecord(tool).type) === undefined);
  return { value, changed: value.length < tools.length };
}

/**
 * Without its store, the provider reads reasoning only if it has encrypted it itself. An item that follows reasoning which
 * is left out must not have an id, or the provider would look for the reasoning.
 */
function readableInput(input: unknown): { value: unknown; changed: boolean } {
  if (!Array.isArray(input)) return { value: input, changed: false };
  const items: readonly unknown[] = input;
  const readable = items.filter((item) => !isUnreadable(item));
  const lacksReasoning = readable.length < items.length;
  const value = readable.map((item) => itemToSend(item, lacksReasoning));
  return { value, changed: lacksReasoning || value.some((item, index) => item !== readable[index]) };
}

function isUnreadable(item: unknown): boolean {
  const { type, encrypted_content: encrypted } = asRecord(item);
  return type === 'reasoning' && (typeof encrypted !== 'string' || isOwnEncryption(encrypted));
}

function itemToSend(item: unknown, lacksReasoning: boolean): unknown {
  if (!isObject(item)) return item;
  const tools = withoutHosted(item.tools);
  const { extra_content: extra, ...rest } = item;
  const losesId = lacksReasoning && item.id !== undefined && item.type !== 'reasoning';
  if (!losesId && !tools.changed && extra === undefined) return item;
  return withoutUndefined({ ...rest, id: losesId ? undefined : item.id, ...(tools.changed && { tools: tools.value }) });
}
