/** GET /api/events: what happens to the caller's account, as server-sent events while it happens. */
import { Elysia } from 'elysia';
import { formatUsd } from '../../../shared/money.ts';
import { authorized, type Caller, type KeyScope } from '../../auth/authorize.ts';
import { permissionsOf } from '../../auth/permissions.ts';
import type { EventHub, Subscriber } from '../../events/event-hub.ts';
import { callerAddress } from '../../http/request/caller-address.ts';
import type { AdminServices } from '../../services.ts';
import { renderListed } from '../money/render-request.ts';
import { eventsDocs } from './events-docs.ts';

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  // nginx would collect events otherwise.
  'x-accel-buffering': 'no',
};

/** A client that does not read is disconnected once so many events are waiting for it. */
const waitingMax = 500;

export const eventsRoute = (services: AdminServices) =>
  new Elysia().use(authorized(services)).get(
    '/api/events',
    ({ caller, request, server }) => {
      const address = callerAddress({ request, server }, services.config);
      return new Response(openStream(services.events, { ...caller, address }), { headers });
    },
    eventsDocs,
  );

type Listener = Caller & KeyScope & Pick<Subscriber, 'address'>;

function openStream(events: EventHub, caller: Listener): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let leave = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const send = (event: string, data: object) => {
          if ((controller.desiredSize ?? 0) <= 0) {
            leave();
            controller.error(new Error('the client does not read its events'));
            return;
          }
          controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
        };
        // Throws before the response has begun.
        leave = events.subscribe(subscriberOf(caller, send, () => controller.close()));
        controller.enqueue(encoder.encode(': events\n\n'));
      },
      cancel: () => leave(),
    },
    { highWaterMark: waitingMax },
  );
}

function subscriberOf(
  { id: userId, keysOf, role, secondFactorAt, tokenExpiresAt, ...caller }: Listener,
  send: (event: string, data: object) => void,
  close: () => void,
): Subscriber {
  const { accountId, address, sessionId, organizationRole, signInRule } = caller;
  const seesPayments = permissionsOf(organizationRole).includes('payments:read');
  return {
    ...{ accountId, address, userId, sessionId, organizationRole, signInRule },
    hasSecondFactor: secondFactorAt !== null,
    isOperator: role === 'operator',
    endsAtMs: tokenExpiresAt.getTime(),
    ready: () => send('ready', {}),
    account: ({ state, requests }) => {
      for (const request of requests) {
        if (keysOf === undefined || request.key?.createdBy === keysOf) send('request', renderListed(request));
      }
      if (state === undefined) return;
      const { balanceNano, creditedNano, spentNano } = state;
      const sums = { credited: formatUsd(creditedNano), spent: formatUsd(spentNano) };
      send('balance', { balance: formatUsd(balanceNano), ...(seesPayments && sums) });
    },
    circuit: (change) => send('circuit', change),
    heartbeat: () => send('heartbeat', { at: new Date().toISOString() }),
    end: (reason) => {
      send('end', { reason });
      close();
    },
  };
}
