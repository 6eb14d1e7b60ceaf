/** A parent process that starts Redis, prints its pid and waits to be killed. */
import { startRedis } from '../../../local/servers/redis.ts';

const [dataDir = ''] = process.argv.slice(2);
const { pid } = await startRedis({ dataDir, appendOnly: true });
console.log(pid);
