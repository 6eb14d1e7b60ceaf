/** The documentation of live events. */
import { Type } from '@sinclair/typebox';
import { noMoreStreams } from '../../events/event-hub.ts';
import { subscriberLimits, tooManyStreams } from '../../events/subscribers.ts';
import { describe } from '../docs/describe.ts';

export const eventsDocs = describe({
  id: 'streamEvents',
  permission: 'usage:read',
  summary: 'Live events',
  description:
    'Server-sent events (`text/event-stream`) about the account, each with a JSON object as `data`:\n\n' +
    '- `ready`: all later events are sent. Load the current state once it has arrived.\n' +
    '- `request`: a charged request, as in `GET /api/requests`, or its correction. Under load only the newest 20 of each ' +
    'half second.\n' +
    '- `balance`: `balance`, `credited` and `spent` of the account have changed. Decimal strings, in USD; the last two only for ' +
    'roles that see payments.\n' +
    '- `circuit`: `replica`, `deployment` and its new `state`, as in `GET /api/operator/health`. For operators only.\n' +
    '- `heartbeat`: every 15 seconds.\n' +
    '- `end`: the stream ends, because of `reason`: `session_ended`, `token_expired`, `shutting_down` or ' +
    '`replaced`. After `token_expired` and `shutting_down`, connect again, with a new access token; after `replaced`, the ' +
    'place was given to a client with fewer streams, so poll for a while.\n\n' +
    'A charge is sent about half a second after it was made. An account can have ' +
    `${subscriberLimits.account} streams on each replica, and a client address ${subscriberLimits.address}. If streams do not get through, poll the same endpoints.`,
  tag: 'Account',
  response: {
    description: 'The events, until the client disconnects or `end`.',
    mediaType: 'text/event-stream',
    schema: Type.String({ description: 'Server-sent events, as the HTML standard defines them.' }),
    example: 'event: balance\ndata: {"balance":"9.874","credited":"10","spent":"0.126"}\n\n',
  },
  errors: [tooManyStreams(), noMoreStreams()],
});
