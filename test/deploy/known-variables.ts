/** Which variables exist, for everything in `deploy/` that sets some. */
import runtimeEnvironment from '../../local/npm/runtime-environment.json' with { type: 'json' };
import { type ProgramName, readersOf, secretVariables } from '../../shared/config/own-variables.ts';

/** Settings of the runtime, not of the gateway. */
const ofRuntime: ReadonlySet<string> = new Set(Object.keys(runtimeEnvironment));
const files: ReadonlySet<string> = new Set(secretVariables.map((name) => `${name}_FILE`));

/** A provider's key or a variable that the program reads. `NAME_FILE` exists only for secrets. */
export function isReadBy(program: ProgramName, variable: string): boolean {
  if (/^[A-Z0-9_]+_API_KEY(?:_FILE)?$/.test(variable)) return program === 'proxy';
  if (ofRuntime.has(variable)) return true;
  const isFile = variable.endsWith('_FILE') && variable !== 'SELLER_FILE';
  return (!isFile || files.has(variable)) && readersOf(variable)?.includes(program) === true;
}

/** Whether any program reads it. */
export function isKnown(variable: string): boolean {
  return isReadBy('proxy', variable) || isReadBy('admin', variable);
}
