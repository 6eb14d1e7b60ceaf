/** The data policy of an organization, in responses. */
import { Type } from '@sinclair/typebox';
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

/** `providers` are the names in the catalogue. */
export function renderOrganizationPolicy(
  policy: DataPolicy | null,
  providers: string[],
): typeof organizationPolicySchema.static {
  return { ...renderDataPolicy(policy ?? {}), providers };
}
