/**
 * Reads a value whose `type` determines its other members, like most objects of this API format. Each kind has its own
 * schema, so that an error names the member at fault; a union's error could only name the whole value.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { longMarkOf } from '../../chat-completions/content/cache-control.ts';

const tagged = Type.Object(
  { type: Type.String({ expected: 'a string' }), cache_control: Type.Optional(Type.Unknown()) },
  { expected: 'an object with a type' },
);

/** `at` is the value's path in the body. Throws GatewayError that names it. */
export function readTagged<Kinds extends Readonly<Record<string, TSchema>>>(
  kinds: Kinds,
  value: unknown,
  at: string,
): Static<Kinds[keyof Kinds]> {
  const { type, cache_control } = checkValue(tagged, value, at);
  longMarkOf({ cache_control }, at);
  const kind = kindOf(kinds, type);
  if (kind === undefined) {
    const param = `${at}.type`;
    const known = Object.keys(kinds).join(', ');
    throw unsupportedParameter(param, `'${param}' is not supported. Supported values are ${known}.`);
  }
  return checkValue(kind, value, at);
}

function kindOf<Kinds extends object>(kinds: Kinds, type: PropertyKey): Kinds[keyof Kinds] | undefined {
  return isKey(kinds, type) ? kinds[type] : undefined;
}

function isKey<Kinds extends object>(kinds: Kinds, type: PropertyKey): type is keyof Kinds {
  return Object.hasOwn(kinds, type);
}
