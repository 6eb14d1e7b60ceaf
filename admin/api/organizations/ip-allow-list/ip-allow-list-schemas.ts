/** The IP addresses from which keys may be used, in requests and responses. */
import { Type } from '@sinclair/typebox';
import { type Address, formatAddress } from '../../../../shared/addresses/address.ts';
import { isWithin, parseNetwork } from '../../../../shared/addresses/network.ts';
import { allowedIpsField } from '../../fields/allowed-ips.ts';
import { closedObject, nullable, text } from '../../fields/schemas.ts';

const entries = allowedIpsField(
  'IP addresses and networks in CIDR notation from which requests to `/v1` are accepted. None accepts them from anywhere.',
);

export const allowListBody = closedObject({ entries });

export const allowListSchema = Type.Object(
  {
    entries: { ...entries, description: 'In their canonical form; none if requests are accepted from anywhere.' },
    callerAddress: nullable(
      text('The IP address of this request, as the gateway sees it; null if it cannot be known.', '203.0.113.7'),
    ),
    warning: nullable(
      Type.String({
        description: 'Why keys of the organization cannot be used from the address of the caller; null if they can.',
        example: null,
      }),
    ),
  },
  { title: 'IpAllowList' },
);

export function renderAllowList(
  allowedIps: readonly string[] | null,
  caller: Address | undefined,
): typeof allowListSchema.static {
  return {
    entries: [...(allowedIps ?? [])],
    callerAddress: caller === undefined ? null : formatAddress(caller),
    warning: allowedIps === null ? null : warningFor(allowedIps, caller),
  };
}

function warningFor(allowedIps: readonly string[], caller: Address | undefined): string | null {
  if (caller === undefined) {
    return 'The gateway cannot tell the address that you call from. Where it cannot, requests with the keys are refused.';
  }
  const isThere = allowedIps.some((entry) => {
    const network = parseNetwork(entry);
    return network !== undefined && isWithin(caller, network);
  });
  return isThere ? null : `The list does not include ${formatAddress(caller)}, the address that you call from.`;
}
