/** Projects at the command line: the same operations as in the API, with the same output. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { projectSchema } from '../../../admin/api/organizations/projects/project-schemas.ts';
import { type Harness, startHarness } from '../../harness.ts';
import type { AuditList, CreatedKey, KeyList, ProxyKey } from '../api/response-types.ts';
import { type Gateway, gatewayOf } from './run-gateway.ts';

type Project = typeof projectSchema.static;

let harness: Harness;
let gateway: Gateway;
beforeAll(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
});
afterAll(() => harness.stop());

const run = <Json>(...args: string[]) => gateway<Json>([...args, '--json']);

test('a project is created, given a key, archived and restored, each effective immediately', async () => {
  const { email, accountId } = await harness.createCustomer({ usd: '1' });
  const named = ['--name', 'Support bot', '--cost-center', 'CC-40'];
  const { json: made } = await run<Project>('project', 'create', '--email', email, ...named);
  expect(made).toMatchObject({ name: 'Support bot', costCenter: 'CC-40', description: null, archived: false, keys: 0 });
  const id = String(made.id);
  const { json: key } = await run<CreatedKey>('key', 'create', '--email', email, '--name', 'ci', '--project', id);
  const { json: archived } = await run<Project>('project', 'archive', '--id', id);
  expect(archived).toMatchObject({ archived: true, keys: 1 });
  const stateOf = async () => {
    const { json } = await run<KeyList>('key', 'list', '--email', email);
    return json.keys.find((each) => each.id === key.id)?.state;
  };
  expect(await stateOf()).toBe('project_archived');
  await run('project', 'restore', '--id', id);
  expect(await stateOf()).toBe('active');
  const { json: changed } = await run<Project>('project', 'update', '--id', id, '--cost-center', 'none');
  expect(changed).toMatchObject({ costCenter: null, archived: false });
  const { json: moved } = await run<ProxyKey>('key', 'update', '--id', String(key.id), '--project', 'none');
  expect(moved.projectId).toBeNull();
  const { json: listed } = await run<{ projects: Project[] }>('project', 'list', '--account', String(accountId));
  expect(listed.projects).toEqual([{ ...changed, keys: 0 }]);
  const { json: audit } = await run<AuditList>('audit', '--limit', '6');
  expect(audit.entries.map(({ action }) => action)).toEqual([
    'key.update',
    'project.update',
    'project.update',
    'project.update',
    'key.create',
    'project.create',
  ]);
});

test('the list is aligned for people, and bad input is refused with a sentence', async () => {
  const { email } = await harness.createCustomer({ usd: '0' });
  expect((await gateway(['project', 'list', '--email', email])).out).toContain('has no projects.');
  await run('project', 'create', '--email', email, '--name', 'Bot');
  const { out } = await gateway(['project', 'list', '--email', email]);
  expect(out).toMatch(/^PROJECT\tSTATE\tKEYS\t30 DAYS, \$\tCOST CENTER\tNAME\n\d+\tactive\t0\t0\t\tBot\n?$/);
  for (const args of [
    ['create', '--email', email, '--name', 'bot'],
    ['archive', '--id', '999999999'],
    ['update', '--id', '1'],
    ['archive', '--id', 'x'],
  ]) {
    expect((await gateway(['project', ...args])).exitCode).not.toBe(0);
  }
});
