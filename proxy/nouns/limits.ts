/**
 * Time and size limits for providers; the catalogue can set a provider's own timeouts. Those of running requests are
 * checked once a second, which is cheaper than a timer for each.
 */

/** Until the headers of a streamed response. */
export const streamHeadersTimeoutMs = 120_000;
/** Until the headers of a whole response, which the provider sends when it has generated all of it. */
export const bodyHeadersTimeoutMs = 600_000;
/** Between two chunks of a response, and for a whole request. */
export const defaultTimeouts = { idleMs: 120_000, totalMs: 1_800_000 } as const;

/** Attempts per request, over all deployments. Each deployment is tried at most once per round. */
export const attemptsMax = 6;
export const roundsMax = 2;
/** No attempt starts later than this after the first one. */
export const attemptsWithinMs = 60_000;
/** The pause before the second round, random so that requests do not retry in lockstep. */
export const roundPauseMs = { least: 200, most: 600 } as const;
/** A second round waits this long for a deployment to be ready again. */
export const roundPauseMaxMs = 2_000;

/** A stream that is silent for this long gets a comment, so that no one takes the connection for dead. */
export const pingIntervalMs = 15_000;
/** After the end of a stream, the rest of the provider's response is read so that its connection can be used again. */
export const restOfStreamTimeoutMs = 1_000;

const mebibyte = 1024 * 1024;
export const responseMaxBytes = 64 * mebibyte;
export const eventMaxCharacters = 8 * mebibyte;
export const errorBodyMaxBytes = 64 * 1024;

/** Limits of a response that is read to its end after its client disconnected. */
export const abandonedResponseTimeoutMs = 60_000;
export const abandonedResponseMaxBytes = 8 * mebibyte;
