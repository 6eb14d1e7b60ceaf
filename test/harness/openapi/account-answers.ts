/** Holds what admin answers against its document; money has to be told alike twice. */
import { join } from 'node:path';
import { answerChecker } from './answer-checker.ts';
import { disagreements } from './money.ts';

const document = await Bun.file(join(import.meta.dir, '../../admin/docs/openapi.snapshot.json')).json();

export const untold = answerChecker(document, disagreements);
