/** Archives as `gateway archive` does, and kills itself at the nth occurrence of a step: a process of its own. */
import { connectDatabase } from '../../../../admin/database/connect.ts';
import { archiveUsage } from '../../../../admin/ledger/archive/archive-usage.ts';
import { FolderStore } from '../../../../shared/objects/folder-store.ts';

const [url = '', path = '', now = '', step = '', times = '1'] = process.argv.slice(2);
const { sql } = connectDatabase(url, { connections: 2 });
let left = Number(times);
await archiveUsage(sql, {
  ...{ months: 2, store: new FolderStore(path), now: new Date(now) },
  onStep: (reached) => {
    if (reached !== step) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  },
});
