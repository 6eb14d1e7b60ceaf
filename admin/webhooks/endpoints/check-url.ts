/** Refuses the address of an endpoint that could not be called: it is judged again for each delivery, whose name may lead elsewhere. */
import { GatewayError } from '../../../shared/errors.ts';
import type { AdminConfig } from '../../config/admin.ts';
import { AddressRefused, checkAddress, type Resolve, resolveName } from '../../http/outgoing/address-guard.ts';

/** A name that cannot be resolved now is not refused: the deliveries show what is wrong with it. */
const resolveTimeoutMs = 2_000;

/** Throws GatewayError `invalid_parameter`. */
export async function checkUrl(
  url: string,
  { webhookReach: reach, resolve }: Pick<AdminConfig, 'webhookReach'> & { readonly resolve?: Resolve },
): Promise<void> {
  try {
    const { hostname } = checkAddress(url, reach);
    const isLiteral = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
    if (reach === 'any' || isLiteral) return;
    const guard = { reach, ...(resolve !== undefined && { resolve }) };
    await Promise.race([resolveName(hostname, guard), Bun.sleep(resolveTimeoutMs)]);
  } catch (error) {
    if (error instanceof AddressRefused) throw badUrl();
  }
}

export const badUrl = () =>
  new GatewayError(
    'invalid_parameter',
    "Invalid value for 'url': expected a public https URL, with port 443 or one from 1024.",
    { param: 'url' },
  );
