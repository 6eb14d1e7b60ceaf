/** The field of a list of IP addresses and networks. What an entry may be is checked when the list is read. */
import { Type } from '@sinclair/typebox';
import { allowedIpsMax } from '../../keys/allowed-ips.ts';

const entryMaxLength = 64;

export const allowedIpsField = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: entryMaxLength, expected: 'an IP address or a network' }), {
    maxItems: allowedIpsMax,
    description,
    expected: `a list of at most ${allowedIpsMax} IP addresses and networks`,
    example: ['203.0.113.0/24', '2001:db8::/32'],
  });
