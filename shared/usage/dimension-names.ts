/**
 * What usage can be attributed to besides keys, projects and members: what a request says of its `user`, and under names of its
 * `metadata`, such as `metadata.team`. Names pass through the records of keys, as one text with spaces between them.
 */

export type DimensionName = 'user' | `metadata.${string}`;

const metadataPrefix = 'metadata.';
/** Those of OpenAI's `metadata` are as long. */
export const metadataNameMax = 64;
/** They are also part of addresses and of lists with commas. */
export const metadataNameForm = `[A-Za-z0-9_.-]{1,${metadataNameMax}}`;

const form = new RegExp(`^(?:user|metadata\\.${metadataNameForm})$`);

export function isDimensionName(text: string): text is DimensionName {
  return form.test(text);
}

export const metadataDimension = (name: string): DimensionName => `${metadataPrefix}${name}`;

/** The name in `metadata`; undefined of `user`. */
export function metadataNameOf(dimension: string): string | undefined {
  return dimension.startsWith(metadataPrefix) ? dimension.slice(metadataPrefix.length) : undefined;
}

export const encodeDimensionNames = (names: readonly DimensionName[]): string => names.join(' ');

/** Undefined if there are none. What a newer version may name is left out. */
export function decodeDimensionNames(text = ''): readonly DimensionName[] | undefined {
  const names = text === '' ? [] : text.split(' ').filter(isDimensionName);
  return names.length === 0 ? undefined : names;
}
