/** Temperature, top_p, top_k and stop sequences, in Anthropic's ranges. */
import { unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import { withoutUndefined } from '../../../shared/members.ts';
import type { ChatRequest } from '../../nouns/requests/chat-request.ts';
import { topKOf } from '../../nouns/requests/sampling.ts';
import type { Reasoning } from './thinking.ts';

const temperatureMax = 1;
/** The least top_p that Anthropic accepts with thinking. */
const thinkingTopPMin = 0.95;

export interface Sampling {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
}

export function buildSampling(
  body: ChatRequest,
  { reasoning, control }: { reasoning: Reasoning; control: 'budget' | 'effort' },
): Sampling {
  if (control === 'effort') return {};
  const topP = body.top_p ?? undefined;
  if (reasoning.thinking !== undefined) return topP !== undefined && topP >= thinkingTopPMin ? { top_p: topP } : {};
  return { ...randomnessOf(body), ...withoutUndefined({ top_k: topKOf(body) }) };
}

function randomnessOf(body: ChatRequest): Pick<Sampling, 'temperature' | 'top_p'> {
  const topP = body.top_p ?? undefined;
  const temperature = body.temperature ?? undefined;
  if (temperature === undefined) return topP === undefined ? {} : { top_p: topP };
  const clamped = Math.min(temperature, temperatureMax);
  // Newer models refuse both together, and many clients send both: then the one at its default is left out.
  if (topP === undefined || topP === 1) return { temperature: clamped };
  return clamped === temperatureMax ? { top_p: topP } : { temperature: clamped, top_p: topP };
}

/** Throws GatewayError if a sequence is only white space, which Anthropic refuses. */
export function stopSequencesOf({ stop }: ChatRequest): readonly string[] {
  const sequences = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((sequence) => sequence !== '');
  if (sequences.some((sequence) => sequence.trim() === '')) {
    throw unsupportedParameter('stop', 'This model does not support stop sequences of only white space.');
  }
  return sequences;
}
