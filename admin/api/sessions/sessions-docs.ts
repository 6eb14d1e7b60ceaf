/** The documentation of sessions. */
import { Type } from '@sinclair/typebox';
import { sessionNotFound, sessionsMax } from '../../auth/sessions/list-sessions.ts';
import { describe } from '../docs/describe.ts';
import { endSessionsQuery, sessionEntrySchema, sessionParams } from './sessions-schemas.ts';

const common = { tag: 'Profile', security: 'accessToken' } as const;

const example: typeof sessionEntrySchema.static = {
  id: '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70',
  current: true,
  createdAt: '2030-01-01T09:00:00.000Z',
  lastUsedAt: '2030-01-01T12:00:00.000Z',
  expiresAt: '2030-01-31T12:00:00.000Z',
  address: '192.0.2.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

export const listSessionsDocs = describe({
  ...common,
  id: 'listSessions',
  summary: 'Sessions',
  description: `Where the user is logged in, newest use first; the ${sessionsMax} that were used last.`,
  response: {
    status: 200,
    description: 'The active sessions.',
    schema: Type.Object({
      sessions: Type.Array(sessionEntrySchema, { description: 'The sessions, newest use first.' }),
    }),
    example: { sessions: [example] },
  },
});

export const endSessionDocs = describe({
  ...common,
  id: 'endSession',
  summary: 'End a session',
  description:
    'Its tokens are refused when the response is sent, access tokens too. The key of its playground is deleted.',
  params: sessionParams,
  response: { status: 204, description: 'The session has ended.' },
  errors: [sessionNotFound()],
});

export const endSessionsDocs = describe({
  ...common,
  id: 'endSessions',
  summary: 'Sign out everywhere',
  description:
    'Ends all sessions of the user, as `DELETE /api/profile/sessions/{sessionId}` ends one, and clears the cookie unless the ' +
    'session of this request continues.',
  query: endSessionsQuery,
  response: { status: 204, description: 'The sessions have ended.' },
});
