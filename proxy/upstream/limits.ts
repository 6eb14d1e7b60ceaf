/**
 * How long and how much the proxy waits for a provider; the catalogue may set a provider's own timeouts. Those of a
 * running request are looked at once a second: a timer for each would cost more than it is worth.
 */

/** Until the headers of a streamed answer. */
export const streamHeadersTimeoutMs = 120_000;
/** Until the headers of a whole answer, which come when the provider has generated all of it. */
export const bodyHeadersTimeoutMs = 600_000;
/** Between two pieces of an answer, and for a request in all. */
export const defaultTimeouts = { idleMs: 120_000, totalMs: 1_800_000 } as const;

/** Deployments are asked so often in all for one request, and each at most once a round. */
export const attemptsMax = 6;
export const roundsMax = 2;
/** No deployment is asked any more this long after the first one was. */
export const attemptsWithinMs = 60_000;
/** The pause before the second round, drawn anew for each request so that they do not come back together. */
export const roundPauseMs = { least: 200, most: 600 } as const;
/** A second round waits this long for a deployment to be ready again. */
export const roundPauseMaxMs = 2_000;

/** A stream that says nothing for so long gets a comment, so that nobody on the way takes it for dead. */
export const pingIntervalMs = 15_000;
/** After the end of a stream, the rest of the provider's answer is read so that its connection can be used again. */
export const restOfStreamTimeoutMs = 1_000;

const mebibyte = 1024 * 1024;
export const answerMaxBytes = 64 * mebibyte;
export const eventMaxCharacters = 8 * mebibyte;
export const errorBodyMaxBytes = 64 * 1024;

/** Of an answer that is read to its end for a client that has left. */
export const abandonedAnswerTimeoutMs = 60_000;
export const abandonedAnswerMaxBytes = 8 * mebibyte;
