/** The members of an object that have a value. What a client has not said is not said to a provider either. */

export type Given<Members extends object> = { [Name in keyof Members]?: NonNullable<Members[Name]> };

export function given<Members extends object>(members: Members): Given<Members> {
  const present = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present) as Given<Members>;
}
