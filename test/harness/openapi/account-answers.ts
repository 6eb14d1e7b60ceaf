/** Checks admin's responses against its document, and that the two forms of each amount agree. */
import { accountDocument } from './account-document.ts';
import { answerChecker } from './answer-checker.ts';
import { disagreements } from './money.ts';

export const undocumented = answerChecker(accountDocument, disagreements);
