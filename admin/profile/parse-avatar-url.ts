/** Reads the address of a picture. Dashboards show it to people, so it is https and carries no credentials. */
import { GatewayError } from '../../shared/errors.ts';

/** Normalised. Throws GatewayError `invalid_parameter`. */
export function parseAvatarUrl(text: string): string {
  const url = URL.parse(text.trim());
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new GatewayError('invalid_parameter', "Invalid value for 'avatarUrl': expected an address with https.", {
      param: 'avatarUrl',
    });
  }
  return url.href;
}
