/** What each role may do in its organization: every operation of /api, called by everyone. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { roles } from '../../../../admin/auth/permissions.ts';
import type { ErrorBody } from '../../../../shared/errors.ts';
import { testPassword } from '../../../harness/customers.ts';
import { type OpenApiDocument, operationsOf } from '../../../harness/openapi/operations-of.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Api, logIn, register, startApi } from '../start-api.ts';

const all = 'owner admin finance auditor';
const everyone = `${all} member`;
/** Decided here, operation by operation, and not read from the table that is tested. */
const allowed: Readonly<Record<string, string>> = {
  getBalance: everyone,
  getFirstSteps: everyone,
  listPrices: everyone,
  getUsage: everyone,
  exportUsage: everyone,
  getErrors: everyone,
  listRequests: everyone,
  getRequest: everyone,
  streamEvents: everyone,
  getProfile: everyone,
  changeProfile: everyone,
  changePassword: everyone,
  resendVerification: everyone,
  confirmIdentity: everyone,
  challengeConfirmation: everyone,
  getSecondFactors: everyone,
  beginAuthenticatorApp: everyone,
  addAuthenticatorApp: everyone,
  removeAuthenticatorApp: everyone,
  replaceRecoveryCodes: everyone,
  beginPasskey: everyone,
  addPasskey: everyone,
  renamePasskey: everyone,
  removePasskey: everyone,
  listSessions: everyone,
  endSession: everyone,
  endSessions: everyone,
  listOrganizations: everyone,
  createOrganization: everyone,
  switchOrganization: everyone,
  getOrganization: everyone,
  changeOrganization: 'owner',
  getSignIn: 'owner',
  changeSignIn: 'owner',
  changeIdentityProvider: 'owner',
  removeIdentityProvider: 'owner',
  testIdentityProvider: 'owner',
  proveDomain: 'owner',
  getIpAllowList: 'owner admin auditor',
  changeIpAllowList: 'owner',
  getDataPolicy: everyone,
  changeDataPolicy: 'owner',
  listOrganizationAudit: all,
  exportOrganizationAudit: all,
  listMembers: 'owner admin auditor',
  changeMember: 'owner admin',
  // Everyone may leave; who else is removed is decided by what is called.
  removeMember: everyone,
  getDimensions: everyone,
  changeDimensions: 'owner admin',
  listProjects: everyone,
  listBudgets: everyone,
  createBudget: 'owner admin',
  changeBudget: 'owner admin',
  deleteBudget: 'owner admin',
  createProject: 'owner admin',
  changeProject: 'owner admin',
  listInvitations: 'owner admin auditor',
  listWebhooks: 'owner admin auditor',
  createWebhook: 'owner admin',
  changeWebhook: 'owner admin',
  deleteWebhook: 'owner admin',
  rotateWebhookSecret: 'owner admin',
  testWebhook: 'owner admin',
  listWebhookDeliveries: 'owner admin auditor',
  replayWebhookDelivery: 'owner admin',
  createInvitation: 'owner admin',
  resendInvitation: 'owner admin',
  revokeInvitation: 'owner admin',
  listProxyKeys: 'owner admin member auditor',
  createProxyKey: 'owner admin member',
  changeProxyKey: 'owner admin member',
  rotateProxyKey: 'owner admin member',
  deleteProxyKey: 'owner admin member',
  createPlaygroundKey: 'owner admin member',
  listBillingKeys: 'owner admin auditor',
  createBillingKey: 'owner admin',
  changeBillingKey: 'owner admin',
  rotateBillingKey: 'owner admin',
  deleteBillingKey: 'owner admin',
  listTransactions: all,
  exportTransactions: all,
  listPayments: all,
  getPayment: all,
  listPaymentMethods: all,
  orderPayment: 'owner finance',
  getAutoTopUp: all,
  putAutoTopUp: 'owner finance',
  deleteAutoTopUp: 'owner finance',
  listDocuments: all,
  getDocumentPdf: all,
  makeDocument: 'owner finance',
  changeDetails: 'owner finance',
  getNotificationSettings: all,
  changeNotificationSettings: 'owner finance',
  sendTestNotification: 'owner finance',
  listAlertAddresses: all,
  addAlertAddress: 'owner finance',
  removeAlertAddress: 'owner finance',
  exportAccount: 'owner',
  deleteAccount: 'owner',
};

/** What those have who have it for what is their own, if it is not their keys. */
const ownOf: Readonly<Record<string, string>> = {
  listProjects: 'those in which they have a proxy key',
  listBudgets: 'those that apply to their proxy keys',
};

const document: OpenApiDocument = await Bun.file(join(import.meta.dir, '../docs/openapi.snapshot.json')).json();
const operations = operationsOf(document).map((operation) => ({ ...operation, id: operation.operationId ?? '' }));
const restricted = operations.filter(({ security }) => security?.some((scheme) => 'accessToken' in scheme));
const forOperators = restricted.filter(({ route }) => route.includes(' /api/operator/'));
const ofOrganizations = restricted.filter((operation) => !forOperators.includes(operation));

let harness: Harness;
let api: Api;
const tokens = new Map<string, string>();
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  for (const role of roles) {
    const { id, token } = await register(api);
    await harness.database.sql`UPDATE memberships SET role = ${role} WHERE user_id = ${id}`;
    tokens.set(role, token);
  }
  const operator = await harness.createCustomer({ usd: '0', role: 'operator' });
  tokens.set('operator', await logIn(api, operator.email, testPassword));
  const kept = await harness.createCustomer({ usd: '0', role: 'operator' });
  tokens.set('kept out', await logIn(api, kept.email, testPassword));
  await harness.database.sql`
    INSERT INTO organization_settings (account_id, sign_in_rule) VALUES (${kept.accountId}, 'second_factor')`;
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

/** Changes nothing: ids are unknown, bodies are invalid, and the session continues. */
async function call(route: string, caller: string) {
  const [method = '', path = ''] = route.split(' ');
  const known = path.replace(/\{(\w+)\}/g, (_, name) => (name === 'id' ? '999999999' : crypto.randomUUID()));
  const query = route === 'DELETE /api/profile/sessions' ? '?keepCurrent=true' : '';
  const token = tokens.get(caller);
  const leave = new AbortController();
  const response = await fetch(`${api.url}${known}${query}`, {
    method,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
    ...(method !== 'GET' && method !== 'DELETE' && { body: '{"unknown":true}' }),
    signal: leave.signal,
  });
  const { status, headers } = response;
  const isError = status >= 400 && headers.get('content-type')?.startsWith('application/json');
  const { error } = isError ? ((await response.json()) as ErrorBody) : { error: undefined };
  // Events and archives do not end by themselves.
  leave.abort();
  return { status, code: error?.code, message: error?.message };
}

test('each operation that needs a log-in is decided for each role, or is for operators', () => {
  expect(ofOrganizations.map(({ id }) => id).sort()).toEqual(Object.keys(allowed).sort());
  expect(forOperators.length).toBeGreaterThan(20);
});

test.each(restricted)('$id is refused without a token', async ({ route }) => {
  expect(await call(route, 'nobody')).toMatchObject({ status: 401, code: 'invalid_token' });
});

describe.each([...roles])('the role %s', (role) => {
  test.each(ofOrganizations)('may call $id, or is told who may', async ({ id, route, responses, description }) => {
    const { status, code, message } = await call(route, role);
    const named = (allowed[id] ?? '').split(' ');
    const sufficient = roles.filter((name) => named.includes(name));
    if (sufficient.includes(role)) {
      if (id === 'removeMember') return expect([403, 404]).toContain(status);
      expect(code).not.toBeOneOf(['role_required', 'access_denied', 'invalid_token']);
      expect(status).not.toBe(500);
      return;
    }
    const needed = sufficient.length === 1 ? `the role ${sufficient[0]}` : `one of the roles ${sufficient.join(', ')}`;
    expect({ status, code, message }).toEqual({
      status: 403,
      code: 'role_required',
      message: `Your role in this organization is ${role}; this needs ${needed}.`,
    });
    const whole = sufficient.filter((name) => name !== 'member').map((name) => `\`${name}\``);
    const own = sufficient.includes('member') ? `; \`member\` for ${ownOf[id] ?? 'their own keys'}` : '';
    expect(description).toEndWith(`Roles: ${whole.join(', ')}${own}.`);
    expect(responses[403]?.content?.['application/json']?.examples).toHaveProperty('role_required');
  });

  test.each(forOperators)('may not call $id', async ({ route }) => {
    expect(await call(route, role)).toMatchObject({ status: 403, code: 'access_denied' });
  });
});

test.each(forOperators)('an operator may call $id', async ({ route }) => {
  expect((await call(route, 'operator')).code).not.toBeOneOf(['role_required', 'access_denied', 'invalid_token']);
});

/** One's own profile, and where else one is a member. */
const ofProfile =
  `getProfile changeProfile changePassword resendVerification confirmIdentity challengeConfirmation getSecondFactors
  beginAuthenticatorApp addAuthenticatorApp removeAuthenticatorApp replaceRecoveryCodes beginPasskey addPasskey renamePasskey
  removePasskey listSessions endSession endSessions listOrganizations createOrganization switchOrganization`.split(
    /\s+/,
  );

test.each(restricted)(
  '$id is refused to who has not signed in as required, unless it is their profile',
  async ({ id, route }) => {
    const { status, code } = await call(route, 'kept out');
    if (ofProfile.includes(id)) expect(code).not.toBe('sign_in_rule');
    else expect([status, code]).toEqual([403, 'sign_in_rule']);
  },
);

test('a changed role is effective with the next request', async () => {
  const { id, token } = await register(api);
  const order = () => api.call('POST', '/api/payments', { token, body: {} });
  const become = (role: string) => harness.database.sql`UPDATE memberships SET role = ${role} WHERE user_id = ${id}`;
  await become('auditor');
  expect((await order()).error?.code).toBe('role_required');
  await become('finance');
  expect((await order()).error?.code).not.toBe('role_required');
});
