/** The limits of a proxy key: which models it may use. */
import { Type } from '@sinclair/typebox';
import type { Key } from '../keys/announce-key.ts';
import type { KeyLimitColumns } from '../keys/key-limits.ts';
import { orNull } from './checked-by.ts';
import { closedObject, nullable } from './schemas.ts';

const allowedModelsMax = 100;

const allowedModels = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  minItems: 1,
  maxItems: allowedModelsMax,
  uniqueItems: true,
  description: `1 to ${allowedModelsMax} different model ids`,
});

/** What is not sent stays as it is; null takes a limit away. */
export const changeLimitsSchema = closedObject(
  { allowedModels: Type.Optional(orNull(allowedModels)) },
  { description: 'an object of limits' },
);

export type LimitsInput = typeof changeLimitsSchema.static;

export const limitsSchema = Type.Object({ allowedModels: nullable(allowedModels) });

export const limitsExample = { allowedModels: ['gpt-4o-mini'] } satisfies typeof limitsSchema.static;

export function readLimits(limits: LimitsInput | undefined): KeyLimitColumns {
  const { allowedModels } = limits ?? {};
  return { ...(allowedModels !== undefined && { allowedModels }) };
}

export function renderLimits({ allowedModels }: Key): typeof limitsSchema.static {
  return { allowedModels };
}
