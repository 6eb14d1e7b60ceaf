/** The documentation of what the usage of an organization is attributed to. */
import { valuesMax } from '../../../ledger/charges/name-values.ts';
import { metadataNamesMax } from '../../../organizations/dimensions.ts';
import { describe } from '../../docs/describe.ts';
import { turnErrors } from '../../keys/deliver-key.ts';
import { changeDimensionsBody, dimensionsSchema, noDimensionChange } from './dimension-schemas.ts';

const tag = 'Organization';

export const getDimensionsDocs = describe({
  id: 'getDimensions',
  permission: 'organization:read',
  summary: 'Get the dimensions of usage',
  description:
    'What usage is attributed to besides keys, projects and members. `GET /api/usage` groups by it, and `GET /api/requests` filters by it.',
  tag,
  response: { description: 'The dimensions.', schema: dimensionsSchema },
});

export const changeDimensionsDocs = describe({
  id: 'changeDimensions',
  permission: 'projects:manage',
  summary: 'Change the dimensions of usage',
  description:
    'From then on, each charge keeps what its request has as `user`, and under these names in `metadata`. Omitted fields stay as they ' +
    'are. When the response is sent, every replica knows. Values are texts: the first 64 characters count, and whatever is no text or ' +
    `is empty counts as no value, which is the group null, as is all usage before. In a calendar month, UTC, a dimension has ${valuesMax} ` +
    `values; those that come later count as \`…other\`. At most ${metadataNamesMax} names of \`metadata\`. A dimension that is no longer ` +
    'asked for keeps its usage.',
  tag,
  body: { schema: changeDimensionsBody },
  response: { description: 'The dimensions after the change.', schema: dimensionsSchema },
  errors: [noDimensionChange(), ...turnErrors()],
});
