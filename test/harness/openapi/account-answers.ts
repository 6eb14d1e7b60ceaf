/** Checks admin's responses against its document, and that the two forms of each amount agree. */
import { join } from 'node:path';
import { answerChecker } from './answer-checker.ts';
import { disagreements } from './money.ts';

const document = await Bun.file(join(import.meta.dir, '../../admin/api/docs/openapi.snapshot.json')).json();

export const undocumented = answerChecker(document, disagreements);
