/**
 * Requests to an OpenAI-compatible provider: the client's own text, with the provider's name of the model, the output
 * cap that the hold covers, usage always requested, and the changes of the provider's quirks. No object in the text has
 * duplicate names, so it cannot mean one thing here and another at the provider.
 */
import type { Quirks } from '../../../../shared/catalogue/published-catalogue.ts';
import type {
  Call,
  ChatCall,
  CompletionCall,
  EditedImages,
  EmbeddingCall,
  ImageCall,
  ModerationCall,
  RerankCall,
  SpeechCall,
  TextCall,
} from '../../../nouns/call.ts';
import { type JsonPatch, patchedParts, patchObject } from '../../../nouns/json/patch-object.ts';
import { asArray, asRecord } from '../../../nouns/json/record.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import type { PromptSize, UpstreamRequest, UpstreamTarget } from '../../adapter.ts';
import { cacheTranslation } from '../../cached-translation.ts';
import { changedMessages } from './chat-messages.ts';
import { withoutForeignMembers } from './foreign-members.ts';
import { type FormField, fieldsOf, formRequest, modelField } from './form-request.ts';
import { type JsonKind, unknownPatch } from './known-parameters.ts';
import { parameterPatch } from './parameters.ts';
import { providerTargetOf } from './provider-request.ts';

/** Throws GatewayError `unsupported_parameter`, like the other functions here. */
export function buildChatRequest(call: ChatCall, target: UpstreamTarget): UpstreamRequest {
  const { quirks } = target.deployment.provider;
  const requiredName = quirks.toolChoiceRequired ?? 'required';
  return request(
    'chat',
    { call, text: chatTexts.take(call, target.deployment), target },
    {
      ...(call.body.tool_choice === 'required' &&
        requiredName !== 'required' && { tool_choice: JSON.stringify(requiredName) }),
      ...parameterPatch(call.body, quirks),
      ...documentPatch(call.body, quirks),
      ...generationPatch(call, target, quirks.outputCapParameter),
    },
  );
}

/** A client cannot choose the engine: most have a price by the page. */
function documentPatch({ messages }: ChatCall['body'], { documentEngine: engine }: Quirks): JsonPatch {
  if (engine === undefined) return {};
  const hasDocument = messages.some(({ content }) => asArray(content).some((part) => asRecord(part).type === 'file'));
  return hasDocument ? { plugins: JSON.stringify([{ id: 'file-parser', pdf: { engine } }]) } : {};
}

/** Rewriting can make messages longer: `1e20` becomes a number of 21 digits. */
export function measureChatPrompt(call: ChatCall, deployment: Deployment): PromptSize {
  const { hasLongMedia } = measure('chat', call, deployment);
  const text = chatTexts.peek(call, deployment);
  const bytes = text === call.text ? call.bytes : Math.max(call.bytes, Buffer.byteLength(text));
  return { bytes, hasLongMedia };
}

/** The client's text, with messages and tools changed as this provider needs them. */
const chatTexts = cacheTranslation((call: Call, { provider: { quirks } }: Deployment): Call['text'] => {
  const { messages, tools } = withoutForeignMembers(call, quirks);
  const changed = changedMessages(messages, quirks) ?? textOfChanged(messages, call.body.messages);
  const changedTools = textOfChanged(tools, call.body.tools);
  if (changed === undefined && changedTools === undefined) return call.text;
  const patch = {
    ...(changed !== undefined && { messages: changed }),
    ...(changedTools !== undefined && { tools: changedTools }),
  };
  if (typeof call.text === 'string') return patchObject(call.text, patch);
  return Buffer.concat(
    patchedParts(call.text, patch).map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
  );
});

function textOfChanged(value: unknown, before: unknown): string | undefined {
  return value === before ? undefined : JSON.stringify(value);
}

export function buildCompletionRequest(call: CompletionCall, target: UpstreamTarget): UpstreamRequest {
  return request(
    'completion',
    { call, text: call.text, target },
    {
      ...parameterPatch(call.body, target.deployment.provider.quirks),
      ...generationPatch(call, target),
    },
  );
}

/** Requests numbers, which every provider supports; the client's format is rendered from them. */
export function buildEmbeddingRequest(call: EmbeddingCall, target: UpstreamTarget): UpstreamRequest {
  return request(
    'embedding',
    { call, text: call.text, target },
    {
      encoding_format: '"float"',
      ...parameterPatch(call.body, target.deployment.provider.quirks),
      stream: undefined,
    },
  );
}

export function buildModerationRequest(call: ModerationCall, target: UpstreamTarget): UpstreamRequest {
  const patch = parameterPatch(call.body, target.deployment.provider.quirks);
  return request('moderation', { call, text: call.text, target }, patch ?? {});
}

/** Documents are returned from the request: some providers return them unless they are asked not to. */
export function buildRerankRequest(call: RerankCall, target: UpstreamTarget): UpstreamRequest {
  const [, ...documents] = call.promptTexts;
  return request(
    'rerank',
    { call, text: call.text, target },
    {
      ...parameterPatch(call.body, target.deployment.provider.quirks),
      documents: JSON.stringify(documents),
      return_documents: 'false',
    },
  );
}

export function buildImageRequest(call: ImageCall, target: UpstreamTarget): UpstreamRequest {
  if (call.edited !== undefined) return buildEditRequest(call, call.edited, target);
  return request(
    'image',
    { call, text: call.text, target },
    {
      ...parameterPatch(call.body, target.deployment.provider.quirks),
      n: call.n === 1 ? undefined : String(call.n),
      stream: undefined,
      partial_images: undefined,
    },
  );
}

const sentOtherwise: ReadonlySet<string> = new Set(['model', 'n', 'stream', 'partial_images']);

function buildEditRequest(call: ImageCall, { images, mask }: EditedImages, target: UpstreamTarget): UpstreamRequest {
  const { deployment } = target;
  const { url, wholeHeaders } = providerTargetOf(target, 'edit');
  const fields: FormField[] = [
    modelField(deployment),
    ...(call.n === 1 ? [] : [['n', String(call.n)] as const]),
    ...fieldsOf(call.body, deployment, sentOtherwise),
  ];
  const name = images.length === 1 ? 'image' : 'image[]';
  const files = [
    ...images.map((image) => [name, image] as const),
    ...(mask === undefined ? [] : [['mask', mask] as const]),
  ];
  return formRequest({ url, headers: wholeHeaders }, { fields, files });
}

export function measureImagePrompt(call: ImageCall, deployment: Deployment): PromptSize {
  if (call.edited === undefined) return measure('image', call, deployment);
  fieldsOf(call.body, deployment, sentOtherwise);
  return { bytes: call.bytes, hasLongMedia: false };
}

/** The usage is only reported in events. They are requested where it is needed: the model is paid by tokens. */
export function buildSpeechRequest(call: SpeechCall, target: UpstreamTarget): UpstreamRequest {
  return request(
    'speech',
    { call, text: call.text, target },
    {
      ...parameterPatch(call.body, target.deployment.provider.quirks),
      stream_format: target.outputCap > 0 ? '"sse"' : undefined,
    },
  );
}

/** For what is passed on as it came. */
export function measure(kind: JsonKind, call: Call, { provider: { quirks } }: Deployment): PromptSize {
  unknownPatch(kind, call.body, quirks);
  parameterPatch(call.body, quirks);
  return { bytes: call.bytes, hasLongMedia: call.hasLongMedia ?? false };
}

function request(
  kind: JsonKind,
  { call, text, target }: { call: Call; text: Call['text']; target: UpstreamTarget },
  ownPatch: JsonPatch,
): UpstreamRequest {
  const { quirks } = target.deployment.provider;
  const { url, modelText, wholeHeaders, streamHeaders } = providerTargetOf(target, kind);
  const patch = { ...unknownPatch(kind, call.body, quirks), ...ownPatch, model: modelText };
  return {
    url,
    headers: call.stream ? streamHeaders : wholeHeaders,
    body: typeof text === 'string' ? patchedParts(text, patch) : new Blob(patchedParts(text, patch)),
  };
}

function generationPatch(
  call: TextCall,
  { deployment, outputCap }: UpstreamTarget,
  capParameter = 'max_tokens',
): JsonPatch {
  const { quirks } = deployment.provider;
  const requestsUsage = call.stream && quirks.streamUsage !== false;
  return {
    n: call.n === 1 ? undefined : String(call.n),
    stream: call.stream ? 'true' : undefined,
    stream_options: requestsUsage ? optionsWithUsage(call.body.stream_options) : undefined,
    max_tokens: undefined,
    max_completion_tokens: undefined,
    [capParameter]: String(outputCap),
  };
}

function optionsWithUsage(own: unknown): string {
  return own === undefined ? '{"include_usage":true}' : JSON.stringify({ ...asRecord(own), include_usage: true });
}
