/**
 * Reads a value whose `type` says what else is in it, as most objects of this interface are. Each kind has its own
 * schema, so that an error names the member at fault; that of a union could only name the whole value.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { GatewayError } from '../../../../shared/errors.ts';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { refuseLongCacheWrite } from '../../../request/cache-control.ts';

const tagged = Type.Object(
  { type: Type.String({ expected: 'a string' }), cache_control: Type.Optional(Type.Unknown()) },
  { expected: 'an object with a type' },
);

/** `at` is the value's place in the body. Throws GatewayError that names it. */
export function readTagged<Kinds extends Readonly<Record<string, TSchema>>>(
  kinds: Kinds,
  value: unknown,
  at: string,
): Static<Kinds[keyof Kinds]> {
  const { type, cache_control } = checkValue(tagged, value, at);
  refuseLongCacheWrite({ cache_control }, at);
  const kind = kindOf(kinds, type);
  if (kind === undefined) {
    const param = `${at}.type`;
    const known = Object.keys(kinds).join(', ');
    throw new GatewayError('unsupported_parameter', `'${param}' is not supported here. Supported are: ${known}.`, {
      param,
    });
  }
  return checkValue(kind, value, at);
}

function kindOf<Kinds extends object>(kinds: Kinds, type: PropertyKey): Kinds[keyof Kinds] | undefined {
  return isKey(kinds, type) ? kinds[type] : undefined;
}

function isKey<Kinds extends object>(kinds: Kinds, type: PropertyKey): type is keyof Kinds {
  return Object.hasOwn(kinds, type);
}
