/** The protections of sealed months, each of which can be removed: without it, the simulation has to find violations. */
export const mutants = [
  'a sealed month that is not compared with its seal',
  'a month that is sealed while its charges wait',
  'a month that is sealed although its books are wrong',
] as const;

export type Mutant = (typeof mutants)[number];
