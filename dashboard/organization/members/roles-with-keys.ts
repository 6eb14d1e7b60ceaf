/** Which members may have proxy keys, by their role. */
import type { Role } from '../../app/session/place.ts';

/** Others have no proxy keys of their own. */
export const rolesWithKeys: ReadonlySet<Role> = new Set(['owner', 'admin', 'member']);
