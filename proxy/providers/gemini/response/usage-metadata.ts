/** Gemini's token counts: https://ai.google.dev/api/generate-content#UsageMetadata. */
import { asArray, asRecord } from '../../../nouns/json/record.ts';
import { noUsage, readCount, type Usage } from '../../../nouns/usage.ts';

/**
 * Null if the counts are missing or absurd. The prompt's count includes cached tokens, but not those that tools add;
 * the output's count excludes thoughts. The API omits zero counts, so a missing one follows from the total.
 */
export function readUsageMetadata(value: unknown): Usage | null {
  const metadata = asRecord(value);
  const prompt = readCount(metadata.promptTokenCount);
  if (prompt === undefined) return null;
  const promptTokens = prompt + (readCount(metadata.toolUsePromptTokenCount) ?? 0);
  const candidateTokens = readCount(metadata.candidatesTokenCount);
  const thoughts = readCount(metadata.thoughtsTokenCount);
  const total = readCount(metadata.totalTokenCount);
  if (candidateTokens === undefined && thoughts === undefined && total === undefined) return null;
  const completionTokens = Math.max((candidateTokens ?? 0) + (thoughts ?? 0), (total ?? 0) - promptTokens);
  const cachedPromptTokens = Math.min(readCount(metadata.cachedContentTokenCount) ?? 0, promptTokens);
  const cachedAudio = audioIn(metadata.cacheTokensDetails);
  return {
    ...noUsage,
    promptTokens,
    cachedPromptTokens,
    audioPromptTokens: Math.min(
      Math.max(0, audioIn(metadata.promptTokensDetails) - cachedAudio),
      promptTokens - cachedPromptTokens,
    ),
    completionTokens,
    reasoningTokens: Math.min(thoughts ?? 0, completionTokens),
  };
}

/** Counts by modality, of which those that are 0 are missing. */
function audioIn(details: unknown): number {
  const ofAudio = asArray(details)
    .map(asRecord)
    .find(({ modality }) => modality === 'AUDIO');
  return readCount(ofAudio?.tokenCount) ?? 0;
}
