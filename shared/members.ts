/** Objects, and their members that have a value: what one side left out is not passed on to the other. */

/** Whether untrusted JSON is an object: neither an array nor null, which JavaScript calls objects too. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type AnyRecord = Readonly<Record<string, unknown>>;

/** In a record with arbitrary names, no existing member is undefined. */
type Defined<Members extends object> = string extends keyof Members
  ? { [Name in keyof Members]: Exclude<Members[Name], undefined> }
  : { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

type Present<Members extends object> = { [Name in keyof Members]?: NonNullable<Members[Name]> };

/** Null is kept: it is a value, such as "no limit". */
export function withoutUndefined<Members extends object>(members: Members): Defined<Members>;
export function withoutUndefined(members: AnyRecord): AnyRecord {
  return keepMembers(members, (value) => value !== undefined);
}

/** For JSON in which null and absent mean the same. */
export function withoutNullish<Members extends object>(members: Members): Present<Members>;
export function withoutNullish(members: AnyRecord): AnyRecord {
  return keepMembers(members, (value) => value !== undefined && value !== null);
}

/** `__proto__` becomes an ordinary member, as with `JSON.parse`. */
function keepMembers(members: AnyRecord, isKept: (value: unknown) => boolean): AnyRecord {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => isKept(value)));
}

/** An object with a member for each row. TypeScript does not derive the names of members that are computed. */
export function recordOf<Row, Name extends string, Value>(
  rows: readonly Row[],
  entryOf: (row: Row) => readonly [Name, Value],
): Record<Name, Value> {
  return Object.fromEntries(rows.map(entryOf)) as Record<Name, Value>;
}

/** One object of several that have different members of one type. */
export function merged<Part extends object>(parts: readonly Part[]): Part {
  return Object.assign({}, ...parts);
}
