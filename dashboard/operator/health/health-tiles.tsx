/** The gateway in four numbers. */
import { StatTile } from '../../app/components/stat-tile.tsx';
import { type Translate, useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatCount, formatRelative } from '../../app/time/format-time.ts';
import { isTroubled, viewDeployments } from './deployments.ts';
import { healthTexts } from './health-texts.ts';
import type { Health, Lag } from './queries.ts';

interface HealthTilesProps {
  /** Undefined while it loads. */
  readonly health: Health | undefined;
  readonly lag: Lag | undefined;
}

export function HealthTiles({ health, lag }: HealthTilesProps) {
  const t = useTexts(healthTexts);
  const language = useLanguage();
  const count = (value: number) => formatCount(value, language);
  const oldestAt = lag?.usage.oldestAt;
  return (
    <div className="tiles">
      <StatTile
        label={t('deployments')}
        value={health && count(viewDeployments(health).length)}
        detail={health && stateOf(health, t)}
      />
      <StatTile label={t('replicas')} value={health && count(health.replicas.length)} detail={t('replicasDetail')} />
      <StatTile
        label={t('charges')}
        value={lag && count(lag.usage.entries)}
        detail={oldestAt ? t('oldest', { age: formatRelative(oldestAt, language) }) : t('nothingWaits')}
      />
      <StatTile
        label={t('failedMails')}
        value={lag && count(lag.failedMails)}
        detail={t('failedMailsDetail')}
        to="/operator/mails"
      />
    </div>
  );
}

/** Of the deployments. Without any, all of them are well, which is no good news. */
function stateOf(health: Health, t: Translate<NonNullable<(typeof healthTexts)['key']>>): string {
  if (health.replicas.length === 0) return t('noReplicas');
  const deployments = viewDeployments(health);
  if (deployments.length === 0) return t('noDeployments');
  const troubled = deployments.filter(isTroubled).length;
  return troubled === 0 ? t('allWell') : t('someTroubled', { count: troubled });
}
