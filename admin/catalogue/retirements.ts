/** Which models retire soon enough to report it, 30 and 7 days ahead, to those who have used them in the last 30 days. */
import type { DbOrTransaction } from '../database/connect.ts';
import { readNewestCatalogue } from './newest-catalogue.ts';

export interface RetiringModel {
  readonly id: string;
  /** A day, in UTC: `2030-06-30`. */
  readonly retiresAt: string;
}

export interface DueRetirement extends RetiringModel {
  /** The distance that it is reported for, which `daysLeft` may have fallen below. */
  readonly ahead: number;
  readonly daysLeft: number;
  /** It is reported to those who have used it since. */
  readonly usedSince: Date;
}

const daysAhead = [7, 30] as const;
const usedWithinDays = 30;
const dayMs = 86_400_000;

/** Of the current catalogue. */
export async function readRetiringModels(db: DbOrTransaction): Promise<RetiringModel[]> {
  const models = (await readNewestCatalogue(db))?.file.models ?? [];
  return models.flatMap(({ id, retiresAt }) => (retiresAt === undefined ? [] : [{ id, retiresAt }]));
}

/** One that has retired is not among them. */
export function dueRetirements(models: readonly RetiringModel[], now: Date): DueRetirement[] {
  const usedSince = new Date(now.getTime() - usedWithinDays * dayMs);
  return models.flatMap((model) => {
    const daysLeft = daysUntil(model.retiresAt, now);
    const ahead = daysAhead.find((days) => daysLeft <= days);
    return daysLeft < 1 || ahead === undefined ? [] : [{ ...model, ahead, daysLeft, usedSince }];
  });
}

const daysUntil = (day: string, now: Date) => (Date.parse(day) - Math.floor(now.getTime() / dayMs) * dayMs) / dayMs;
