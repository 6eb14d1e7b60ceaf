/** The documentation of sessions. */
import { Type } from '@sinclair/typebox';
import { sessionNotFound, sessionsMax } from '../../auth/sessions/list-sessions.ts';
import { describe } from '../docs/describe.ts';
import { endSessionsQuery, sessionEntrySchema, sessionParams } from './sessions-schemas.ts';

const common = { tag: 'Profile' } as const;

export const listSessionsDocs = describe({
  ...common,
  id: 'listSessions',
  permission: 'profile:manage',
  summary: 'Sessions',
  description: `Where the user is logged in, newest use first; the ${sessionsMax} that were used last.`,
  response: {
    description: 'The active sessions.',
    schema: Type.Object({
      sessions: Type.Array(sessionEntrySchema, { description: 'The sessions, newest use first.' }),
    }),
  },
});

export const endSessionDocs = describe({
  ...common,
  id: 'endSession',
  permission: 'profile:manage',
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
  permission: 'profile:manage',
  summary: 'Sign out everywhere',
  description:
    'Ends all sessions of the user, as `DELETE /api/profile/sessions/{sessionId}` ends one, and clears the cookie unless the ' +
    'session of this request continues.',
  query: endSessionsQuery,
  response: { status: 204, description: 'The sessions have ended.' },
});
