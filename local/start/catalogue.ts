/**
 * Applies the catalogue on the first start, and updates the demo provider's address in it when its port changes.
 *
 * Invariant: a catalogue that the operator has changed since is never replaced; only the old address in it is.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalConfiguration } from '../configuration.ts';
import { writePrivateFile } from '../data/private-file.ts';
import type { StateFile } from '../data/state.ts';
import { expectDone, type OperatorCommand, operatorCommands } from './operator-command.ts';
import { databaseName } from './services.ts';

/** Placeholder in a catalogue file for the address of the demo provider, which is known only when it runs. */
const placeholder = /\$\{DEMO_URL\}/g;

const checkMs = 60_000;
const demoCatalogue = join(import.meta.dir, 'demo-catalogue.yaml');

export interface CatalogueOptions {
  command: OperatorCommand;
  dataDir: string;
  /** The user's own catalogue, if there is one. */
  cataloguePath: string | undefined;
  demoUrl: string;
  /** The address in the current catalogue; undefined before the first start is done. */
  appliedDemoUrl: string | undefined;
}

export interface CatalogueDone {
  text: string;
  /** The address in the current catalogue. */
  demoUrl: string;
}

export async function ensureCatalogue(options: CatalogueOptions): Promise<CatalogueDone> {
  const { command, demoUrl, appliedDemoUrl } = options;
  if (appliedDemoUrl === demoUrl) return { text: 'unchanged', demoUrl };
  const file = join(options.dataDir, 'catalogue.yaml');
  const source = options.cataloguePath ?? demoCatalogue;
  if (appliedDemoUrl === undefined) {
    writePrivateFile(file, readFileSync(source, 'utf8').replace(placeholder, demoUrl));
  } else {
    await expectDone(command(['catalogue', 'export', file]));
    writePrivateFile(file, readFileSync(file, 'utf8').replaceAll(appliedDemoUrl, demoUrl));
  }
  const applied = await command(['catalogue', 'apply', file]);
  if (appliedDemoUrl !== undefined && !applied.ok && applied.code === 'invalid_catalogue') {
    // The version that accepted it had fewer rules; everything except the demo models still works.
    return { text: `still has the demo provider at ${appliedDemoUrl}. ${applied.message}`, demoUrl: appliedDemoUrl };
  }
  if (!applied.ok) throw new Error(applied.message);
  const text = appliedDemoUrl === undefined ? `applied ${source}` : `the demo provider is now at ${demoUrl}`;
  return { text, demoUrl };
}

/** Problems of the user's own catalogue, if this start is going to apply it. Needs no server. */
export async function findCatalogueProblems(
  { cataloguePath, inherited, dataDir, databaseUrl }: LocalConfiguration,
  state: StateFile,
): Promise<string[]> {
  if (cataloguePath === undefined) return [];
  let text: string;
  try {
    text = readFileSync(cataloguePath, 'utf8');
  } catch (error) {
    return [`GATEWAY_CATALOGUE names a file that cannot be read: ${String(error)}`];
  }
  const isNamed = databaseUrl === undefined || URL.canParse(databaseUrl);
  if (isNamed && state.progress(databaseName({ databaseUrl })).demoUrl !== undefined) return [];
  const file = join(dataDir, 'catalogue.yaml');
  writePrivateFile(file, text.replace(placeholder, 'http://127.0.0.1/v1'));
  // With a pepper set, the command line does not look for settings written by an earlier start.
  const environment = {
    PATH: inherited.PATH ?? '',
    PROVIDER_KEYS: inherited.PROVIDER_KEYS ?? '',
    KEY_PEPPER: 'unused',
  };
  const command = operatorCommands(environment, AbortSignal.timeout(checkMs));
  const checked = await command(['catalogue', 'validate', file]);
  if (checked.ok) return [];
  const message = checked.message.replace('catalogue validate: ', '').replaceAll(file, cataloguePath);
  return [`GATEWAY_CATALOGUE: ${message.replaceAll('\n', '\n  ')}`];
}
