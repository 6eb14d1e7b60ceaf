/** Sessions as their user sees them. */
import { Type } from '@sinclair/typebox';
import type { ActiveSession } from '../../auth/sessions/list-sessions.ts';
import { uuid } from '../fields/example-values.ts';
import { flag, nullable, oneOf, text, timestamp } from '../fields/schemas.ts';

export const sessionEntrySchema = Type.Object(
  {
    id: text('The id of the session, to end it with.', uuid),
    current: flag('Whether this request belongs to it.', true),
    createdAt: timestamp('When the user logged in.', '2030-01-01T09:00:00.000Z'),
    lastUsedAt: timestamp(
      'When it last got new tokens. Clients in use get new ones every 15 minutes, so it may have been used since.',
    ),
    expiresAt: timestamp('When it expires, unless it is used before.', '2030-01-31T12:00:00.000Z'),
    address: nullable(
      text(
        'The network address that it was last used from, for IPv6 its network. Null for sessions of older versions.',
        '192.0.2.7',
      ),
    ),
    userAgent: nullable(
      text(
        'The `User-Agent` of the client; null if it sends none.',
        'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      ),
    ),
  },
  { title: 'SessionEntry' },
);

export const sessionParams = Type.Object({
  sessionId: Type.String({
    pattern: '^[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}$',
    description: 'The id of the session, as the list of sessions shows it.',
    expected: 'the id of a session',
  }),
});

export const endSessionsQuery = Type.Object({
  keepCurrent: Type.Optional(
    oneOf(['true', 'false'], 'Whether the session of this request continues. By default it ends too.'),
  ),
});

export function renderSession(session: ActiveSession, currentId: string): typeof sessionEntrySchema.static {
  const { id, beganAt, refreshedAt, expiresAt, address, userAgent } = session;
  return {
    id,
    current: id === currentId,
    createdAt: beganAt.toISOString(),
    lastUsedAt: refreshedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    address,
    userAgent,
  };
}
