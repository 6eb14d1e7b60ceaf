/** How long the lists of a body may be: far longer than those of any client, and short enough to be walked in a moment. */
export const listLimits = {
  /** Also items of a Responses input. */
  messages: 10_000,
  /** Of one message. */
  contentParts: 4_096,
  /** Also thinking blocks; of one message. */
  toolCalls: 1_024,
  tools: 1_024,
  /** Of everything that is a list of names. */
  names: 1_024,
} as const;
