/** `gateway webhook list` and `update`: what an operator needs when a customer's endpoint has stopped, or does harm. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import { changeEndpointBody, renderEndpoint } from '../../../api/webhooks/endpoint-schemas.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { changeEndpoint, listEndpoints } from '../../../webhooks/endpoints/endpoints.ts';
import { command } from '../../command.ts';
import { listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findNamedAccount } from '../accounts/name-account.ts';

type Shown = ReturnType<typeof renderEndpoint>;

const columns = {
  WEBHOOK: ({ id }: Shown) => id,
  STATE: ({ active, restReason }: Shown) => (active ? 'active' : (restReason ?? 'inactive')),
  EVENTS: ({ events }: Shown) => events.join(', '),
  URL: ({ url }: Shown) => url,
};

export const webhookList = command({
  description: 'List the webhook endpoints of an organization',
  args: accountArguments,
  run: (named) =>
    withDatabase(async ({ db, ...database }) => {
      const accountId = await findNamedAccount({ db, ...database }, named);
      const webhooks = (await listEndpoints(db, accountId)).map((endpoint) => renderEndpoint(endpoint, new Date()));
      return {
        text: listOf(webhooks, { none: `Account ${accountId} has no webhook endpoints.`, columns }),
        object: { webhooks },
      };
    }),
});

export const webhookUpdate = command({
  description: 'Activate or deactivate a webhook endpoint',
  args: {
    ...accountArguments,
    id: { type: 'string', required: true, description: "The endpoint's id, as `webhook list` shows it" },
    active: { type: 'string', required: true, description: 'true or false' },
  },
  run: ({ account, email, id, active }) =>
    withDatabase(async (database) => {
      const accountId = await findNamedAccount(database, { account, email });
      const change = checkValue(changeEndpointBody, {
        active: active === 'true' || (active === 'false' ? false : active),
      });
      const manager = { id: null, accountId };
      const endpoint = await changeEndpoint(database.db, commandActor(), { manager, id, change });
      const object = renderEndpoint(endpoint, new Date());
      return { text: `Webhook ${id} is ${endpoint.active ? 'active' : 'inactive'}.`, object };
    }),
});
