/** The documentation of the IP addresses from which keys may be used. */
import { notAnAddress } from '../../../keys/allowed-ips.ts';
import { describe } from '../../docs/describe.ts';
import { turnErrors } from '../../keys/deliver-key.ts';
import { allowListBody, allowListSchema } from './ip-allow-list-schemas.ts';

const tag = 'Organization';

export const getAllowListDocs = describe({
  id: 'getIpAllowList',
  permission: 'ip-allow-list:read',
  summary: 'Get the allowed IP addresses',
  description: 'From where requests with the proxy keys of the organization are accepted.',
  tag,
  response: { description: 'The list.', schema: allowListSchema },
});

export const changeAllowListDocs = describe({
  id: 'changeIpAllowList',
  permission: 'organization:manage',
  summary: 'Change the allowed IP addresses',
  description:
    'Replaces the list; an empty one accepts requests from anywhere. Requests to `/v1` from any other address are refused with 403 ' +
    '`address_not_allowed`; when the response is sent, on every replica. A proxy key may have a list of its own, `allowedIps`; then ' +
    'both apply. The account API is not restricted, so a mistake can be mended from anywhere.',
  tag,
  body: { schema: allowListBody },
  response: { description: 'The list after the change.', schema: allowListSchema },
  errors: [notAnAddress('entries[0]'), ...turnErrors()],
});
