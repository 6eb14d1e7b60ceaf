/**
 * What people may do. Each operation of /api names one permission (see admin/api/docs/describe.ts), and this table is the
 * only place that says who has it.
 *
 * A role is one person's in one organization. Operators run the gateway; in their organizations they have roles too.
 */
import { GatewayError } from '../../shared/errors.ts';

export const roles = ['owner', 'admin', 'finance', 'member', 'auditor'] as const;
export type Role = (typeof roles)[number];

interface Grant {
  readonly all: readonly Role[];
  /** Those that have it for what is their own: the proxy keys that they have created, and what these were used for. */
  readonly own?: readonly Role[];
}

/** Operations change something, unless their permission ends in `:read`. */
const grants = {
  /** One's own name, e-mail address, password and sessions. */
  'profile:manage': { all: roles },
  'models:read': { all: roles },
  'balance:read': { all: roles },
  /** Usage, charged requests and their receipts. */
  'usage:read': { all: ['owner', 'admin', 'finance', 'auditor'], own: ['member'] },
  'keys:read': { all: ['owner', 'admin', 'auditor'], own: ['member'] },
  'keys:manage': { all: ['owner', 'admin'], own: ['member'] },
  /** Billing keys manage all proxy keys. */
  'billing-keys:read': { all: ['owner', 'admin', 'auditor'] },
  'billing-keys:manage': { all: ['owner', 'admin'] },
  /** Payments, transactions, documents, company details and alert settings. */
  'payments:read': { all: ['owner', 'admin', 'finance', 'auditor'] },
  'payments:manage': { all: ['owner', 'finance'] },
  'organization:read': { all: roles },
  /** What concerns the organization as a whole: its name, its export and its deletion. */
  'organization:manage': { all: ['owner'] },
  /** The IP addresses from which keys may be used, which `organization:manage` changes. */
  'ip-allow-list:read': { all: ['owner', 'admin', 'auditor'] },
  'audit:read': { all: ['owner', 'admin', 'finance', 'auditor'] },
  /** Members and invitations. Those of owners are managed by owners only. */
  'members:read': { all: ['owner', 'admin', 'auditor'] },
  'members:manage': { all: ['owner', 'admin'] },
  /** Of members, the projects in which they have proxy keys. */
  'projects:read': { all: ['owner', 'admin', 'finance', 'auditor'], own: ['member'] },
  'projects:manage': { all: ['owner', 'admin'] },
  /** Of members, those that apply to their proxy keys. */
  'budgets:read': { all: ['owner', 'admin', 'finance', 'auditor'], own: ['member'] },
  'budgets:manage': { all: ['owner', 'admin'] },
  /** Where events of the organization are sent, and what was sent. */
  'webhooks:read': { all: ['owner', 'admin', 'auditor'] },
  'webhooks:manage': { all: ['owner', 'admin'] },
  /** Everyone may leave: `own` is one's own membership. */
  'members:remove': { all: ['owner', 'admin'], own: ['finance', 'member', 'auditor'] },
} as const satisfies Record<string, Grant>;

/** Those that a role can give. */
export const permissions = Object.keys(grants) as (keyof typeof grants)[];

/** `operator`: to run the gateway. */
export type Permission = keyof typeof grants | 'operator';

interface Person {
  readonly role: 'customer' | 'operator';
  readonly organizationRole: Role;
}

/** Undefined for what no role in an organization gives. */
export function grantOf(permission: Permission): Required<Grant> | undefined {
  return permission === 'operator' ? undefined : { own: [], ...grants[permission] };
}

/**
 * Returns whose keys the permission is for. Throws GatewayError `role_required`, or `access_denied` for what only operators
 * may do.
 */
export function checkPermission(person: Person, permission: Permission): 'all' | 'own' {
  const grant = grantOf(permission);
  if (grant === undefined) {
    if (person.role === 'operator') return 'all';
    throw operatorsOnly();
  }
  if (grant.all.includes(person.organizationRole)) return 'all';
  if (grant.own.includes(person.organizationRole)) return 'own';
  throw roleRequired(person.organizationRole, rolesWith(grant));
}

/** What a role may do, if only with what is its own. */
export function permissionsOf(role: Role): typeof permissions {
  return permissions.filter(
    (permission) => grantOf(permission)?.all.includes(role) || grantOf(permission)?.own.includes(role),
  );
}

/** Whether someone with this role may have proxy keys of their own. */
export const mayHaveKeys = (role: Role): boolean => permissionsOf(role).includes('keys:manage');

/** In the order of the list of roles. */
export function rolesWith({ all, own }: Required<Grant>): Role[] {
  return roles.filter((role) => all.includes(role) || own.includes(role));
}

export function roleRequired(role: Role, sufficient: readonly Role[]): GatewayError {
  const needed = sufficient.length === 1 ? `the role ${sufficient[0]}` : `one of the roles ${sufficient.join(', ')}`;
  return new GatewayError('role_required', `Your role in this organization is ${role}; this needs ${needed}.`);
}

export const operatorsOnly = () => new GatewayError('access_denied', 'Only operators can do this.');
