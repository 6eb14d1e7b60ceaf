/** Parses the address of a picture. Dashboards display it, so it must be https and carry no credentials. */
import { GatewayError } from '../../../shared/errors.ts';

/** Normalised. Throws GatewayError `invalid_parameter`. */
export function parseAvatarUrl(text: string): string {
  const url = URL.parse(text.trim());
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new GatewayError('invalid_parameter', "Invalid value for 'avatarUrl': expected an https address.", {
      param: 'avatarUrl',
    });
  }
  return url.href;
}
