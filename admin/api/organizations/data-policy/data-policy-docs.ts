/** The documentation of the data policy of an organization. */
import { notACountry } from '../../../keys/data-policy.ts';
import { describe } from '../../docs/describe.ts';
import { dataPolicyBody } from '../../fields/data-policy.ts';
import { turnErrors } from '../../keys/deliver-key.ts';
import { emptyPolicy, organizationPolicySchema } from './data-policy-schemas.ts';

const tag = 'Organization';

export const getDataPolicyDocs = describe({
  id: 'getDataPolicy',
  permission: 'organization:read',
  summary: 'Get the data policy',
  description: 'Which providers may see requests with the proxy keys of the organization.',
  tag,
  response: { description: 'The policy.', schema: organizationPolicySchema },
});

export const changeDataPolicyDocs = describe({
  id: 'changeDataPolicy',
  permission: 'organization:manage',
  summary: 'Change the data policy',
  description:
    'Replaces the policy: what is left out demands nothing. Requests are sent only to providers that meet every demand; what ' +
    'is unknown about a provider meets none. The change is in force on every replica when the response is sent. A proxy key may ' +
    'have a policy of its own, `dataPolicy`; then both apply.',
  tag,
  body: { schema: dataPolicyBody },
  response: { description: 'The policy after the change.', schema: organizationPolicySchema },
  errors: [emptyPolicy(), notACountry('countries[0]'), ...turnErrors()],
});
