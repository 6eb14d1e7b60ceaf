/** A thread that reads catalogue files: a megabyte of YAML takes seconds. */
import type { ListedKeys } from '../../shared/config/provider-keys.ts';
import { answerTasks } from '../heavy-work/answer-tasks.ts';
import { readLocated } from './locate-problems.ts';

export interface CatalogueText {
  readonly yaml: string;
  readonly listedKeys: ListedKeys;
}

answerTasks(({ yaml, listedKeys }: CatalogueText) => readLocated(yaml, listedKeys));
