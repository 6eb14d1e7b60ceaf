/** How long lists in a body may be: far longer than any client sends, and short enough to iterate over instantly. */
export const listLimits = {
  /** Also for items of a Responses input. */
  messages: 10_000,
  /** Per message. */
  contentParts: 4_096,
  /** Per message; also for thinking blocks. */
  toolCalls: 1_024,
  tools: 1_024,
  /** For every list of names. */
  names: 1_024,
} as const;
