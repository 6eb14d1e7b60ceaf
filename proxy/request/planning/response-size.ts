/**
 * How many tokens or vectors a whole response may have, so that it stays below the size that is taken from a provider. A longer
 * one would be paid for and could not be delivered, so it is refused before it is sent. A stream may be as long as it
 * likes.
 */
import { counted } from '../../../shared/counted.ts';
import { GatewayError } from '../../../shared/errors.ts';
import type { EmbeddingCall, TextCall } from '../../nouns/call.ts';
import { responseMaxBytes } from '../../nouns/limits.ts';
import type { Model } from '../../pricing/catalogue.ts';

/** The most that a component of a vector takes: a double on a line of its own, and a 32-bit float in base64. */
const componentBytes = { float: 34, base64: 16 / 3 } as const;
/** The braces and names around a vector. */
const besidesVectorBytes = 256;
/** More than most models have. Those that have more say so in the catalogue. */
const dimensionsByDefault = 4_096;
/** Of a token's text as JSON; most have 4 to 8. */
const textBytes = 64;
/** `{"token":"…","logprob":-0.123456789,"bytes":[…]}`: most have 70 to 100. */
const logProbabilityBytes = 160;
const bytesPerPromptToken = 4;
/** Where the client sets no cap, it is lowered to what fits, but not below this. */
const usefulCap = 256;

/**
 * The largest cap for one choice, at most `capMax`, the model's own. Throws GatewayError `invalid_parameter` where the
 * client's cap is larger, or nothing useful would be left.
 */
export function largestCapOf(call: TextCall, capMax: number): number {
  if (call.stream) return capMax;
  const fits = tokensThatFit(call);
  const wanted = Math.min(call.outputCap ?? usefulCap, capMax);
  if (wanted > fits) throw tooLarge(call, fits);
  return Math.min(fits, capMax);
}

/** Throws GatewayError `invalid_parameter` if the vectors could be larger than can be taken. */
export function checkVectors({ dimensions = dimensionsByDefault, deployments }: Model, call: EmbeddingCall): void {
  const { prompts, body } = call;
  const components = typeof body.dimensions === 'number' ? body.dimensions : dimensions;
  // Only providers with OpenAI's API encode vectors.
  const canEncode = deployments.every(({ provider }) => provider.protocol === 'openai');
  const isEncoded = canEncode && body.encoding_format === 'base64';
  const fits = Math.floor(
    responseMaxBytes / (components * componentBytes[isEncoded ? 'base64' : 'float'] + besidesVectorBytes),
  );
  if (prompts <= fits) return;
  const other = canEncode && !isEncoded ? " or set 'encoding_format' to 'base64'" : '';
  throw new GatewayError(
    'invalid_parameter',
    `The response could exceed ${responseMaxBytes} bytes. Send at most ${counted(fits, 'input')} of ${counted(components, 'dimension')}${other}.`,
    { param: 'input' },
  );
}

function tokensThatFit(call: TextCall): number {
  const choices = call.n * promptsOf(call);
  const bytesPerToken = textBytes + logProbabilityBytes * logProbabilitiesOf(call);
  return Math.floor((responseMaxBytes - echoedBytes(call, bytesPerToken)) / (choices * bytesPerToken));
}

/** For each token: its own, and those of the alternatives. */
function logProbabilitiesOf({ body: { logprobs, top_logprobs: alternatives } }: TextCall): number {
  // A text completion has the number of alternatives in `logprobs` itself.
  if (typeof logprobs === 'number') return 1 + logprobs;
  return logprobs === true ? 1 + (typeof alternatives === 'number' ? alternatives : 0) : 0;
}

/** A text completion may repeat its prompt in each of its choices. */
function echoedBytes({ body, bytes, n }: TextCall, bytesPerToken: number): number {
  if (body.echo !== true) return 0;
  const hasLogProbabilities = bytesPerToken > textBytes;
  return n * (hasLogProbabilities ? (bytes / bytesPerPromptToken) * bytesPerToken : bytes);
}

function tooLarge(call: TextCall, fits: number): GatewayError {
  const most = fits >= 1 ? `at most ${counted(fits, 'token')} per choice` : 'fewer choices';
  return new GatewayError(
    'invalid_parameter',
    `The response could exceed ${responseMaxBytes} bytes. Request ${most}, fewer choices or log probabilities, or a stream.`,
    { param: paramOf(call) },
  );
}

/** What makes it so large. */
function paramOf(call: TextCall): string {
  const { body, n } = call;
  if (typeof body.logprobs === 'number') return 'logprobs';
  if (body.logprobs === true) return typeof body.top_logprobs === 'number' ? 'top_logprobs' : 'logprobs';
  if (n > 1) return 'n';
  if (promptsOf(call) > 1 || body.echo === true) return 'prompt';
  return body.max_completion_tokens === undefined ? 'max_tokens' : 'max_completion_tokens';
}

/** Each of which may fill the context. */
export function promptsOf(call: TextCall): number {
  return call.kind === 'completion' ? call.prompts : 1;
}
