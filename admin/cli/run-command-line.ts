/**
 * Finds the command, runs it and prints its result. Exit code 0: done; 1: failed; 2: called incorrectly; 3: what was compared
 * differs. With --json the last line of the output is one object, also for errors.
 */
import { type CommandDef, renderUsage } from 'citty';
import { type Command, type CommandGroup, type Outcome, UsageError } from './command.ts';
import { commandTree } from './command-tree.ts';
import { describeFailure } from './describe-failure.ts';
import { renderList } from './list.ts';

export interface Terminal {
  /** Whether people read the output: then columns are aligned. */
  readonly aligned: boolean;
  out(text: string): Promise<void>;
  problem(text: string): Promise<void>;
}

interface Found {
  readonly command: Command | CommandGroup;
  /** `gateway key create` */
  readonly name: string;
  readonly rest: readonly string[];
}

export async function runCommandLine(rawArguments: readonly string[], terminal: Terminal): Promise<number> {
  const json = rawArguments.includes('--json');
  const found = findCommand(rawArguments.filter((argument) => argument !== '--json'));
  if (found.rest.includes('--help') || found.rest.includes('-h')) {
    await terminal.out(await help(found));
    return 0;
  }
  try {
    const outcome = await run(found);
    await terminal.out(json ? JSON.stringify(outcome.object) : renderText(outcome, terminal));
    if (outcome.differs) return 3;
    return outcome.failed ? 1 : 0;
  } catch (error) {
    const failure = describeFailure(error);
    await terminal.problem(failure.message);
    if (error instanceof UsageError) await terminal.problem(`\n${await help(found)}`);
    if (json) await terminal.out(JSON.stringify({ error: failure }));
    return error instanceof UsageError ? 2 : 1;
  }
}

function renderText({ text }: Outcome, { aligned }: Terminal): string {
  const parts = [text].flat();
  return parts.map((part) => (typeof part === 'string' ? part : renderList(part, { aligned }))).join('\n');
}

function findCommand(words: readonly string[]): Found {
  let command: Command | CommandGroup = commandTree;
  let depth = 0;
  while ('commands' in command) {
    const next: Command | CommandGroup | undefined = Object.entries(command.commands).find(
      ([name]) => name === words[depth],
    )?.[1];
    if (next === undefined) break;
    command = next;
    depth += 1;
  }
  return { command, name: ['gateway', ...words.slice(0, depth)].join(' '), rest: words.slice(depth) };
}

function run({ command, name, rest }: Found) {
  if (!('commands' in command)) return command.run([...rest]);
  const [word] = rest;
  throw new UsageError(word === undefined ? `${name} needs a command.` : `${name} has no command ${word}.`);
}

function help({ command, name }: Found): Promise<string> {
  return renderUsage(definitionOf(command, name));
}

function definitionOf(command: Command | CommandGroup, name: string): CommandDef {
  if (!('commands' in command)) {
    return { ...command.definition, meta: { ...command.definition.meta, name } };
  }
  const subCommands = Object.entries(command.commands).map(([word, sub]) => [word, definitionOf(sub, word)]);
  return { meta: { name, description: command.description }, subCommands: Object.fromEntries(subCommands) };
}
