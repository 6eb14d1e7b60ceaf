/** Holds what admin answers against its document. */
import { join } from 'node:path';
import { answerChecker } from './answer-checker.ts';

const document = await Bun.file(join(import.meta.dir, '../../admin/docs/openapi.snapshot.json')).json();

export const untold = answerChecker(document);
