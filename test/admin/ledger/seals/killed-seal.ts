/** Seals a month as admin does, and kills itself at the nth occurrence of a step: a process of its own. */
import { connectDatabase } from '../../../../admin/database/connect.ts';
import { monthOf } from '../../../../admin/ledger/months.ts';
import { sealMonth } from '../../../../admin/ledger/seals/seal-month.ts';

const [url = '', month = '', rowsInBlock = '', step = '', times = '1'] = process.argv.slice(2);
const { sql } = connectDatabase(url, { connections: 2 });
let left = Number(times);
const onStep = (reached: string) => {
  if (reached !== step) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
};
await sealMonth({ sql, rowsInBlock: Number(rowsInBlock), onStep }, monthOf(new Date(month)));
