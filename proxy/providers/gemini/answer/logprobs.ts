/** The log probabilities of a candidate's tokens, as OpenAI shows them. */
import { asArray, asRecord, isRecord, type JsonRecord } from '../../../json/record.ts';

/** Null where there are none. */
export function logprobsOf(logprobsResult: unknown): JsonRecord | null {
  const { chosenCandidates, topCandidates } = asRecord(logprobsResult);
  const chosen = asArray(chosenCandidates).filter(isRecord);
  if (chosen.length === 0) return null;
  const alternatives = asArray(topCandidates).filter(isRecord);
  return {
    content: chosen.map((token, index) => ({
      ...tokenOf(token),
      top_logprobs: asArray(alternatives[index]?.candidates).filter(isRecord).map(tokenOf),
    })),
    refusal: null,
  };
}

function tokenOf(candidate: JsonRecord): { token: string; logprob: number; bytes: number[] } {
  const token = typeof candidate.token === 'string' ? candidate.token : '';
  // Missing is how the API writes 0, which is certainty.
  const logprob = typeof candidate.logProbability === 'number' ? candidate.logProbability : 0;
  return { token, logprob, bytes: [...Buffer.from(token)] };
}
