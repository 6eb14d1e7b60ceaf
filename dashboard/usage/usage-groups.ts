/** What usage can be split by, besides time: how its rows belong together, and what the parts are called. */
import type { Translate } from '../app/i18n/define-texts.ts';
import type { UsageRow } from './usage-rows.ts';
import type { usageTexts } from './usage-texts.ts';

export const usageGroups = ['model', 'key', 'project', 'member'] as const;
export type UsageGroup = (typeof usageGroups)[number];

export interface UsagePart {
  /** The model, or the id of the key, project or member. */
  readonly id: string;
  /** Undefined for what is no longer known, and for the ids below. */
  readonly name: string | undefined;
}

/** In place of an id: in no project, or of no member. */
export const noneId = 'none';
/** In place of an id: of everything in a chart that has no colour of its own. */
export const othersId = 'others';

interface Group {
  readonly idOf: (row: UsageRow) => string;
  readonly nameOf: (row: UsageRow) => string | null | undefined;
}

const groups: Readonly<Record<UsageGroup, Group>> = {
  model: { idOf: ({ model = '' }) => model, nameOf: ({ model }) => model },
  key: { idOf: ({ keyId }) => String(keyId), nameOf: ({ keyName }) => keyName },
  project: { idOf: ({ projectId }) => String(projectId ?? noneId), nameOf: ({ projectName }) => projectName },
  member: { idOf: ({ memberId }) => String(memberId ?? noneId), nameOf: ({ memberEmail }) => memberEmail },
};

export const partIdOf = (row: UsageRow, group: UsageGroup): string => groups[group].idOf(row);

export const partOf = (row: UsageRow, group: UsageGroup): UsagePart => ({
  id: partIdOf(row, group),
  name: groups[group].nameOf(row) ?? undefined,
});

type T = Translate<NonNullable<(typeof usageTexts)['key']>>;

/** As the chart and the tables call it. */
export function nameOfPart({ id, name }: UsagePart, group: UsageGroup, t: T): string {
  if (name !== undefined) return name;
  if (id === othersId) return t('others');
  if (id === noneId) return t(group === 'member' ? 'noMember' : 'noProject');
  return t(group === 'member' ? 'unknownMember' : 'unknownKey', { id });
}
