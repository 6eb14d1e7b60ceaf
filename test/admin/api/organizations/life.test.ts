/**
 * What random people do in random organizations, beside a model of who belongs where: each call is answered as the model says, and
 * each token works for exactly as long as its membership.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Role } from '../../../../admin/auth/permissions.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { newestToken } from '../mailbox.ts';
import { type Api, goodPassword, randomAddress, startApi } from '../start-api.ts';
import { type Members, type Organizations, People, type Person } from './people.ts';

let harness: Harness;
let api: Api;
let people: People;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  people = new People(harness, api);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const roles: readonly Role[] = ['owner', 'admin', 'finance', 'member', 'auditor'];
const steps = 40;

interface Held {
  readonly token: string;
  readonly person: Person;
  readonly organization: number;
  /** It has ended, with the membership that it was for. */
  ended: boolean;
}

class Model {
  /** By organization, the role of each member, by their id. */
  readonly members = new Map<number, Map<number, Role>>();

  role(organization: number, { id }: Person): Role | undefined {
    return this.members.get(organization)?.get(id);
  }

  isLastOwner(organization: number, person: Person): boolean {
    const owners = [...(this.members.get(organization) ?? [])].filter(([, role]) => role === 'owner');
    return owners.length === 1 && owners[0]?.[0] === person.id;
  }

  /** What the call must be answered with. */
  changeRole(organization: number, by: Person, of: Person, role: Role): number {
    const [own, theirs] = [this.role(organization, by), this.role(organization, of)];
    if (own !== 'owner' && own !== 'admin') return 403;
    if (theirs === undefined) return 404;
    if (theirs === role) return 204;
    if ((theirs === 'owner' || role === 'owner') && own !== 'owner') return 403;
    if (this.isLastOwner(organization, of)) return 409;
    this.members.get(organization)?.set(of.id, role);
    return 204;
  }

  remove(organization: number, by: Person, of: Person): number {
    const [own, theirs] = [this.role(organization, by), this.role(organization, of)];
    if (own !== 'owner' && own !== 'admin' && by !== of) return 403;
    if (theirs === undefined) return 404;
    if (theirs === 'owner' && own !== 'owner') return 403;
    if (this.isLastOwner(organization, of)) return 409;
    this.members.get(organization)?.delete(of.id);
    return 204;
  }

  invite(organization: number, by: Person, of: Person, role: Role): number {
    const own = this.role(organization, by);
    if (own !== 'owner' && (own !== 'admin' || role === 'owner')) return 403;
    return this.role(organization, of) === undefined ? 201 : 409;
  }
}

/** A session of its own, so that no step ends the token of another. */
async function tokenFor(person: Person, organizationId: number): Promise<string> {
  const body = { email: person.email, password: goodPassword };
  const { body: session } = await api.call<{ accessToken: string }>('POST', '/api/auth/login', { body });
  const at = { ...person, token: session.accessToken };
  await people.switchTo(at, organizationId);
  return at.token;
}

/** The one that they hold, or a new one. */
async function tokenOf(person: Person, organization: number, held: Held[]): Promise<string> {
  const known = held.find((each) => each.person === person && each.organization === organization && !each.ended);
  if (known !== undefined) return known.token;
  const token = await tokenFor(person, organization);
  held.push({ token, person, organization, ended: false });
  return token;
}

const call = (method: string, path: string, token: string, body?: object) =>
  api.call(method, path, {
    token,
    headers: { 'x-forwarded-for': randomAddress() },
    ...(body !== undefined && { body }),
  });

async function step(random: SeededRandom, model: Model, everyone: readonly Person[], held: Held[]): Promise<void> {
  const organization = random.pick([...model.members.keys()]);
  const by = random.pick(everyone.filter((person) => model.role(organization, person) !== undefined));
  const of = random.pick(everyone);
  const role = random.pick(roles);
  const token = await tokenOf(by, organization, held);
  const what = random.pick(['invite', 'invite', 'change', 'remove'] as const);
  if (what === 'change') {
    const expected = model.changeRole(organization, by, of, role);
    expect((await call('PUT', `/api/members/${of.id}`, token, { role })).status).toBe(expected);
  } else if (what === 'remove') {
    const before = model.role(organization, of);
    const expected = model.remove(organization, by, of);
    const { status, error } = await call('DELETE', `/api/members/${of.id}`, token);
    // On a machine that is busy, Redis may take too long: then it is recorded, and takes effect a moment later.
    expect(error?.code === 'wallet_unavailable' ? 204 : status).toBe(expected);
    if (before !== undefined && expected === 204) await leave(model, organization, of, held);
  } else {
    const expected = model.invite(organization, by, of, role);
    const { status } = await call('POST', '/api/invitations', token, { email: of.email, role });
    // A mailbox gets a few an hour.
    expect([expected, 429]).toContain(status);
    if (status === 201) {
      await accept(of);
      model.members.get(organization)?.set(of.id, role);
    }
  }
}

async function accept(person: Person): Promise<void> {
  const body = { email: person.email, password: goodPassword };
  const { body: session } = await api.call<{ accessToken: string }>('POST', '/api/auth/login', { body });
  const token = await newestToken(harness, person.email, 'invitation');
  const { status } = await api.call('POST', '/api/invitations/accept', { token: session.accessToken, body: { token } });
  expect(status).toBe(200);
}

/** Whoever has lost their home has a new one. */
async function leave(model: Model, organization: number, person: Person, held: readonly Held[]): Promise<void> {
  for (const each of held) if (each.person === person && each.organization === organization) each.ended = true;
  const { sql } = harness.database;
  const [home] = await sql<{ id: string }[]>`SELECT account_id AS id FROM users WHERE id = ${person.id}`;
  const id = Number(home?.id);
  if (!model.members.has(id)) model.members.set(id, new Map([[person.id, 'owner']]));
}

async function compare(model: Model, everyone: readonly Person[], held: readonly Held[]): Promise<void> {
  for (const { token, ended } of held) {
    expect((await call('GET', '/api/organization', token)).status).toBe(ended ? 401 : 200);
  }
  for (const [organization, members] of model.members) {
    const owner = everyone.find(({ id }) => members.get(id) === 'owner');
    if (owner === undefined) throw new Error(`organization ${organization} has no owner`);
    const token = await tokenOf(owner, organization, [...held]);
    const listed = (await people.ok<Members>('GET', '/api/members', { token })).members;
    expect(new Map(listed.map(({ id, role }) => [id, role]))).toEqual(members);
  }
  for (const person of everyone) {
    const { body } = await api.call<{ accessToken: string }>('POST', '/api/auth/login', {
      body: { email: person.email, password: goodPassword },
    });
    const own = await people.ok<Organizations>('GET', '/api/organizations', { token: body.accessToken });
    const expected = [...model.members].filter(([, members]) => members.has(person.id)).map(([id]) => id);
    expect(own.organizations.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  }
}

test.each([1, 2])('is as the model says, with seed %i', async (seed) => {
  const random = new SeededRandom(seed);
  const everyone = [];
  const model = new Model();
  for (let index = 0; index < 4; index += 1) {
    const person = await people.sign();
    everyone.push(person);
    model.members.set((await people.organizationOf(person)).id, new Map([[person.id, 'owner']]));
  }
  const held: Held[] = [];
  for (let index = 0; index < steps; index += 1) await step(random, model, everyone, held);
  await compare(model, everyone, held);
});
