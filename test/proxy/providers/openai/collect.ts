/** Assembles a response as a client does, from chunks or a body. */

export interface Collected {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish: string | null;
}

type Json = Record<string, unknown>;

export function chunksOf(output: string): Json[] {
  return output
    .split('\n\n')
    .filter((event) => event !== '' && event !== 'data: [DONE]')
    .map((event) => JSON.parse(event.replace(/^data: /, '')) as Json);
}

/** The first choice. */
export function collectChat(responses: readonly Json[]): Collected {
  const calls: { id: string; name: string; arguments: string }[] = [];
  let text = '';
  let reasoning = '';
  let finish: string | null = null;
  for (const choice of firstChoices(responses)) {
    const message = (choice.delta ?? choice.message ?? {}) as Json;
    text += message.content ?? '';
    reasoning += message.reasoning_content ?? '';
    if (typeof choice.finish_reason === 'string') finish = choice.finish_reason;
    for (const [position, call] of ((message.tool_calls ?? []) as Json[]).entries()) {
      const own = (call.function ?? {}) as Json;
      const index = choice.message === undefined ? Number(call.index) : position;
      calls[index] ??= { id: '', name: '', arguments: '' };
      calls[index].id += call.id ?? '';
      calls[index].name += own.name ?? '';
      calls[index].arguments += own.arguments ?? '';
    }
  }
  return { text, reasoning, calls, finish };
}

export function collectText(responses: readonly Json[]): Collected {
  const choices = firstChoices(responses);
  const finish = choices.map((choice) => choice.finish_reason).findLast((reason) => typeof reason === 'string');
  return { text: choices.map(({ text }) => text).join(''), reasoning: '', calls: [], finish: finish ?? null };
}

function firstChoices(responses: readonly Json[]): Json[] {
  return responses.flatMap(({ choices }) => (choices as Json[]).filter(({ index }) => index === 0));
}
