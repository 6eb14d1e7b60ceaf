/** People and organizations, as their clients make them. */
import type { Session } from '../../../../admin/api/auth/session.ts';
import type {
  invitationSchema,
  membersSchema,
  organizationSchema,
  organizationsSchema,
} from '../../../../admin/api/organizations/organization-schemas.ts';
import type { Role } from '../../../../admin/auth/permissions.ts';
import type { Harness } from '../../../harness.ts';
import { newestToken } from '../mailbox.ts';
import { type Api, goodPassword, registerVerified } from '../start-api.ts';

export type Members = typeof membersSchema.static;
export type Organizations = typeof organizationsSchema.static;
export type Organization = typeof organizationSchema.static;
export type Invitation = typeof invitationSchema.static;

export interface Person {
  readonly id: number;
  readonly email: string;
  /** For the organization that they are in. */
  token: string;
}

/** Each call checks its response against the document, and throws if it is none of success. */
export class People {
  readonly #harness: Harness;
  readonly #api: Api;

  constructor(harness: Harness, api: Api) {
    this.#harness = harness;
    this.#api = api;
  }

  /** With an organization of their own. */
  sign(): Promise<Person> {
    return registerVerified(this.#harness, this.#api);
  }

  async invite(by: Person, email: string, role: Role): Promise<string> {
    await this.ok('POST', '/api/invitations', by, { email, role });
    return newestToken(this.#harness, email, 'invitation');
  }

  /** The person is in the organization from then on. */
  async accept(person: Person, token: string): Promise<Session> {
    const session = await this.ok<Session>('POST', '/api/invitations/accept', person, { token });
    person.token = session.accessToken;
    return session;
  }

  /** Someone who had no user. */
  async acceptAsNew(email: string, token: string): Promise<Person & { readonly session: Session }> {
    const body = { token, password: goodPassword };
    const { status, body: session } = await this.#api.call<Session>('POST', '/api/invitations/accept', { body });
    if (status !== 200) throw new Error(`the invitation was not accepted: ${status} ${JSON.stringify(session)}`);
    return { id: session.user.id, email, token: session.accessToken, session };
  }

  async join(by: Person, person: Person, role: Role): Promise<void> {
    await this.accept(person, await this.invite(by, person.email, role));
  }

  async switchTo(person: Person, organizationId: number): Promise<Session> {
    const session = await this.ok<Session>('POST', '/api/auth/switch', person, { organizationId });
    person.token = session.accessToken;
    return session;
  }

  async organizationOf(person: Person): Promise<Organization> {
    return this.ok<Organization>('GET', '/api/organization', person);
  }

  async membersOf(person: Person): Promise<Members['members']> {
    return (await this.ok<Members>('GET', '/api/members', person)).members;
  }

  async ok<Body>(method: string, path: string, { token }: { token: string }, body?: object): Promise<Body> {
    const response = await this.#api.call<Body>(method, path, { token, ...(body !== undefined && { body }) });
    if (response.status < 300) return response.body;
    throw new Error(`${method} ${path}: ${response.status} ${response.error?.message}`);
  }

  /** The status and the code, where a call is to be refused. */
  async refusal(method: string, path: string, { token }: { token?: string }, body?: object) {
    const options = { ...(token !== undefined && { token }), ...(body !== undefined && { body }) };
    const { status, error } = await this.#api.call(method, path, options);
    return [status, error?.code];
  }
}
