/** The charge of a request whose stream did not report it, because it was stopped or interrupted. */
import { api, call } from '../../app/api/api.ts';
import { ApiError } from '../../app/api/api-error.ts';
import type { ChatUsage } from './stream-chat.ts';

/** A charge is usually booked within two seconds. */
const pausesMs = [500, 500, 1_000, 1_000, 2_000, 3_000, 5_000, 8_000] as const;

/** Undefined if nothing was charged so far. */
export async function fetchUsage(requestId: string): Promise<ChatUsage | undefined> {
  for (const pauseMs of pausesMs) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const usage = await readUsage(requestId).catch(isPassing);
    if (usage !== undefined) return usage;
  }
  return undefined;
}

async function readUsage(requestId: string): Promise<ChatUsage> {
  const request = await call(api.GET('/api/requests/{requestId}', { params: { path: { requestId } } }));
  const { promptTokens, completionTokens, charged, estimated } = request;
  return { tokensIn: promptTokens, tokensOut: completionTokens, cost: charged, isEstimate: estimated };
}

/** Not booked yet, or the API cannot be reached for the moment. */
function isPassing(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
}
