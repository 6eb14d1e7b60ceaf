/** The command line of the bench. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { longScenarios, type Scenario, usualScenarios } from './scenarios/all-scenarios.ts';

const usage = `npm run bench [-- OPTIONS]
  --only json,stream   only these of: ${Object.keys({ ...usualScenarios, ...longScenarios }).join(', ')}
  --rounds 5           how often each contender is measured
  --seconds 3          how long each time
  --out FILE           where the report goes, with chart.svg and results.json beside it;
                       bench/RESULTS.md for a whole run, else only the terminal
  --full               also the transactions of a customer who has ten million
  --soak               also ten minutes of load, and a million requests
  --quick              a smoke run of two minutes, without nginx and Portkey; its figures mean little`;

export interface BenchOptions {
  readonly scenarios: ReadonlyMap<string, Scenario>;
  readonly rounds: number;
  readonly seconds: number;
  readonly quick: boolean;
  readonly out: string | undefined;
  /** What was typed. */
  readonly command: string;
}

/** Undefined where the command line is wrong; then it has been said what is right. */
export function readOptions(typed: readonly string[]): BenchOptions | undefined {
  try {
    return parse([...typed]);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    return undefined;
  }
}

function parse(typed: string[]): BenchOptions {
  const { values } = parseArgs({
    args: typed,
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      out: { type: 'string' },
      full: { type: 'boolean', default: false },
      soak: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
    },
  });
  const isWhole = values.only === undefined && !values.quick;
  return {
    scenarios: chooseScenarios(values),
    rounds: positive('--rounds', values.rounds ?? (values.quick ? '1' : '5')),
    seconds: positive('--seconds', values.seconds ?? (values.quick ? '1' : '3')),
    quick: values.quick,
    out: values.out ?? (isWhole ? join(import.meta.dir, 'RESULTS.md') : undefined),
    command: ['npm run bench', ...(typed.length === 0 ? [] : ['--', ...typed])].join(' '),
  };
}

function chooseScenarios(values: { only?: string | undefined; full: boolean; soak: boolean }): Map<string, Scenario> {
  const all: Readonly<Record<string, Scenario>> = { ...usualScenarios, ...longScenarios };
  const names = values.only?.split(',') ?? Object.keys(usualScenarios);
  if (values.full) names.push('transactions');
  if (values.soak) names.push('soak', 'million');
  return new Map(
    names.map((name) => {
      const scenario = all[name];
      if (scenario === undefined) throw new Error(`there is no scenario '${name}'`);
      return [name, scenario];
    }),
  );
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${name} takes a number above 0`);
  return number;
}
