/** The price list, as the API answers it. */
import type { paths } from '../generated/api.ts';

export type PriceList = paths['/api/models']['get']['responses'][200]['content']['application/json'];
export type Model = PriceList['models'][number];
export type ModelKind = Model['kind'];

export const modelKinds = ['chat', 'completion', 'embedding', 'image'] as const satisfies readonly ModelKind[];
