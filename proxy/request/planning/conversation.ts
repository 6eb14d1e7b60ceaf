/**
 * Which conversation a chat request continues, so that it goes where its prompt is cached already: what a client says with
 * `prompt_cache_key`, or else the prompt up to the first message of the user, which every later request repeats.
 */
import type { Call } from '../../nouns/call.ts';
import { isResponsesCall } from '../../nouns/requests/responses-request.ts';
import type { Deployment, Model } from '../../pricing/catalogue.ts';

/** Of each text; conversations that differ only after that are taken for one. */
const hashedCharacters = 65_536;

/** Undefined where nothing is won by it, or where the request has no conversation. */
export function conversationOf(model: Model, call: Call): bigint | undefined {
  if (model.kind !== 'chat' || !paysToStay(model)) return undefined;
  const { prompt_cache_key: key } = isResponsesCall(call) ? call.settings.request : call.body;
  if (typeof key === 'string' && key !== '') return Bun.hash.wyhash(key);
  let hash = 0n;
  const { messages } = call.body;
  for (const message of Array.isArray(messages) ? messages : []) {
    hash = hashContent(message.content, hash);
    if (message.role === 'user') break;
  }
  return hash;
}

/** Cached input is cheaper, and there is a choice. */
function paysToStay({ prices, rates = [], deployments }: Model): boolean {
  if (deployments.length < 2) return false;
  return [{ prices }, ...rates].some((rate) => rate.prices.cachedPrompt < rate.prices.prompt);
}

function hashContent(content: unknown, seed: bigint): bigint {
  if (typeof content === 'string') return Bun.hash.wyhash(content.slice(0, hashedCharacters), seed);
  if (!Array.isArray(content)) return seed;
  return content.reduce((hash: bigint, part) => {
    return typeof part?.text === 'string' ? Bun.hash.wyhash(part.text.slice(0, hashedCharacters), hash) : hash;
  }, seed);
}

/**
 * A number from 0 to 1 that is the same for a conversation and a deployment each time, and for other conversations of any
 * account as if drawn by chance: rendezvous hashing.
 */
export function drawFor(conversation: bigint, accountId: number, { name }: Deployment): number {
  const hash = Bun.hash.wyhash(`${accountId}:${name}`, conversation);
  return Number(hash >> 11n) / 2 ** 53;
}
