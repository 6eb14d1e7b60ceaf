/**
 * Which e-mail addresses are accepted: the dot-atom form of RFC 5322 in ASCII, with a domain that has at least one
 * dot. Quoted local parts and address literals are legal but unused; other alphabets invite lookalikes.
 */
import { GatewayError } from '../../shared/errors.ts';

const addressMaxLength = 254;
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const domain = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])$/i;
const localPartMaxLength = 64;

/** The address as it is stored, trimmed. Throws GatewayError `invalid_parameter`. */
export function parseEmail(text: string): string {
  const email = text.trim();
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  const valid =
    at > 0 &&
    email.length <= addressMaxLength &&
    local.length <= localPartMaxLength &&
    localPart.test(local) &&
    domain.test(email.slice(at + 1));
  if (!valid) throw badEmail();
  return email;
}

/** Lower or upper case. */
export const isDomain = (text: string) => text.length <= addressMaxLength && domain.test(text);

export const badEmail = () =>
  new GatewayError('invalid_parameter', 'This is not an e-mail address.', { param: 'email' });
