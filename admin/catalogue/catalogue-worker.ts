/** A thread that reads catalogue files: a megabyte of YAML takes seconds. */
import type { ListedKeys } from '../../shared/config/provider-keys.ts';
import { handleTasks } from '../heavy-work/handle-tasks.ts';
import { readLocated } from './locate-problems.ts';

export interface CatalogueText {
  readonly yaml: string;
  readonly listedKeys: ListedKeys;
}

handleTasks(({ yaml, listedKeys }: CatalogueText) => readLocated(yaml, listedKeys));
