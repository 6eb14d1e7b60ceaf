/** Reads content that is a string or a list of blocks. A string is short for one text block. */
import type { Static, TSchema } from '@sinclair/typebox';
import { invalidParameter } from '../../../../shared/http/parameter-errors.ts';
import { listLimits } from '../../../nouns/requests/fields.ts';
import type { textBlocks } from './block-schemas.ts';
import { readTagged } from './read-tagged.ts';

const blocksMax = listLimits.contentParts;

type TextBlock = Static<typeof textBlocks.text>;

/** `at` is the content's path in the body. Throws GatewayError that names the block and member at fault. */
export function readBlocks<Kinds extends Readonly<Record<string, TSchema>>>(
  kinds: Kinds,
  content: unknown,
  at: string,
): (TextBlock | Static<Kinds[keyof Kinds]>)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content) && content.length <= blocksMax) {
    return content.map((block, index) => readTagged(kinds, block, `${at}[${index}]`));
  }
  throw invalidParameter(at, `a string or an array of up to ${blocksMax} blocks`);
}
