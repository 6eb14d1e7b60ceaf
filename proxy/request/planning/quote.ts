/**
 * The most that a request can cost, at the current price. It becomes the hold, so everything here errs upwards.
 */
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
import type { Call } from '../../nouns/call.ts';
import { noUsage } from '../../nouns/usage.ts';
import type { Model } from '../../pricing/catalogue.ts';
import { countRequest, imagesPart, maxOutputPrice, partsOfEach, reachablePrices } from '../../pricing/cost.ts';
import { countTexts, weigh } from '../../pricing/text-scale.ts';
import type { PromptSize } from '../../providers/adapter.ts';
import { adapterOf } from '../../providers/adapters.ts';
import { checkVectors, largestCapOf } from './response-size.ts';

export interface Quote {
  /** Upper bound of the prompt's tokens. */
  readonly promptTokensMax: number;
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
}

/** Below this, a response is of no use. */
const lowestUsefulCap = 16;
/** More than any provider is known to count for one picture. */
const mediaPartTokensMax = 65_536;

/** More than providers add of their own where a request has tools or a form for the response; Anthropic adds up to 700. */
const instructionTokensMax = 1_024;

/** `"max_completion_tokens": ` on a line of its own, and the longest number that is reckoned with. */
const capNameBytes = 32;
const capDigits = 10;

/**
 * Throws GatewayError where no provider of the model can be asked for this, and `invalid_parameter` where the response could
 * be larger than can be taken, or the prompt of images is longer than their price covers.
 */
export function quoteOf(model: Model, call: Call): Quote {
  const { prices: usualPrices } = model;
  const isImage = call.image !== undefined;
  if (isImage) checkImagePrompt(model, call);
  // A token of a byte-level tokenizer is at least one byte, and the body spells out every byte of the prompt; its JSON
  // syntax is longer than what chat templates add. A translation may be longer than the body, and is what counts. No
  // provider accepts more than the context, in each of the prompts.
  const { bytes, hasLongMedia } = largestPrompt(model, call);
  const mediaTokensMax = hasLongMedia ? model.contextTokens : call.mediaParts * mediaPartTokensMax;
  const besidesText = mediaTokensMax + instructionTokensOf(call);
  const isFreePrompt = isImage && highestPriceOf(usualPrices, 'prompt') === 0n;
  const contextTokens = model.contextTokens * (call.prompts ?? 1);
  const promptTokensMax = isFreePrompt ? 0 : Math.min(bytes + besidesText, contextTokens);
  const largestCap = largestOutputOf(model, call);
  const outputCap = Math.min(call.outputCap ?? largestCap, largestCap);
  const prices = reachablePrices(model, promptTokensMax);
  const maxTokenPrice = maxOutputPrice(prices);
  const outputPrice = call.choices === 1 ? maxTokenPrice : picoUsdPerToken(maxTokenPrice * BigInt(call.choices));
  const promptPart = { count: promptTokensMax, price: highestPriceOf(prices, 'prompt') };
  const fixedParts = [
    promptPart,
    ...(isImage ? [imagesPart(usualPrices, call.n)] : []),
    ...partsOfEach(usualPrices.each ?? {}, countRequest(model, noUsage)),
  ];
  const fixedPico = exactCostOf(fixedParts);
  return {
    promptTokensMax,
    fixedParts,
    promptPartNano: roundedCost(fixedPico),
    outputPrice,
    outputCap,
    lowestCap: call.outputCap === undefined ? Math.min(lowestUsefulCap, outputCap) : 0,
    largestCap,
    amountNano: roundedCost(withPart(fixedPico, { count: outputCap, price: outputPrice })),
  };
}

/** Without a limit, a prompt could cost more than the images. Every token is at least a byte, so most are not weighed. */
function checkImagePrompt({ id, contextTokens }: Model, { bytes, promptTexts }: Call): void {
  if (bytes <= contextTokens) return;
  const tokens = Math.round(weigh(countTexts(promptTexts)));
  if (tokens <= contextTokens) return;
  throw new GatewayError(
    'invalid_parameter',
    `The prompt has about ${counted(tokens, 'token')}; '${id}' takes at most ${contextTokens}.`,
    { param: 'prompt' },
  );
}

/** Of one choice, in tokens. */
function largestOutputOf(model: Model, call: Call): number {
  const { kind, maxOutputTokens } = model;
  if (kind === 'image') return 0;
  if (kind !== 'embedding') return largestCapOf(call, maxOutputTokens);
  checkVectors(model, call);
  return maxOutputTokens;
}

/** The largest that any provider of the model would be sent. One that cannot be asked for this refuses it itself. */
function largestPrompt(model: Model, call: Call): PromptSize {
  let largest: PromptSize | undefined;
  let refusal: GatewayError | undefined;
  for (const deployment of model.deployments) {
    try {
      const size = adapterOf(deployment.provider.protocol).operations[model.kind]?.measurePrompt(call, deployment);
      if (size !== undefined) largest = largest === undefined ? size : largerOf(largest, size);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusal ??= error;
    }
  }
  if (largest === undefined && refusal !== undefined) throw refusal;
  const { bytes, hasLongMedia } = largest ?? { bytes: 0, hasLongMedia: call.hasLongMedia ?? false };
  return { bytes: Math.max(bytes, bytesWithAnyCap(call)), hasLongMedia };
}

function largerOf(one: PromptSize, other: PromptSize): PromptSize {
  return { bytes: Math.max(one.bytes, other.bytes), hasLongMedia: one.hasLongMedia || other.hasLongMedia };
}

function instructionTokensOf({ body, hasCalls }: Call): number {
  const hasTools = hasCalls || (Array.isArray(body.tools) && body.tools.length > 0);
  return hasTools || (body.response_format ?? null) !== null ? instructionTokensMax : 0;
}

/**
 * The body's size as if the longest cap stood in it. Else a client that sets the `max_tokens` which a refusal has named
 * would send a longer body, which would cost more and be refused again.
 */
function bytesWithAnyCap({ bytes, outputCap }: Call): number {
  if (outputCap === undefined) return bytes + capNameBytes + capDigits;
  const digits = String(outputCap).length;
  return bytes - digits + Math.max(digits, capDigits);
}
