/** Checks admin's responses against its document, and that the two forms of each amount agree. */
import { accountDocument } from './account-document.ts';
import { disagreements } from './money.ts';
import { responseChecker } from './response-checker.ts';

export const undocumented = responseChecker(accountDocument, disagreements);
