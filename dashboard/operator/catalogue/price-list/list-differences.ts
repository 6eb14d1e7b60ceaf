/** The differences between the catalogue and a price list, one by one. */
import type { ListComparison } from '../queries.ts';

type Changed = ListComparison['changed'][number];

export interface ListDifference extends Omit<Changed, 'changes'> {
  readonly key: string;
  readonly field: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly isPrice: boolean;
  readonly isDecrease: boolean;
  readonly isLarge: boolean;
  /** Whether the one before is of the same model. */
  readonly isFurther: boolean;
}

export function listDifferences({ changed }: Pick<ListComparison, 'changed'>): ListDifference[] {
  return changed.flatMap(({ changes, ...of }) =>
    changes.map((change, index) => ({
      ...of,
      ...change,
      key: `${of.model} ${change.field} ${change.to}`,
      isFurther: index > 0,
    })),
  );
}
