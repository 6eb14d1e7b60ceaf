/** What the usage of an organization is attributed to, in requests and responses. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../../shared/errors.ts';
import { metadataNameForm, metadataNameMax } from '../../../../shared/usage/dimension-names.ts';
import type { Dimension } from '../../../ledger/queries/charged-dimensions.ts';
import { metadataNamesMax, settingsOf } from '../../../organizations/dimensions.ts';
import { closedObject, flag, text } from '../../fields/schemas.ts';

const namesExample = ['team', 'feature'];

export const dimensionsSchema = Type.Object(
  {
    metadata: Type.Array(text('A name in the `metadata` of requests.'), {
      description: 'The names in the `metadata` of requests that usage is attributed to.',
      example: namesExample,
    }),
    user: flag('Whether usage is attributed to the `user` of requests.', true),
    former: Type.Array(text('A dimension as `groupBy` of `GET /api/usage` names it.'), {
      description: 'What usage was attributed to before. It can still be grouped by it.',
      example: ['metadata.stage'],
    }),
  },
  { title: 'Dimensions' },
);

export const changeDimensionsBody = closedObject({
  metadata: Type.Optional(
    Type.Array(
      Type.String({
        pattern: `^${metadataNameForm}$`,
        expected: `1 to ${metadataNameMax} letters of English, digits, dots, hyphens and underscores`,
      }),
      {
        maxItems: metadataNamesMax,
        uniqueItems: true,
        description: 'All names in the `metadata` of requests that usage is attributed to from now on.',
        expected: `a list of at most ${metadataNamesMax} different names`,
        example: namesExample,
      },
    ),
  ),
  user: Type.Optional(
    Type.Boolean({
      description:
        'Whether usage is attributed to the `user` of requests, `metadata.user_id` in `/v1/messages`, from now on.',
      expected: 'true or false',
      example: true,
    }),
  ),
});

export function noDimensionChange(): GatewayError {
  return new GatewayError('missing_parameter', 'Send at least one of `metadata` and `user`.', { param: 'metadata' });
}

export function renderDimensionSettings(found: readonly Dimension[]): typeof dimensionsSchema.static {
  const { metadata, user } = settingsOf(found);
  return { metadata: [...metadata], user, former: found.filter(({ active }) => !active).map(({ name }) => name) };
}
