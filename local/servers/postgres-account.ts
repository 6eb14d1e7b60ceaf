/**
 * Decides which user runs Postgres, because it refuses to run as root.
 *
 * - Anyone but root: as that user.
 * - Root: in a user namespace, where root's files stay readable under another user id. This works in root's own
 *   private home directory as well, but containers may forbid namespaces.
 * - Root without namespaces: as the system's `nobody`, which keeps root's right to read and write files and nothing
 *   else of root's rights. The data then belongs to that user.
 *
 * Each way is tried with the real binary and the real folder before it is chosen.
 */
import type { PostgresBinaries } from './postgres-binaries.ts';

export type AccountKind = 'self' | 'namespace' | 'nobody';

export interface PostgresAccount {
  kind: AccountKind;
  /** The command prefix for a binary. */
  prefix: string[];
  /** The owner of the data, seen from outside the namespace. */
  ownerId: number;
}

const nobodyId = 65_534;

export function choosePostgresAccount(options: {
  binaries: PostgresBinaries;
  dataDir: string;
  kind?: AccountKind;
}): PostgresAccount {
  const candidates = accounts().filter(({ kind }) => options.kind === undefined || kind === options.kind);
  const works = candidates.find((account) => canRun(account, options.binaries, options.dataDir));
  if (works !== undefined) return works;
  throw new Error(
    'Postgres does not run as root, and this machine lets root neither create a user namespace (unshare) nor give the ' +
      'files to another user (setpriv). Start as an ordinary user, or set DATABASE_URL to your own Postgres.',
  );
}

function accounts(): PostgresAccount[] {
  const userId = process.geteuid?.() ?? 0;
  if (userId !== 0) return [{ kind: 'self', prefix: [], ownerId: userId }];
  // Both belong to util-linux; macOS has neither.
  const unshare = Bun.which('unshare') ?? 'unshare';
  const setpriv = Bun.which('setpriv') ?? 'setpriv';
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  const numbers = [`--reuid=${nobodyId}`, `--regid=${nobodyId}`, '--clear-groups'];
  return [
    {
      kind: 'namespace',
      prefix: [unshare, '--user', `--map-user=${nobodyId}`, `--map-group=${nobodyId}`],
      ownerId: 0,
    },
    { kind: 'nobody', prefix: [setpriv, ...numbers, ...rights], ownerId: nobodyId },
  ];
}

function canRun({ kind, prefix }: PostgresAccount, binaries: PostgresBinaries, dataDir: string): boolean {
  // An ordinary user needs no trial run: initdb reports problems better.
  if (kind === 'self') return true;
  if (process.platform !== 'linux') return false;
  const script = '"$0" --version && test -w "$1" && test -x "$1"';
  const command = ['/bin/sh', '-c', 'exec "$@"', 'sh', ...prefix, '/bin/sh', '-c', script, binaries.postgres, dataDir];
  return Bun.spawnSync(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;
}
