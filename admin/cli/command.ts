/**
 * A command of the command line. citty parses the arguments and renders the help; unknown options and options without
 * a value, which citty accepts, are rejected here.
 */
import { type ArgsDef, type CommandDef, type ParsedArgs, parseArgs } from 'citty';
import type { List } from './list.ts';

/** The result of a command: `text` for people, and with --json `object` for programs. */
export interface Outcome {
  /** Several parts are printed one below the other. */
  readonly text: string | List | readonly (string | List)[];
  readonly object: Readonly<Record<string, unknown>>;
  /** The command ran and its result is a failure: exit code 1. */
  readonly failed?: boolean;
  /** The command compared two things that differ: exit code 3. */
  readonly differs?: boolean;
}

export interface Command {
  /** For the help. */
  readonly definition: CommandDef;
  run(rawArguments: string[]): Promise<Outcome>;
}

/** Commands by name, or groups of them. */
export interface CommandGroup {
  readonly description: string;
  readonly commands: Readonly<Record<string, Command | CommandGroup>>;
}

/** The command was called incorrectly: exit code 2, with help. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface CommandOptions<Args extends ArgsDef> {
  readonly description: string;
  readonly args: Args;
  readonly run: (args: ParsedArgs<Args>) => Promise<Outcome>;
}

const jsonArgument = {
  json: { type: 'boolean', description: 'Print the result as one JSON object on the last line' },
} as const satisfies ArgsDef;

export function command<const Args extends ArgsDef>({ description, args, run }: CommandOptions<Args>): Command {
  const allArgs: ArgsDef = { ...args, ...jsonArgument };
  return {
    definition: { meta: { description }, args: allArgs },
    run: (rawArguments) => run(readArguments<Args>(rawArguments, allArgs)),
  };
}

function readArguments<Args extends ArgsDef>(rawArguments: string[], args: ArgsDef): ParsedArgs<Args> {
  const parsed = parse<Args>(rawArguments, args);
  const known = Object.entries(args);
  const positionals = known.filter(([, { type }]) => type === 'positional');
  const extra = parsed._[positionals.length];
  if (extra !== undefined) throw new UsageError(`Unexpected argument: ${extra}`);
  for (const [name, value] of Object.entries(parsed)) {
    if (name === '_') continue;
    const argument = known.find(([known]) => kebab(known) === kebab(name));
    if (argument === undefined) throw new UsageError(`Unknown option: --${name}`);
    if (value === '') throw new UsageError(`--${name} needs a value`);
  }
  return parsed;
}

function parse<Args extends ArgsDef>(rawArguments: string[], args: ArgsDef): ParsedArgs<Args> {
  try {
    return parseArgs<Args>(rawArguments, args);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** citty repeats every option in camel case. */
function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
