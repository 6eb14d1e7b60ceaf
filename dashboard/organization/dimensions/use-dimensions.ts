/** The dimensions of the organization, for pages that split or filter by one of them. */
import { useQuery } from '@tanstack/react-query';
import { type DimensionGroup, isDimension } from '../../usage/usage-groups.ts';
import { type Dimensions, dimensionsQuery } from './queries.ts';

const none: readonly DimensionGroup[] = [];

/** Former ones last, because usage is attributed to them too. None until they are loaded. */
export function useDimensions(): readonly DimensionGroup[] {
  return useQuery({ ...dimensionsQuery, select: namesOf }).data ?? none;
}

function namesOf({ user, metadata, former }: Dimensions): DimensionGroup[] {
  return [...(user ? ['user'] : []), ...metadata.map((name) => `metadata.${name}`), ...former].filter(isDimension);
}
