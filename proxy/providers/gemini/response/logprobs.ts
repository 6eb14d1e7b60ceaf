/** The log probabilities of a candidate's tokens, in OpenAI's format. */
import { isObject } from '../../../../shared/members.ts';
import { asArray, asRecord, type JsonRecord } from '../../../nouns/json/record.ts';

/** Null if there are none. */
export function logprobsOf(logprobsResult: unknown): JsonRecord | null {
  const { chosenCandidates, topCandidates } = asRecord(logprobsResult);
  const chosen = asArray(chosenCandidates).filter(isObject);
  if (chosen.length === 0) return null;
  const alternatives = asArray(topCandidates).filter(isObject);
  return {
    content: chosen.map((token, index) => ({
      ...tokenOf(token),
      top_logprobs: asArray(alternatives[index]?.candidates).filter(isObject).map(tokenOf),
    })),
    refusal: null,
  };
}

function tokenOf(candidate: JsonRecord): { token: string; logprob: number; bytes: number[] } {
  const token = typeof candidate.token === 'string' ? candidate.token : '';
  // The API omits 0, which means certainty.
  const logprob = typeof candidate.logProbability === 'number' ? candidate.logProbability : 0;
  return { token, logprob, bytes: [...Buffer.from(token)] };
}
