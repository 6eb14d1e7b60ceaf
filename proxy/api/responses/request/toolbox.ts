/**
 * The tools of a Responses request as functions of a chat completion, which every provider knows, and the way back from
 * the name of a called function to the tool.
 *
 * Names of plain functions stay as they are. A tool in a namespace is called `namespace__name`; if a provider would refuse
 * that name, or another tool has it, it ends in a hash. The names depend on the request alone, so the calls of earlier
 * turns keep theirs.
 */
import { createHash } from 'node:crypto';
import type { ChatTool } from '../../../nouns/requests/chat-request.ts';
import type { CustomTool, FunctionTool, ToolSearchTool } from './tool-schemas.ts';

/** How the client knows a tool. */
export interface ToolIdentity {
  readonly kind: 'function' | 'custom' | 'tool_search';
  readonly name: string;
  readonly namespace?: string | null | undefined;
}

interface Entry {
  readonly identity: ToolIdentity;
  readonly tool: ChatTool;
}

/** The only parameter of a function that represents a custom tool. */
export const customInputName = 'input';
const toolSearch: ToolIdentity = { kind: 'tool_search', name: 'tool_search' };

const nameMax = 64;
const hashDigits = 8;

export class Toolbox {
  /** By the name of the function. */
  readonly #entries = new Map<string, Entry>();
  readonly #names = new Map<string, string>();
  readonly #takenNames = new Set<string>();
  readonly #namespaces = new Set<string>();

  /** A later definition of the same tool replaces an earlier one. */
  add(tool: FunctionTool | CustomTool | ToolSearchTool, namespace?: string): void {
    const isSearch = tool.type === 'tool_search';
    const identity = isSearch ? toolSearch : { kind: tool.type, name: tool.name, namespace };
    const name = isSearch ? this.searchName : this.functionName(identity);
    this.#entries.set(name, { identity, tool: chatTool(tool, name) });
    if (namespace !== undefined) this.#namespaces.add(namespace);
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** The function that represents the tool, whether or not the tool is offered. */
  functionName({ name, namespace }: Pick<ToolIdentity, 'name' | 'namespace'>): string {
    return this.#nameOf(JSON.stringify([namespace ?? '', name]), { name, namespace: namespace ?? '' });
  }

  /** The function that represents a search for more tools. */
  get searchName(): string {
    return this.#nameOf(toolSearch.name, { name: toolSearch.name, namespace: '' });
  }

  /** A function that is not among the tools is called as it is: the model has made it up. */
  identityOf(functionName: string): ToolIdentity {
    return this.#entries.get(functionName)?.identity ?? { kind: 'function', name: functionName };
  }

  has(functionName: string): boolean {
    return this.#entries.has(functionName);
  }

  hasNamespace(namespace: string): boolean {
    return this.#namespaces.has(namespace);
  }

  /** The names of the functions that stand for the tools of these namespaces. */
  namesIn(namespaces: ReadonlySet<string>): string[] {
    const isIn = ({ namespace }: ToolIdentity) => typeof namespace === 'string' && namespaces.has(namespace);
    return [...this.#entries].filter(([, { identity }]) => isIn(identity)).map(([name]) => name);
  }

  /** All of them, or those with these names. */
  chatTools(names?: ReadonlySet<string>): ChatTool[] {
    const entries = [...this.#entries];
    return entries.filter(([name]) => names === undefined || names.has(name)).map(([, { tool }]) => tool);
  }

  #nameOf(key: string, { name, namespace }: { name: string; namespace: string }): string {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const joined = namespace === '' ? name : `${namespace}__${name}`;
    const valid = namespace === '' ? joined : joined.replace(/[^\w-]/g, '_');
    const fits = namespace === '' || (valid === joined && joined.length <= nameMax);
    const hash = createHash('sha256').update(key).digest('hex').slice(0, hashDigits);
    const chosen = fits && !this.#takenNames.has(valid) ? valid : `${valid.slice(0, nameMax - hashDigits - 1)}_${hash}`;
    this.#names.set(key, chosen);
    this.#takenNames.add(chosen);
    return chosen;
  }
}

/** The function that stands for the tool, by this name. */
export function chatTool(tool: FunctionTool | CustomTool | ToolSearchTool, name: string): ChatTool {
  const { description } = tool;
  const named = { name, ...(description && { description }) };
  if (tool.type === 'custom') {
    return { type: 'function', function: { name, ...customFunction(tool) } };
  }
  const { parameters } = tool;
  const strict = tool.type === 'function' ? tool.strict : undefined;
  return {
    type: 'function',
    function: { ...named, ...(parameters && { parameters }), ...(typeof strict === 'boolean' && { strict }) },
  };
}

/** The grammar becomes part of the description: functions cannot enforce one. */
function customFunction({ description, format }: CustomTool) {
  const grammar =
    format?.type === 'grammar' && format.definition
      ? `The input must match this grammar (${format.syntax ?? 'lark'}):\n${format.definition}`
      : undefined;
  const texts = [description, grammar].filter((text) => typeof text === 'string' && text !== '');
  const input = { type: 'string', description: 'The input of the tool, as plain text.' };
  return {
    ...(texts.length > 0 && { description: texts.join('\n\n') }),
    parameters: {
      type: 'object',
      properties: { [customInputName]: input },
      required: [customInputName],
      additionalProperties: false,
    },
  };
}
