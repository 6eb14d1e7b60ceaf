/** Who may serve a model, and what data policies can demand of them. */
import { Title } from '@mantine/core';
import { useId } from 'react';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatCount } from '../app/time/format-time.ts';
import type { Model } from './model.ts';
import { modelsTexts } from './models-texts.ts';

export function ProvidersOf({ model }: { model: Model }) {
  const t = useTexts(modelsTexts);
  const id = useId();
  return (
    <section>
      <Title order={3} size="h5" id={id} mb={4}>
        {t('providers')}
      </Title>
      <table className="small-table" aria-labelledby={id}>
        <thead>
          <tr>
            <th scope="col">{t('providerName')}</th>
            <th scope="col">{t('country')}</th>
            <th scope="col">{t('storesRequests')}</th>
            <th scope="col">{t('trains')}</th>
          </tr>
        </thead>
        <tbody>
          {model.providers.map((provider) => (
            <Provider key={JSON.stringify(provider)} provider={provider} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Provider({ provider }: { provider: Model['providers'][number] }) {
  const t = useTexts(modelsTexts);
  const language = useLanguage();
  const { name, country, retentionDays, trainsOnRequests } = provider;
  const days = (count: number) => (count === 0 ? t('no') : t('days', { count, shown: formatCount(count, language) }));
  return (
    <tr>
      <td>{name ?? t('undisclosed')}</td>
      <td>{country === null ? t('unknown') : nameOfCountry(country, language)}</td>
      <td>{retentionDays === null ? t('unknown') : days(retentionDays)}</td>
      <td>{trainsOnRequests === null ? t('unknown') : t(trainsOnRequests ? 'yes' : 'no')}</td>
    </tr>
  );
}

/** The code itself where the browser has no name for it. */
function nameOfCountry(code: string, language: string): string {
  return new Intl.DisplayNames(language, { type: 'region', style: 'short' }).of(code) ?? code;
}
