/** A parent process that starts Postgres, prints its pid and waits to be killed. */
import { startPostgres } from '../../../local/servers/postgres.ts';

const [dataDir = ''] = process.argv.slice(2);
const { pid } = await startPostgres({ dataDir, settings: { fsync: 'off' } });
console.log(pid);
