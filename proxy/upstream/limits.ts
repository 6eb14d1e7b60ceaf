/** How long and how much the proxy waits for a provider. */

/** Until the headers of a streamed answer. */
export const streamHeadersTimeoutMs = 120_000;
/** Until the headers of a whole answer, which come when the provider has generated all of it. */
export const bodyHeadersTimeoutMs = 600_000;
/** Between two pieces of an answer. */
export const idleTimeoutMs = 120_000;
/** For a request in all. */
export const totalTimeoutMs = 1_800_000;

const mebibyte = 1024 * 1024;
export const answerMaxBytes = 64 * mebibyte;
export const eventMaxCharacters = 8 * mebibyte;
export const errorBodyMaxBytes = 64 * 1024;
