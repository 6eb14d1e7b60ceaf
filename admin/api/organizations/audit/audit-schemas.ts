/** The audit log as the people of an organization see it. */
import { Type } from '@sinclair/typebox';
import type { AuditEntry } from '../../../operations/audit/list-audit.ts';
import { auditActions } from '../../../operations/audit/record-action.ts';
import { customer, uuid } from '../../fields/example-values.ts';
import { rangeFields } from '../../fields/range-query.ts';
import {
  integer,
  label,
  nextCursor,
  nullable,
  oneOf,
  pageCursor,
  pageLimit,
  text,
  timestamp,
} from '../../fields/schemas.ts';

export const auditMax = 100;
const actorMaxLength = 320;
/** Which operator it was is that person's own affair. */
const operator = 'operator';

const filterFields = {
  actor: Type.Optional(label(actorMaxLength, 'Lists only what this member or billing key did, named as in the log.')),
  action: Type.Optional(oneOf(auditActions, 'Lists only actions of this kind.')),
  ...rangeFields,
};

export const organizationAuditQuery = Type.Object({
  ...filterFields,
  limit: pageLimit(auditMax, 'How many entries to return at most.'),
  cursor: pageCursor,
});

export const auditExportQuery = Type.Object(filterFields);

const anything = (description: string, example: object) =>
  nullable(Type.Object({}, { additionalProperties: true, description, example }));

export const organizationAuditSchema = Type.Object(
  {
    entries: Type.Array(
      Type.Object({
        id: integer('The id of the entry.', 9),
        at: timestamp('When it was done.'),
        actor: text(
          "Who did it: a member's e-mail address, `billing key mk-…`, `operator` for the gateway's own staff, or `user 42` for " +
            'someone who was deleted since.',
          customer.email,
        ),
        address: nullable(text('The network address that it was done from; null for operators.', '203.0.113.7')),
        requestId: nullable(text('The `x-request-id` of the request that did it; null for operators.', uuid)),
        action: text('What was done, such as `key.create`.', 'key.create'),
        subject: text('The object of the action, such as `key 7`.', 'key 7'),
        reason: nullable(text('The reason that an operator gave; null if none was given.')),
        before: anything('The state before the change; null if there was none.', { name: 'production' }),
        after: anything('The state after the change; null if nothing is left.', { name: 'batch jobs' }),
      }),
      { description: 'What was done in the organization, newest first.' },
    ),
    nextCursor,
  },
  { title: 'OrganizationAudit' },
);

type Rendered = (typeof organizationAuditSchema.static)['entries'][number];

export function renderOrganizationEntry(entry: AuditEntry): Rendered {
  const { id, at, isMember, action, subject, reason, before, after } = entry;
  const who = isMember
    ? { actor: entry.actor, address: entry.address, requestId: entry.requestId }
    : { actor: operator, address: null, requestId: null };
  const states = { before: before as Rendered['before'], after: after as Rendered['after'] };
  return { id, at: at.toISOString(), ...who, action, subject, reason, ...states };
}
