/**
 * What people may do. Each operation of /api names one permission (see admin/api/docs/describe.ts), and this table is the
 * only place that says who has it.
 *
 * A role is one person's in one organization. Operators run the gateway; in their own organization they have a role too.
 */
import { GatewayError } from '../../shared/errors.ts';

export const roles = ['owner', 'admin', 'finance', 'auditor'] as const;
export type Role = (typeof roles)[number];

const everyone = roles;

/** What a role is given. An operation changes something, unless its permission ends in `:read`. */
const grants = {
  /** One's own name, e-mail address, password and sessions. */
  'profile:manage': everyone,
  'models:read': everyone,
  'balance:read': everyone,
  /** Usage, charged requests and their receipts. */
  'usage:read': everyone,
  'keys:read': ['owner', 'admin', 'auditor'],
  'keys:manage': ['owner', 'admin'],
  /** Payments, transactions, documents, company details and alert settings. */
  'payments:read': everyone,
  'payments:manage': ['owner', 'finance'],
  /** What concerns the organization as a whole: its export and its deletion. */
  'organization:manage': ['owner'],
} as const satisfies Record<string, readonly Role[]>;

/** `operator`: to run the gateway. */
export type Permission = keyof typeof grants | 'operator';

interface Person {
  readonly role: 'customer' | 'operator';
  readonly organizationRole: Role;
}

/** Those that have it; undefined for what no role in an organization gives. */
export function rolesWith(permission: Permission): readonly Role[] | undefined {
  return permission === 'operator' ? undefined : grants[permission];
}

/** Throws GatewayError `role_required`, or `access_denied` for what only operators may do. */
export function refuseUnpermitted(person: Person, permission: Permission): void {
  const sufficient = rolesWith(permission);
  if (sufficient === undefined) {
    if (person.role !== 'operator') throw operatorsOnly();
  } else if (!sufficient.includes(person.organizationRole)) {
    throw roleRequired(person.organizationRole, sufficient);
  }
}

export function roleRequired(role: Role, sufficient: readonly Role[]): GatewayError {
  const needed = sufficient.length === 1 ? `the role ${sufficient[0]}` : `one of the roles ${sufficient.join(', ')}`;
  return new GatewayError('role_required', `Your role in this organization is ${role}; this needs ${needed}.`);
}

export const operatorsOnly = () => new GatewayError('access_denied', 'Only operators can do this.');
