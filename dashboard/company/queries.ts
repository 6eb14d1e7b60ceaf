/** How the company details are saved. They are read with the profile. */
import { api } from '../app/api/api.ts';
import { callInDetail } from '../app/api/detailed-call.ts';
import type { paths } from '../generated/api.ts';

export type Profile = paths['/api/profile']['get']['responses'][200]['content']['application/json'];
type DetailsPath = paths['/api/profile/details']['put'];
export type Details = NonNullable<DetailsPath['requestBody']>['content']['application/json'];

/** Throws DetailedError with every field that is wrong. */
export const saveDetails = (body: Details) => callInDetail(api.PUT('/api/profile/details', { body }));
