/** The first start with a fake CLI, so that it can be interrupted after each command. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { StateFile } from '../../../local/data/state.ts';
import { ensureCustomer } from '../../../local/start/first-run.ts';
import type { CommandResult, OperatorCommand } from '../../../local/start/operator-command.ts';
import { temporaryDirectories } from '../temporary-directory.ts';

const newDirectory = temporaryDirectories();
const database = 'embedded';

class Interruption extends Error {}

/** The state of the gateway after the commands so far. */
function fakeGateway() {
  const users = new Map<string, string>();
  const credits = new Map<string, string>();
  const keys: string[] = [];
  const seen: string[] = [];
  const run: (...call: Parameters<OperatorCommand>) => CommandResult = (args, password = '') => {
    seen.push(...args);
    const option = (name: string) => args[args.indexOf(name) + 1] ?? '';
    if (args[0] === 'user') {
      if (users.has(option('--email'))) return { ok: false, code: 'email_taken', message: 'taken' };
      users.set(option('--email'), password);
      return { ok: true, result: { id: users.size, email: option('--email') } };
    }
    if (args[0] === 'credit') {
      credits.set(option('--idempotency-key'), option('--usd'));
      return { ok: true, result: { transactionId: 1, balance: '5' } };
    }
    keys.push(`${args[0] === 'key' ? 'ms' : 'mk'}-${keys.length}`);
    return { ok: true, result: { id: keys.length, key: keys.at(-1), prefix: 'm' } };
  };
  return { users, credits, keys, seen, run };
}

test('a first start that is interrupted after any command is finished by the next start', async () => {
  const commandsInAll = 5;
  for (let survived = 0; survived <= commandsInAll; survived += 1) {
    const gateway = fakeGateway();
    const path = join(newDirectory(), 'state.json');
    let left = survived;
    // The command is done, but we are killed before we get its result.
    const interrupted: OperatorCommand = async (...call) => {
      const result = gateway.run(...call);
      if (left === 0) throw new Interruption();
      left -= 1;
      return result;
    };
    const first = ensureCustomer({ command: interrupted, state: new StateFile(path), database });
    if (survived < commandsInAll) await expect(first).rejects.toThrow(Interruption);
    else await first;

    const command: OperatorCommand = async (...call) => gateway.run(...call);
    const customer = await ensureCustomer({ command, state: new StateFile(path), database });
    expect([...gateway.users.keys()].sort()).toEqual(['demo@example.com', 'operator@example.com']);
    expect(gateway.users.get(customer.demo.email)).toBe(customer.demo.password);
    expect(gateway.users.get(customer.operator.email)).toBe(customer.operator.password);
    expect([...gateway.credits.values()]).toEqual(['10']);
    expect(gateway.keys).toContain(customer.proxyKey);
    expect(gateway.keys).toContain(customer.billingKey);
    expect(customer.demo.password.length).toBeGreaterThanOrEqual(16);
    // The process list shows every argument to everyone.
    expect(gateway.seen).not.toContain(customer.operator.password);
  }
});

test('a second start runs no command and gives the same keys', async () => {
  const gateway = fakeGateway();
  const path = join(newDirectory(), 'state.json');
  const command: OperatorCommand = async (...call) => gateway.run(...call);
  const first = await ensureCustomer({ command, state: new StateFile(path), database });
  const none: OperatorCommand = async (args) => {
    throw new Error(`unexpected command: ${args.join(' ')}`);
  };
  expect(await ensureCustomer({ command: none, state: new StateFile(path), database })).toEqual(first);
});

test('an account of a lost data folder is not touched, and another one is created', async () => {
  const gateway = fakeGateway();
  gateway.users.set('demo@example.com', 'nobody knows');
  const command: OperatorCommand = async (...call) => gateway.run(...call);
  const state = new StateFile(join(newDirectory(), 'state.json'));
  const { demo } = await ensureCustomer({ command, state, database });
  expect(demo.email).toMatch(/^demo-[a-z]+@example\.com$/);
  expect(gateway.users.get(demo.email)).toBe(demo.password);
  expect(gateway.users.get('demo@example.com')).toBe('nobody knows');
});
