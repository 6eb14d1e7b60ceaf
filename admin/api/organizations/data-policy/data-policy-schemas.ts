/** The data policy of an organization, in responses. */
import { Type } from '@sinclair/typebox';
import { missingParameter } from '../../../../shared/http/parameter-errors.ts';
import type { DataPolicy } from '../../../../shared/keys/data-policy.ts';
import { dataPolicyFields, renderDataPolicy } from '../../fields/data-policy.ts';

export const organizationPolicySchema = Type.Object(
  {
    ...dataPolicyFields,
    providers: Type.Array(Type.String(), {
      description: 'The names that `only` and `ignore` may have: those of the providers in the catalogue.',
      example: ['azure', 'openai'],
    }),
  },
  { title: 'OrganizationDataPolicy' },
);

/** An empty body may be a mistake, and would lift every demand. */
export const emptyPolicy = () =>
  missingParameter('zdr', 'Send at least one member of the policy, with false or an empty list if it demands nothing.');

/** `providers` are the names in the catalogue. */
export function renderOrganizationPolicy(
  policy: DataPolicy | null,
  providers: string[],
): typeof organizationPolicySchema.static {
  return { ...renderDataPolicy(policy ?? {}), providers };
}
