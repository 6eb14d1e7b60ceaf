/** What usage can be split by, besides time: how its rows belong together, and what the parts are called. */
import type { Translate } from '../app/i18n/define-texts.ts';
import type { UsageRow } from './usage-rows.ts';
import type { usageTexts } from './usage-texts.ts';

/** Those of every organization. */
export const usageGroups = ['model', 'key', 'project', 'member'] as const;
type OwnGroup = (typeof usageGroups)[number];
/** A dimension of the organization, as the API names it. */
export type DimensionGroup = 'user' | `metadata.${string}`;
export type UsageGroup = OwnGroup | DimensionGroup;

export interface UsagePart {
  /** The model, the id of the key, project or member, or a value of a dimension after an equals sign. */
  readonly id: string;
  /** Undefined for what is no longer known, and for the ids below. */
  readonly name: string | undefined;
}

/** In place of an id: in no project, of no member, or without a value. */
export const noneId = 'none';
/** In place of an id: of everything in a chart that has no colour of its own. */
export const othersId = 'others';

interface Group {
  readonly idOf: (row: UsageRow) => string;
  readonly nameOf: (row: UsageRow) => string | null | undefined;
}

const groups: Readonly<Record<OwnGroup, Group>> = {
  model: { idOf: ({ model = '' }) => model, nameOf: ({ model }) => model },
  key: { idOf: ({ keyId }) => String(keyId), nameOf: ({ keyName }) => keyName },
  project: { idOf: ({ projectId }) => String(projectId ?? noneId), nameOf: ({ projectName }) => projectName },
  member: { idOf: ({ memberId }) => String(memberId ?? noneId), nameOf: ({ memberEmail }) => memberEmail },
};

const metadataPrefix = 'metadata.';
const valuePrefix = '=';

export const isDimension = (group: string): group is DimensionGroup =>
  group === 'user' || (group.startsWith(metadataPrefix) && group.length > metadataPrefix.length);

/** What requests of the row have; null for none. */
export function valueIn({ user = null, metadata }: UsageRow, dimension: DimensionGroup): string | null {
  return dimension === 'user' ? user : (metadata?.[dimension.slice(metadataPrefix.length)] ?? null);
}

/** Undefined for an id that stands for no value. */
export const valueOfId = (id: string): string | undefined =>
  id.startsWith(valuePrefix) ? id.slice(valuePrefix.length) : undefined;

const groupOf = (group: UsageGroup): Group =>
  isDimension(group)
    ? {
        idOf: (row) => {
          const value = valueIn(row, group);
          return value === null ? noneId : `${valuePrefix}${value}`;
        },
        nameOf: (row) => valueIn(row, group),
      }
    : groups[group];

export const partIdOf = (row: UsageRow, group: UsageGroup): string => groupOf(group).idOf(row);

export const partOf = (row: UsageRow, group: UsageGroup): UsagePart => ({
  id: partIdOf(row, group),
  name: groupOf(group).nameOf(row) ?? undefined,
});

type T = Translate<NonNullable<(typeof usageTexts)['key']>>;

/** As the chart and the tables call it. */
export function nameOfPart({ id, name }: UsagePart, group: UsageGroup, t: T): string {
  if (name !== undefined) return name;
  if (id === othersId) return t('others');
  if (id === noneId && isDimension(group)) return t('noValue');
  if (id === noneId) return t(group === 'member' ? 'noMember' : 'noProject');
  return t(group === 'member' ? 'unknownMember' : 'unknownKey', { id });
}

/** What the parts are: `team` for `metadata.team`. */
export function nameOfGroup(group: UsageGroup, t: T): string {
  if (group === 'user') return t('user');
  return isDimension(group) ? group.slice(metadataPrefix.length) : t(group);
}
