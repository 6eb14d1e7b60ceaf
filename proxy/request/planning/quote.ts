/**
 * The most that a request can cost, at the current price. It becomes the hold, so everything here errs upwards.
 */
import type { ModelKind } from '../../../shared/catalogue/model-kinds.ts';
import { counted } from '../../../shared/counted.ts';
import { GatewayError } from '../../../shared/errors.ts';
import {
  type CostPart,
  exactCostOf,
  type NanoUsd,
  type PicoUsdPerToken,
  picoUsdPerToken,
  roundedCost,
  withPart,
} from '../../../shared/money.ts';
import { highestPriceOf } from '../../../shared/usage/token-prices.ts';
import type {
  Call,
  CallOf,
  EmbeddingCall,
  ImageCall,
  ModerationCall,
  RerankCall,
  SpeechCall,
  TextCall,
  TranscriptionCall,
} from '../../nouns/call.ts';
import { isSearching } from '../../nouns/requests/hosted-tools.ts';
import { noUsage, type Usage } from '../../nouns/usage.ts';
import type { Model } from '../../pricing/catalogue.ts';
import { countPriced, maxOutputPrice, partsOfUnits, reachablePrices } from '../../pricing/cost.ts';
import { isPaidByUnit } from '../../pricing/price-call.ts';
import { countTexts, weigh } from '../../pricing/text-scale.ts';
import type { PromptSize } from '../../providers/adapter.ts';
import { operationOf } from '../../providers/adapters.ts';
import { checkVectors, largestCapOf, promptsOf } from './response-size.ts';
import { boundsOfSearches } from './search-bounds.ts';

export interface Quote {
  /** Upper bound of the prompt's tokens, as often as they are read. */
  readonly promptTokensMax: number;
  /** The same, of one reading. */
  readonly longestPrompt: number;
  /** What costs the same with any output cap: the prompt, and images. */
  readonly fixedParts: readonly CostPart[];
  readonly promptPartNano: NanoUsd;
  /** The price of one more output token in each of the choices. */
  readonly outputPrice: PicoUsdPerToken;
  /** Output tokens of one choice. */
  readonly outputCap: number;
  /** The least cap that may be granted where the balance does not cover `outputCap`; 0 where the client set it. */
  readonly lowestCap: number;
  /** The model's own limit, and what a whole response has room for. */
  readonly largestCap: number;
  /** The most that the request can cost with `outputCap`. */
  readonly amountNano: NanoUsd;
  /** Responses to generate in total. */
  readonly choices: number;
  /** What the request itself says how many it wants of, such as images. */
  readonly wanted: Usage;
  /** Counted by the limit of tokens a minute until the real usage is known. */
  readonly rateTokens: number;
}

/** Below this, a response is of no use. */
const lowestUsefulCap = 16;
/** More than any provider is known to count for one picture. */
const mediaPartTokensMax = 65_536;

/** More than a model that makes images counts for one that it makes them from, in the highest fidelity. */
const sourceImageTokensMax = 8_192;

/** Models take 10 to 50. */
const audioTokensPerSecondMax = 100;

/** Cohere cuts documents into pieces of 500 tokens, of which the query takes a part. */
const tokensPerPieceMin = 250;
const documentsPerSearch = 100;

/** More than providers add of their own where a request has tools or a form for the response; Anthropic adds up to 700. */
const instructionTokensMax = 1_024;

/** `"max_completion_tokens": ` on a line of its own, and the longest number that is reckoned with. */
const capNameBytes = 32;
const capDigits = 10;

const charactersPerToken = 4;

/** What depends on the kind of model. */
interface Bounds {
  readonly promptTokensMax: number;
  /** Responses to generate; each may use the output cap. */
  readonly choices: number;
  /** The client's own cap on output tokens, if any. */
  readonly clientCap: number | undefined;
  /** Output tokens of one choice. */
  readonly largestCap: number;
  /** What the request itself says how many it wants of. */
  readonly wanted: Usage;
  /** How often the model reads all again, what it has generated too: after each search of the web. */
  readonly rereads?: number;
  /** The longest of these readings; `promptTokensMax` if there is one. */
  readonly longestPrompt?: number;
}

const boundsOf: { readonly [Kind in ModelKind]: (model: Model, call: CallOf<Kind>) => Bounds } = {
  chat: boundsOfText,
  completion: boundsOfText,
  embedding: boundsOfVectors,
  image: boundsOfImages,
  speech: boundsOfSpeech,
  transcription: boundsOfTranscription,
  moderation: boundsOfModeration,
  rerank: boundsOfRanking,
};

/**
 * Throws GatewayError where no provider of the model can be asked for this, and `invalid_parameter` where the response could
 * be larger than can be taken, or the prompt of images is longer than their price covers.
 */
export function quoteOf(model: Model, call: Call): Quote {
  // A call is only given to the function of its own kind.
  const bounds = (boundsOf[call.kind] as (model: Model, call: Call) => Bounds)(model, call);
  const { promptTokensMax, choices, clientCap, largestCap, wanted, rereads = 0 } = bounds;
  const { longestPrompt = promptTokensMax } = bounds;
  const outputCap = Math.min(clientCap ?? largestCap, largestCap);
  const prices = reachablePrices(model, promptTokensMax + rereads * outputCap);
  const promptPrice = highestPriceOf(prices, 'prompt');
  const tokenPrice = maxOutputPrice(prices);
  const outputPrice =
    choices === 1 && rereads === 0
      ? tokenPrice
      : picoUsdPerToken((tokenPrice + promptPrice * BigInt(rereads)) * BigInt(choices));
  const promptPart = { count: promptTokensMax, price: promptPrice };
  const units = partsOfUnits(model.prices, countPriced(model, wanted));
  const fixedParts = units.length === 0 ? [promptPart] : [promptPart, ...units];
  const fixedPico = exactCostOf(fixedParts);
  return {
    promptTokensMax,
    longestPrompt,
    fixedParts,
    promptPartNano: roundedCost(fixedPico),
    outputPrice,
    outputCap,
    lowestCap: clientCap === undefined ? Math.min(lowestUsefulCap, outputCap) : 0,
    largestCap,
    amountNano: roundedCost(withPart(fixedPico, { count: outputCap, price: outputPrice })),
    choices,
    wanted,
    rateTokens: rateTokensOf(model, call, bounds),
  };
}

/** What the limit of tokens a minute is charged until the real usage is known, reckoned as OpenAI does. */
function rateTokensOf(
  { contextTokens }: Model,
  { bytes }: Call,
  { promptTokensMax, choices, clientCap, largestCap }: Bounds,
): number {
  // The price of most images covers their prompt.
  if (promptTokensMax === 0) return 0;
  const promptTokens = Math.min(Math.ceil(bytes / charactersPerToken), contextTokens);
  // The cap that is sent, not the one that was asked for: some clients ask for more than any model gives.
  return promptTokens + (clientCap === undefined ? 0 : Math.min(clientCap, largestCap)) * choices;
}

function boundsOfText(model: Model, call: TextCall): Bounds {
  const bounds = {
    promptTokensMax: promptBound(model, call, { prompts: promptsOf(call), atLeastBytes: bytesWithAnyCap(call) }),
    choices: call.choices,
    clientCap: call.outputCap,
    largestCap: largestCapOf(call, model.maxOutputTokens),
    wanted: noUsage,
  };
  return isSearching(call) ? { ...bounds, ...boundsOfSearches(model, bounds, call.webSearch) } : bounds;
}

function boundsOfVectors(model: Model, call: EmbeddingCall): Bounds {
  checkVectors(model, call);
  return {
    promptTokensMax: promptBound(model, call, { prompts: call.prompts }),
    choices: 1,
    clientCap: undefined,
    largestCap: model.maxOutputTokens,
    wanted: noUsage,
  };
}

function boundsOfImages(model: Model, call: ImageCall): Bounds {
  checkImagePrompt(model, call);
  const sources = call.edited?.images.length ?? 0;
  const promptTokensMax = promptBound(model, call, { prompts: 1 }) + sources * sourceImageTokensMax;
  const isFree = highestPriceOf(model.prices, 'prompt') === 0n;
  return {
    promptTokensMax: isFree ? 0 : promptTokensMax,
    choices: 1,
    clientCap: undefined,
    largestCap: 0,
    wanted: { ...noUsage, images: call.n },
  };
}

function boundsOfModeration(model: Model, call: ModerationCall): Bounds {
  return {
    promptTokensMax: promptBound(model, call, { prompts: call.prompts }),
    choices: 1,
    clientCap: undefined,
    largestCap: 0,
    wanted: noUsage,
  };
}

/** Paid by searches, or by tokens, of which providers count those of the query with each document. */
function boundsOfRanking(model: Model, call: RerankCall): Bounds {
  const { documents, bytes, promptTexts } = call;
  const [query = ''] = promptTexts;
  const atLeastBytes = bytes + (documents - 1) * Buffer.byteLength(query);
  const tokens = promptBound(model, call, { prompts: documents, atLeastBytes });
  return {
    promptTokensMax: isPaidByUnit(model) ? 0 : tokens,
    choices: 1,
    clientCap: undefined,
    largestCap: 0,
    wanted: { ...noUsage, searches: searchesMaxOf(model, call) },
  };
}

/** A long document is ranked in pieces, of which each counts as one. A token is at least a byte. */
function searchesMaxOf({ contextTokens }: Model, { promptTexts: [, ...texts], body }: RerankCall): number {
  const { max_tokens_per_doc: cap } = body;
  const tokensMax = typeof cap === 'number' ? Math.min(cap, contextTokens) : contextTokens;
  let pieces = 0;
  for (const text of texts) {
    pieces += Math.max(1, Math.ceil(Math.min(Buffer.byteLength(text), tokensMax) / tokensPerPieceMin));
  }
  return Math.ceil(pieces / documentsPerSearch);
}

/** Paid by the characters of the text, or by its tokens and those of the audio. */
function boundsOfSpeech(model: Model, call: SpeechCall): Bounds {
  const promptTokensMax = promptBound(model, call, { prompts: 1 });
  const isByUnit = isPaidByUnit(model);
  return {
    promptTokensMax: isByUnit ? 0 : promptTokensMax,
    choices: 1,
    // No provider takes a cap, so it cannot be lowered to what the balance covers.
    clientCap: isByUnit ? undefined : model.maxOutputTokens,
    largestCap: isByUnit ? 0 : model.maxOutputTokens,
    wanted: { ...noUsage, characters: call.characters },
  };
}

/** Paid by the seconds of the recording, or by its tokens and those of the transcript. */
function boundsOfTranscription(model: Model, call: TranscriptionCall): Bounds {
  const seconds = Math.ceil(call.audio.secondsMax);
  const isByUnit = isPaidByUnit(model);
  const tokens = promptBound(model, call, { prompts: 1, atLeastBytes: call.bytes + seconds * audioTokensPerSecondMax });
  return {
    promptTokensMax: isByUnit ? 0 : tokens,
    choices: 1,
    // No provider takes a cap, so it cannot be lowered to what the balance covers.
    clientCap: isByUnit ? undefined : model.maxOutputTokens,
    largestCap: isByUnit ? 0 : model.maxOutputTokens,
    wanted: { ...noUsage, audioSeconds: seconds },
  };
}

/**
 * A token of a byte-level tokenizer is at least one byte, and the body spells out every byte of the prompt; its JSON syntax is
 * longer than what chat templates add. A translation may be longer than the body, and is what counts. No provider accepts more
 * than the context, in each of the prompts.
 */
function promptBound(
  model: Model,
  call: Call,
  { prompts, atLeastBytes = 0 }: { prompts: number; atLeastBytes?: number },
): number {
  const { bytes, hasLongMedia } = largestPrompt(model, call);
  const mediaTokensMax = hasLongMedia ? model.contextTokens : call.mediaParts * mediaPartTokensMax;
  const besidesText = mediaTokensMax + instructionTokensOf(call);
  return Math.min(Math.max(bytes, atLeastBytes) + besidesText, model.contextTokens * prompts);
}

/** Without a limit, a prompt could cost more than the images. Every token is at least a byte, so most are not weighed. */
function checkImagePrompt({ id, contextTokens }: Model, { bytes, promptTexts }: ImageCall): void {
  if (bytes <= contextTokens) return;
  const tokens = Math.round(weigh(countTexts(promptTexts)));
  if (tokens <= contextTokens) return;
  throw new GatewayError(
    'invalid_parameter',
    `The prompt has about ${counted(tokens, 'token')}; '${id}' takes at most ${contextTokens}.`,
    { param: 'prompt' },
  );
}

/** The largest that any provider of the model would be sent. One that cannot be asked for this refuses it itself. */
function largestPrompt(model: Model, call: Call): PromptSize {
  let largest: PromptSize | undefined;
  let refusal: GatewayError | undefined;
  for (const deployment of model.deployments) {
    try {
      const size = operationOf(deployment.provider.protocol, model.kind)?.measurePrompt(call, deployment);
      if (size !== undefined) largest = largest === undefined ? size : largerOf(largest, size);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusal ??= error;
    }
  }
  if (largest === undefined && refusal !== undefined) throw refusal;
  return largest ?? { bytes: 0, hasLongMedia: call.hasLongMedia ?? false };
}

function largerOf(one: PromptSize, other: PromptSize): PromptSize {
  return { bytes: Math.max(one.bytes, other.bytes), hasLongMedia: one.hasLongMedia || other.hasLongMedia };
}

function instructionTokensOf(call: Call): number {
  const { body } = call;
  const hasTools =
    (call.kind === 'chat' && call.hasCalls) ||
    isSearching(call) ||
    (Array.isArray(body.tools) && body.tools.length > 0);
  return hasTools || (body.response_format ?? null) !== null ? instructionTokensMax : 0;
}

/**
 * The body's size as if the longest cap stood in it. Else a client that sets the `max_tokens` which a refusal has named
 * would send a longer body, which would cost more and be refused again.
 */
function bytesWithAnyCap({ bytes, outputCap }: TextCall): number {
  if (outputCap === undefined) return bytes + capNameBytes + capDigits;
  const digits = String(outputCap).length;
  return bytes - digits + Math.max(digits, capDigits);
}
