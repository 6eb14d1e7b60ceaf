/** The log probabilities of a candidate's tokens, as OpenAI shows them. */
import { type JsonObject, objectOf, objectsOf } from './json-value.ts';

/** Null where there are none. */
export function logprobsOf(logprobsResult: unknown): JsonObject | null {
  const { chosenCandidates, topCandidates } = objectOf(logprobsResult);
  const chosen = objectsOf(chosenCandidates);
  if (chosen.length === 0) return null;
  const alternatives = objectsOf(topCandidates);
  return {
    content: chosen.map((token, index) => ({
      ...tokenOf(token),
      top_logprobs: objectsOf(alternatives[index]?.candidates).map(tokenOf),
    })),
    refusal: null,
  };
}

function tokenOf(candidate: JsonObject): { token: string; logprob: number; bytes: number[] } {
  const token = typeof candidate.token === 'string' ? candidate.token : '';
  // Missing is how the API writes 0, which is certainty.
  const logprob = typeof candidate.logProbability === 'number' ? candidate.logProbability : 0;
  return { token, logprob, bytes: [...Buffer.from(token)] };
}
