/** A request as a program sends it by default, written from the program's sources or from what is known of it. */

export interface Called {
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
}

export interface SentRequest {
  /** What the program wants with it. */
  readonly name: string;
  readonly path: '/v1/chat/completions' | '/v1/responses';
  /** Without the model. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What has to reach the provider in any protocol, as JSON writes it. */
  readonly reaches: readonly string[];
  /** Its hosted tools, which are left out and named. */
  readonly removes?: string;
  /** The call that the model makes; without it, it says `Hello.` */
  readonly calls?: Called;
  /** What the program gets as the arguments of the call, if they are not the input as JSON. */
  readonly readsArguments?: string;
}

export interface Program {
  readonly name: string;
  /** Beside the key and the type of the body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly requests: readonly SentRequest[];
}

/** A function as chat completions describe it. */
export const functionTool = (name: string, parameter: string, more: object = {}) => ({
  type: 'function',
  function: { name, description: `Runs ${name}.`, parameters: schemaOf(parameter), ...more },
});

export const schemaOf = (parameter: string) => ({
  type: 'object',
  properties: { [parameter]: { type: 'string' } },
  required: [parameter],
});

/** The model's call of a function, as a program sends it back. */
export const callOf = (id: string, { name, input }: Called) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
});
