/** What classes of tokens and units are called. */
import { useTexts } from '../i18n/use-texts.ts';
import { eachUnits, tokenClasses } from './token-class.ts';
import { tokenClassTexts } from './token-class-texts.ts';

/** A class or a unit that the API adds later keeps the name that the API gives it. */
export function useTokenClassName(): (name: string) => string {
  const t = useTexts(tokenClassTexts);
  return (name) => {
    const known = [...tokenClasses, ...eachUnits].find((each) => each === name);
    return known === undefined ? name : t(known);
  };
}
